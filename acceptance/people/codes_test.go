package people_test

import (
	"encoding/csv"
	"html"
	"math/big"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/coverage"
)

// Both pages and their files answer every query with the right status.
func TestCodeAndCohortPagesAnswerAnyParameter(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	for _, c := range []struct {
		path   string
		status int
		says   string
	}{
		{"/codes", 200, "Top codes"},
		{"/codes?compare=previous&cols=kyc-rate,change,value&sort=-kyc-rate", 200, "KYC %"},
		{"/codes?q=" + url.QueryEscape("</script><b>"), 200, "No invite code matches the filters"},
		{"/codes?code=" + url.QueryEscape("\u202egnp.\U0001f9ff"), 200, "No invite code matches the filters"},
		{"/codes?from=2020-01-01&to=2020-01-31", 200, "Before the collected history"},
		{"/codes?from=2030-01-01&to=2030-01-31", 200, "These days have not begun"},
		{"/codes?range=all", 200, "Top codes"},
		{"/codes?coin=XRP", 200, "All codes"},
		{"/codes?as_of=2026-11-20T14:06:00Z", 200, "Top codes"},
		{"/codes?page=1000000000", 400, "there is one page"},
		{"/codes?q=" + strings.Repeat("x", 3500), 400, "longer than"},
		{"/codes?sort=secret", 400, "cannot be sorted by"},
		{"/codes?cols=secret", 400, "is none of"},
		{"/codes?by=week", 400, "this report has no such choice"},
		{"/codes?metric=traders", 400, "this report has no such choice"},
		{"/codes?secret=1", 400, "there is no such parameter"},
		{"/codes?account=nobody", 400, "there is no such account"},
		{"/codes.csv?sort=-value&compare=year&per=100", 200, "account,invite_code,registrations,people_complete,kyc,"},
		{"/codes.json?q=x", 200, `"row_count"`},
		{"/codes.csv?sort=secret", 400, "cannot be sorted by"},
		{"/cohorts", 200, "Months since registration"},
		{"/cohorts?by=week&metric=cumulative&range=30d", 200, "Weeks since registration"},
		{"/cohorts?metric=commission&coin=BTC", 200, "Commission per user"},
		{"/cohorts?code=" + url.QueryEscape("</script><b>"), 200, "No invitee matches the filters"},
		{"/cohorts?from=2030-01-01&to=2030-01-31", 200, "These days have not begun"},
		{"/cohorts?from=2020-01-01&to=2020-01-31", 200, "Before the collected history"},
		{"/cohorts?as_of=2026-11-20T14:06:00Z", 200, "Months since registration"},
		{"/cohorts?q=x", 400, "cohorts are whole"},
		{"/cohorts?page=1000000000", 400, "there are"},
		{"/cohorts?sort=age", 400, "has one order only"},
		{"/cohorts?metric=fee", 400, "is none of traders, commission, cumulative"},
		{"/cohorts?by=day", 400, "is none of month, week"},
		{"/cohorts?by=week&from=2018-01-01", 400, "a table holds 106"},
		{"/cohorts?code=" + strings.Repeat("x", 3500), 400, "longer than"},
		{"/cohorts.csv?metric=commission&by=week", 200, "cohort,registered_from,registered_to,registrations,"},
		{"/cohorts.json", 200, `"row_count"`},
		{"/cohorts.csv?q=x", 400, "does not apply to an export of cohorts"},
	} {
		a := site.Get(t, f.Address+c.path)
		if a.StatusCode != c.status || !strings.Contains(a.Body, c.says) {
			t.Errorf("%.80s: status %d, want %d and %q", c.path, a.StatusCode, c.status, c.says)
		}
		if strings.Contains(a.Body, "<script><b>") || strings.Contains(a.Body, "</script><b>") {
			t.Errorf("%.80s: a text of the address became an element of the page", c.path)
		}
	}
}

// The lines of the page, its file and the ledger of the exchange hold the same
// commission, and the cohorts count the same registrations.
func TestCodesAndCohortsEqualTheLedger(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	ledger := f.Sim.Ledger()
	from := affiliate.DayOf(site.Now, time.UTC) - site.SimulatedDays + 2
	all, registered := new(big.Rat), map[affiliate.UID]bool{}
	for _, i := range ledger.Invitees {
		registered[i.UID] = affiliate.DayOf(i.RegisterTime.Time(), time.UTC) >= from
	}
	earned := new(big.Rat)
	for _, c := range ledger.Commissions {
		if c.Coin != "USDT" {
			continue
		}
		all.Add(all, rational(c.Commission))
		if registered[c.UID] {
			earned.Add(earned, rational(c.Commission))
		}
	}
	column := func(path, name string) *big.Rat {
		rows, err := csv.NewReader(strings.NewReader(site.Get(t, f.Address+path).Body)).ReadAll()
		if err != nil || len(rows) < 2 {
			t.Fatalf("%s: %d rows, %v", path, len(rows), err)
		}
		sum := new(big.Rat)
		for i, heading := range rows[0] {
			for _, row := range rows[1:] {
				if heading == name {
					sum.Add(sum, rational(affiliate.Number(row[i])))
				}
			}
		}
		return sum
	}
	if got := column("/codes.csv?range=all&coin=USDT", "commission"); got.Cmp(all) != 0 {
		t.Errorf("the codes earned %s, the ledger has %s", got.FloatString(18), all.FloatString(18))
	}
	for _, by := range cohorts.Periods() {
		if got := column("/cohorts.csv?coin=USDT&by="+by+"&from="+from.String()+"&to=2026-11-20", "commission"); got.Cmp(earned) != 0 {
			t.Errorf("the cohorts by %s earned %s, the ledger has %s", by, got.FloatString(18), earned.FloatString(18))
		}
	}
}

