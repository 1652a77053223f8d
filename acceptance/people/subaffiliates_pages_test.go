package people_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"rebatedesk/acceptance/site"
	"rebatedesk/reports/coverage"
)

func TestSubAffiliatePagesAnswerAnyParameter(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	uid := string(f.Uids()[0])
	for _, c := range []struct {
		path   string
		status int
		says   string
	}{
		{"/sub-affiliates", 200, uid},
		{"/sub-affiliates?compare=previous&cols=change,first&sort=-change", 200, "First day"},
		{"/sub-affiliates?q=" + url.QueryEscape("</script><b>"), 200, "No sub-affiliate matches the filters"},
		{"/sub-affiliates?from=2020-01-01&to=2020-01-31", 200, "Before the collected history"},
		{"/sub-affiliates?from=2030-01-01&to=2030-01-31", 200, "These days have not begun"},
		{"/sub-affiliates?from=2026-11-20&to=2026-11-20", 200, "No sub-affiliate had business in this range"},
		{"/sub-affiliates?page=1000000000", 400, "there is one page"},
		{"/sub-affiliates?q=" + strings.Repeat("x", 3500), 400, "longer than"},
		{"/sub-affiliates?coin=USDT", 400, "the exchange reports sub-affiliates without it"},
		{"/sub-affiliates?source=sub", 400, "without it"},
		{"/sub-affiliates?sort=secret", 400, "cannot be sorted by"},
		{"/sub-affiliates?cols=secret", 400, "is none of"},
		{"/sub-affiliates?account=nobody", 400, "there is no such account"},
		{"/sub-affiliates.json?coin=USDT", 400, "does not apply to an export"},
		{"/sub-affiliates.csv?sort=-share&cols=volume&compare=year", 200, "account,sub_affiliate_uid,product_type,date,trading_volume,net_trading_fee,paid_commission\r\n"},
		{"/sub-affiliates/" + uid, 200, "Sub-affiliate " + uid},
		{"/sub-affiliates/" + uid + "?sort=-paid&compare=previous&page=1", 200, "Changed figures"},
		{"/sub-affiliates/" + uid + "?from=2026-11-20&to=2026-11-20", 200, "No business in this range"},
		{"/sub-affiliates/" + uid + "?page=1000000000", 400, "there are"},
		{"/sub-affiliates/" + uid + "?uid=7", 400, "the page is about one UID already"},
		{"/sub-affiliates/" + uid + "?q=7", 400, "the page is about one UID already"},
		{"/sub-affiliates/" + uid + ".csv?product=SPOT", 200, uid + ",SPOT,"},
		{"/sub-affiliates/999", 404, "No sub-affiliate with this UID is known"},
		{"/sub-affiliates/999?as_of=2026-11-01T00:00:00Z", 404, "in the state of 1 Nov 2026 00:00 UTC"},
		{"/sub-affiliates/%3Cscript%3E", 404, "No sub-affiliate can have this UID"},
		{"/sub-affiliates/a%2Fb", 404, "No sub-affiliate can have this UID"},
		{"/sub-affiliates/%25%32%37", 404, "No sub-affiliate can have this UID"},
		{"/sub-affiliates/" + strings.Repeat("7", 33), 404, "No sub-affiliate can have this UID"},
		{"/sub-affiliates/%F0%9F%A7%BF", 404, "No sub-affiliate can have this UID"},
	} {
		a := site.Get(t, f.Address+c.path)
		if a.StatusCode != c.status || !strings.Contains(a.Body, c.says) {
			t.Errorf("%.80s: status %d, want %d and %q", c.path, a.StatusCode, c.status, c.says)
		}
		if strings.Contains(a.Body, "<script><b>") || strings.Contains(a.Body, "<script>\"") {
			t.Errorf("%.80s: a text of the address became an element of the page", c.path)
		}
	}
}

// Every figure of a table has its exact value, every small chart has a description, and
// the menu describes the content of the file.
func TestSubAffiliatePageDescribesItsFigures(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	page := site.Get(t, f.Address+"/sub-affiliates?compare=previous&range=7d").Body
	r := f.List(url.Values{"range": {"7d"}})
	for _, text := range []string{
		`title="` + string(r.Total.Paid) + `"`, `title="` + string(r.Lines[0].Volume) + `"`, "Paid on ", "unit not stated",
		"The exchange states no unit or coin", "One row for each sub-affiliate, product and UTC day", "Check against our own records",
		"two separate payments out of that fee", `href="/sub-affiliates.csv?compare=previous&amp;range=7d"`,
	} {
		if !strings.Contains(page, text) {
			t.Errorf("the page does not say %q", text)
		}
	}
	if n := strings.Count(page, `aria-label="Paid on `); n != len(r.Lines) {
		t.Errorf("%d of %d small charts have a description", n, len(r.Lines))
	}
}

// If the stream failed or was never read, the page says so instead of showing no
// sub-affiliates.
func TestSubAffiliatesEmptyStates(t *testing.T) {
	t.Parallel()
	shown := site.NothingShown(t)
	for kind, says := range map[coverage.EmptyKind]string{
		coverage.EmptyNotCollected: "Not collected yet",
		coverage.EmptyFailed:       "The collection of these days failed",
		coverage.EmptyTruly:        "No sub-affiliate had business in this range",
		coverage.EmptyFiltered:     "No sub-affiliate matches the filters",
	} {
		if a := site.Get(t, shown[kind].Address+"/sub-affiliates"+shown[kind].Query); a.StatusCode != 200 || !strings.Contains(a.Body, says) {
			t.Errorf("%s: status %d, and the page does not say %q", kind, a.StatusCode, says)
		}
	}
}

func TestBrowserSubAffiliates(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	t.Run("unknown", func(t *testing.T) {
		b := openMissing(t, f.Address, "/sub-affiliates/999")
		b.Shoot("sub-affiliate-unknown")
		b.Accessible()
	})
}

// openMissing shows a page whose answer is 404 inside another page, because the browser
// would report this status on its console.
func openMissing(t *testing.T, address, path string) *site.Tab {
	t.Helper()
	b := site.Open(t, address+"/sub-affiliates", site.Desktop)
	text, err := json.Marshal(site.Get(t, address+path).Body)
	if err != nil {
		t.Fatal(err)
	}
	site.Eval[bool](b, `(() => {
		const page = new DOMParser().parseFromString(`+string(text)+`, "text/html");
		document.getElementById("page").replaceWith(page.getElementById("page"));
		return true;
	})()`)
	return b
}

// The check unfolds, the list sorts and filters, and a line leads to its page, all
// without a script.
func TestBrowserSubAffiliatesWithoutScript(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	b := site.Open(t, f.Address+"/sub-affiliates?range=14d", site.Plain)
	b.ChoosesFilter("product", "SPOT")
	b.Clicks("#band-fold:not([open]) summary", "#daily-chart-table table")
	b.Clicks("#check-steps:not([open]) summary", "#check-steps table")
	b.Clicks("#rows thead th:first-child:not([aria-sort=ascending]) a", "#rows thead th[aria-sort=ascending]")
	if address := site.ValueOf(b, chromedp.Location()); !strings.Contains(address, "product=SPOT") || !strings.Contains(address, "sort=uid") {
		t.Errorf("the clicks led to %s", address)
	}
	b.Shoot("sub-affiliates-no-script")
}
