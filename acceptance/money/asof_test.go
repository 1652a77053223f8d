package money_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// collectedLate serves the real reports over a database that was read in part, with one
// trade on 1 November, on 8 November, and completely on 20 November.
func collectedLate(t *testing.T) string {
	t.Helper()
	at := time.Date(2026, 11, 8, 9, 0, 0, 0, time.UTC)
	clock := func() time.Time { return at }
	st, err := store.Open(t.Context(), storetest.Empty(t), store.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	today := affiliate.DayOf(site.Now, time.UTC)
	if err := st.WantFrom(t.Context(), "main", today-364); err != nil {
		t.Fatal(err)
	}
	slice := func(stream affiliate.Stream, days affiliate.Days) records.Slice {
		return records.Slice{Account: "main", Stream: stream, Days: days, Started: at, Through: affiliate.MillisOf(at)}
	}
	commissions := func(product affiliate.Product, days affiliate.Days, rows []affiliate.Commission) {
		t.Helper()
		if _, err := records.ReplaceCommissions(t.Context(), st, slice(affiliate.Stream{Kind: affiliate.Commissions, Product: product}, days), rows); err != nil {
			t.Fatal(err)
		}
	}
	first := affiliate.NewDay(2026, 11, 1)
	invitees, byProduct := site.People12(today)
	for _, product := range affiliate.Products() {
		var known []affiliate.Commission
		for _, c := range byProduct[product] {
			if affiliate.DayOf(c.DealTime.Time(), time.UTC) == first && c.UID == invitees[0].UID {
				known = append(known, c)
			}
		}
		commissions(product, affiliate.Days{First: first, Last: first}, known)
		commissions(product, affiliate.Days{First: first - 200, Last: first - 199}, nil)
	}
	at = site.Now
	whole := affiliate.Days{First: today - 364, Last: today}
	for product, list := range byProduct {
		commissions(product, whole, list)
		stream := affiliate.Stream{Kind: affiliate.SubAffiliates, Product: product}
		if _, err := records.ReplaceSubAffiliateDays(t.Context(), st, slice(stream, whole), nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := records.ReplaceInvitees(t.Context(), st, slice(affiliate.Stream{Kind: affiliate.Invitees}, whole), invitees); err != nil {
		t.Fatal(err)
	}
	address, _ := site.Serve(t, web.Options{Reports: reports.New(st, clock), Collect: site.Nothing})
	return address
}

// asOfPages are the reports that take as_of.
var asOfPages = []string{"/", "/commissions", "/codes", "/cohorts", "/sub-affiliates", "/invitees"}

// A page as of an instant before the first reading of its range names the time of that
// reading and links to the present state. It offers no collection, because a collection
// cannot change the past.
func TestAsOfBeforeTheFirstCollection(t *testing.T) {
	t.Parallel()
	address := collectedLate(t)
	const then = "as_of=2026-11-05T12:00:00Z"
	for _, path := range asOfPages {
		for _, query := range []string{"range=30d", "range=7d", "range=30d&account=main"} {
			a := site.Get(t, address+path+"?"+query+"&"+then)
			first := "20 Nov 2026"
			if query != "range=7d" && (path == "/" || path == "/commissions" || path == "/codes") {
				first = "8 Nov 2026"
			}
			said := "On 5 Nov 2026 nothing of this range had been collected; the first collection was on " + first + "."
			if query == "range=7d" && path != "/invitees" { // the range begins on 14 November
				said = "On 5 Nov 2026 12:00 UTC these days had not begun."
			}
			control := `<input type="hidden" name="account" value="main"`
			if !strings.Contains(query, "account") {
				control = `id="as-of-menu"`
			}
			for _, text := range []string{said, "An earlier state is shown, as known", "on 5 Nov 2026 12:00 UTC", ">Back to now<", control} {
				if a.StatusCode != 200 || !strings.Contains(a.Body, text) {
					t.Errorf("%s?%s: status %d, and the page does not say %q", path, query, a.StatusCode, text)
				}
			}
			link := regexp.MustCompile(`href="([^"]*)">Show it as known now<`).FindStringSubmatch(a.Body)
			if link == nil || strings.Contains(link[1], "as_of") || !strings.HasPrefix(link[1], path) {
				t.Errorf("%s?%s links to the present with %q", path, query, link)
			}
			for _, text := range []string{"Collect now", "Try again now", ", to now", "Not collected yet", "See the collection"} {
				if strings.Contains(a.Body, text) {
					t.Errorf("%s?%s says %q about the past", path, query, text)
				}
			}
		}
	}
	for path, text := range map[string]string{
		"/invitees/4667776800?" + then: "in the state of 5 Nov 2026 12:00 UTC", "/sub-affiliates/7?" + then: "No record of any sub-affiliate was stored then.",
	} {
		if a := site.Get(t, address+path); !strings.Contains(a.Body, text) || !strings.Contains(a.Body, "Show it as known now") ||
			strings.Contains(a.Body, "Next try") || strings.Contains(a.Body, "See the collection") {
			t.Errorf("%s: status %d, and the page does not say %q, or mentions the next collection", path, a.StatusCode, text)
		}
	}
}

// The list of findings that need attention shows the state at the instant.
func TestAttentionOfAnEarlierState(t *testing.T) {
	t.Parallel()
	address := collectedLate(t)
	a := site.Get(t, address+"/attention?as_of=2026-11-05T12:00:00Z")
	for _, text := range []string{"What was known on 5 Nov 2026 12:00 UTC", `href="/attention"`, "See what is missing now"} {
		if a.StatusCode != 200 || !strings.Contains(a.Body, text) {
			t.Errorf("status %d, and the page does not say %q", a.StatusCode, text)
		}
	}
	for _, text := range []string{"Next try", "See the collection", "Always the present", "failed and missing runs"} {
		if strings.Contains(a.Body, text) {
			t.Errorf("the page says %q about the past", text)
		}
	}
	if now := site.Get(t, address+"/attention"); !strings.Contains(now.Body, "failed and missing runs") {
		t.Error("the present checks do not mention runs")
	}
}

// Partly known data is marked: its figures are shown, unknown figures are not zero, and
// the gaps are those known at that time.
func TestAsOfOfAPart(t *testing.T) {
	t.Parallel()
	address := collectedLate(t)
	page := func(query string) string {
		t.Helper()
		a := site.Get(t, address+"/?as_of="+url.QueryEscape("2026-11-10T12:00:00Z")+"&"+query)
		if a.StatusCode != 200 {
			t.Fatalf("%s: status %d", query, a.StatusCode)
		}
		return a.Body
	}
	says := func(body, query string, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if !strings.Contains(body, text) {
				t.Errorf("%s: the overview does not say %q", query, text)
			}
		}
	}
	some := page("range=30d")
	says(some, "range=30d", "Then: 19 of 20 days not collected.", "partial")
	strip := regexp.MustCompile(`(?s)aria-label="Other figures">.*?</section>`).FindString(some)
	if n := strings.Count(strip, "unknown: not collected completely yet"); n != 3 || !strings.Contains(strip, ">1<") && !strings.Contains(strip, ">1 <") {
		t.Errorf("%d of three unknown counts are dashes, in %s", n, strip)
	}
	says(page("range=12m"), "range=12m", "None of these figures was known for this range on 10 Nov 2026 12:00 UTC.")
	none := page("from=2026-04-15&to=2026-04-30")
	says(none, "April", "On 10 Nov 2026 12:00 UTC only a part of this range had been collected, and there was nothing to show in that part.")
	if strings.Contains(none, "Active traders") || strings.Contains(none, "Collect now") {
		t.Error("the page counts traders of days without a reading, or offers a collection")
	}
	if truly := page("from=2026-04-16&to=2026-04-16"); !strings.Contains(truly, "No commission in this range") {
		t.Error("a day that was read and has no records is not shown as empty")
	}
}

// asOfGaps returns the neighbouring figures that touch each other.
const asOfGaps = `[...document.querySelectorAll("#figures > *")].filter(e => e.getBoundingClientRect().height > 0).sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map((e, i, all) => {
	if (i === 0) return "";
	const gap = e.getBoundingClientRect().top - all[i - 1].getBoundingClientRect().bottom;
	return gap < 12 ? all[i - 1].textContent.trim().slice(0, 30) + " and " + e.textContent.trim().slice(0, 30) + ": " + gap : "";
}).filter(Boolean)`

func TestBrowserAsOf(t *testing.T) {
	site.AllBrowsers(t, "TestBrowserOverview visits the page, and other tests read its words")
	t.Parallel()
	address := collectedLate(t)
	const then = "as_of=2026-11-05T12:00:00Z"
	b := site.Open(t, address+"/?"+then, site.Desktop)
	b.Until(`document.querySelector("#attention h3") !== null`)
	b.Looks("asof")
	text := site.Eval[string](b, `document.querySelector("main").innerText`)
	for _, said := range []string{"nothing of this range had been collected", "as known on 5 Nov 2026 12:00 UTC", "Show it as known now"} {
		if !strings.Contains(text, said) {
			t.Errorf("the page does not say %q", said)
		}
	}
	for _, said := range []string{"Collect now", ", to now", "Active traders"} {
		if strings.Contains(text, said) {
			t.Errorf("the page says %q", said)
		}
	}
	for _, s := range []site.Screen{site.Phone, site.Desktop} {
		b.Look(s)
		b.Still()
		if touching := site.Eval[[]string](b, asOfGaps); len(touching) > 0 {
			t.Errorf("%s: %q", s.Name, touching)
		}
	}
	site.Eval[bool](b, `[...document.querySelectorAll("#figures a")].find(a => a.textContent === "Show it as known now").click(), true`)
	b.Until(`location.search === "" && document.querySelector("#daily-chart") !== null && document.querySelector("#page [data-announce]").innerText.includes("to now")`)
	b = site.Open(t, address+"/?range=12m&as_of=2026-11-10T12:00:00Z", site.Phone)
	b.Until(site.AllSeen + `, document.querySelector("main").innerText.includes("None of these figures was known") && document.querySelector("#users-chart") === null`)
	b.Shoot("asof-part")
	b.Accessible()
}