// The active traders of a code lead to exactly these invitees, whatever narrows the figures.
func TestActiveTradersOfACodeLeadToThem(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	link := regexp.MustCompile(`href="(/invitees\?[^"]*state=traded[^"]*)"[^>]*>\s*(\d+)`)
	for _, query := range []string{"range=7d", "range=7d&product=SPOT", "range=30d&coin=BTC"} {
		found := link.FindAllStringSubmatch(site.Get(t, f.Address+"/codes?"+query).Body, -1)
		if len(found) == 0 {
			t.Errorf("%s: no code leads to its active traders", query)
		}
		for _, one := range found {
			address := strings.Replace(html.UnescapeString(one[1]), "?", ".csv?", 1)
			if rows := f.Rows(address); strconv.Itoa(len(rows)) != one[2] {
				t.Errorf("%s: %d invitees, the code has %s active traders", address, len(rows), one[2])
			}
		}
	}
}

// Each reason for an empty page has a separate text.
func TestCodesAndCohortsEmptyStates(t *testing.T) {
	t.Parallel()
	shown := site.NothingShown(t)
	for kind, says := range map[coverage.EmptyKind][2]string{
		coverage.EmptyNotCollected: {"Not collected yet", "Not collected yet"},
		coverage.EmptyFailed:       {"The collection of these days failed", "The collection of these days failed"},
		coverage.EmptyTruly:        {"No invite code was used in this range", "Nobody registered in this range"},
		coverage.EmptyFiltered:     {"No invite code matches the filters", "No invitee matches the filters"},
	} {
		for i, path := range []string{"/codes", "/cohorts"} {
			if a := site.Get(t, shown[kind].Address+path+strings.Replace(shown[kind].Query, "q=", "code=", 1)); a.StatusCode != 200 || !strings.Contains(a.Body, says[i]) {
				t.Errorf("%s, %s: status %d, and the page does not say %q", path, kind, a.StatusCode, says[i])
			}
		}
	}
}

// A page writes its default range into its address only if it has to.
func TestCohortsDefaultRange(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	page := site.Get(t, f.Address+"/cohorts").Body
	for _, text := range []string{"1 Nov 2025 – 20 Nov 2026 (UTC), to now", `href="/cohorts.csv"`, `href="/cohorts?range=30d"`, `href="/cohorts?by=week"`, `href="/cohorts?metric=commission"`, `href="/commissions"`} {
		if !strings.Contains(page, text) {
			t.Errorf("the page does not have %s", text)
		}
	}
	page = site.Get(t, f.Address+"/cohorts?range=30d").Body
	for _, text := range []string{`href="/cohorts.csv?range=30d"`, `href="/cohorts"`, `href="/commissions?range=30d"`} {
		if !strings.Contains(page, text) {
			t.Errorf("with 30 days the page does not have %s", text)
		}
	}
}

// Text has enough contrast on every shade, with and without a dashed edge. axe does not judge
// text on a gradient.
func TestBrowserHeatContrast(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	const contrast = `(() => {
		const box = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
		const light = colour => {
			box.fillStyle = colour; box.fillRect(0, 0, 1, 1);
			const [r, g, b] = [...box.getImageData(0, 0, 1, 1).data].map(c => c / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		const cell = document.querySelector(".heat-table tbody:not(.totals) td:nth-child(3)");
		return Math.min(...[0, 1, 2, 3, 4, 5, 6].map(step => {
			cell.className = "num heat-" + step;
			const style = getComputedStyle(cell), [a, b] = [light(style.color), light(style.backgroundColor)];
			return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		}));
	})()`
	for _, s := range []site.Screen{site.Desktop, site.Darkness} {
		b := site.Open(t, f.Address+"/cohorts", s)
		if least := site.Eval[float64](b, contrast); least < 4.5 {
			t.Errorf("%s: a cell has a contrast of only %.2f", s.Name, least)
		}
	}
}

// Without a script the tables sort, filter and switch. The keyboard alone reaches a link
// in them.
func TestBrowserCodesAndCohortsWithoutScript(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	b := site.Open(t, f.Address+"/codes?range=14d", site.Plain)
	b.ChoosesFilter("product", "SPOT")
	b.Clicks("#band-fold:not([open]) summary", "#daily-chart-table table")
	b.Clicks("#rows thead th:first-child:not([aria-sort=ascending]) a", "#rows thead th[aria-sort=ascending]")
	if address := site.ValueOf(b, chromedp.Location()); !strings.Contains(address, "product=SPOT") || !strings.Contains(address, "sort=code") {
		t.Errorf("the clicks led to %s", address)
	}
	b = site.Open(t, f.Address+"/cohorts", site.Plain)
	b.Clicks(`a[href="/cohorts?metric=cumulative"]:not([aria-current])`, `a[href="/cohorts?metric=cumulative"][aria-current]`)
	b.Do(
		chromedp.Focus(chromedp.CSS(`a[href="/cohorts?by=week&metric=cumulative"]`)),
		chromedp.KeyEvent("\r"),
		chromedp.WaitVisible(chromedp.CSS(`a[href="/cohorts?by=week&metric=cumulative"][aria-current]`)),
	)
}
