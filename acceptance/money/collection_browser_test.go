package money_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"rebatedesk/acceptance/site"
	"rebatedesk/collector"
	"rebatedesk/web"
)

func TestBrowserCollection(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.Season(t), Progress: site.Running})
	for _, path := range []string{"/collection", "/collection/restatements?range=90d"} {
		name, _, _ := strings.Cut(path[1:], "?")
		site.Open(t, address+path, site.Desktop).Looks(strings.ReplaceAll(name, "/", "-"))
	}
}

// A year of days fits a laptop, and a phone begins at the newest days. All states look
// different, and none is marked by its colour alone.
func TestBrowserCalendar(t *testing.T) {
	t.Parallel()
	address := site.LookedAt(t)
	const box = `document.getElementById("calendar-0-grid")`
	b := site.Open(t, address+"/collection", site.Laptop)
	if over := site.Eval[int](b, box+".scrollWidth - "+box+".clientWidth"); over > 0 {
		t.Errorf("the calendar is %d pixels wider than a laptop shows", over)
	}
	looks := site.Eval[[]string](b, `[...document.querySelectorAll("[aria-label=Legend] .day")].map(d => (s => s.backgroundImage.replace(/(rgba?|color|oklch|oklab)\([^)]*\)/g, "") + (s.backgroundColor !== "rgba(0, 0, 0, 0)") + (s.boxShadow !== "none"))(getComputedStyle(d)))`)
	seen := map[string]bool{}
	for _, look := range looks {
		if seen[look] {
			t.Errorf("two states differ only by colour: %s", look)
		}
		seen[look] = true
	}
	if len(looks) != 8 {
		t.Errorf("the legend has %d states, want 8", len(looks))
	}
	b = site.Open(t, address+"/collection", site.Phone)
	newest := `(d => (r => r.left >= 0 && r.right <= innerWidth)(d.getBoundingClientRect()))([...` + box + `.querySelectorAll("td[title]")].find(d => d.title.startsWith("Fri 20 Nov 2026")))`
	if !site.Eval[bool](b, newest) {
		t.Error("a phone does not show the newest day first")
	}
}

// Unfolded parts and the scroll position stay while the figures follow a collection.
func TestBrowserCollectionKeepsPlace(t *testing.T) {
	t.Parallel()
	state := make(chan collector.Progress, 1)
	state <- site.Running()
	address, _ := site.Serve(t, web.Options{Reports: site.Season(t), Progress: func() collector.Progress {
		s := <-state
		state <- s
		return s
	}})
	b := site.Open(t, address+"/collection?per=100&page=2", site.Phone)
	b.Do(chromedp.Click(chromedp.CSS("#calendar-3-list summary")))
	site.Eval[bool](b, `document.getElementById("calendar-3-grid").scrollLeft = -200, document.getElementById("figures").dataset.old = "1", true`)
	<-state
	state <- collector.Progress{Finished: site.Now}
	b.Until(`!document.getElementById("figures").dataset.old`)
	b.Until(`document.getElementById("calendar-3-list").open && document.getElementById("calendar-3-grid").scrollLeft === -200`)
	if page := site.Eval[string](b, `document.querySelector("#runs nav p").textContent`); page != "Page 2 of 2" {
		t.Errorf("after the refresh the page shows %q", page)
	}
}

// Without scripts the reason of every day and every failed slice can be read.
func TestBrowserCollectionWithoutScript(t *testing.T) {
	t.Parallel()
	address := site.LookedAt(t)
	b := site.Open(t, address+"/collection", site.Plain)
	b.Clicks("#calendar-3-list:not([open]) summary", "#calendar-3-list tbody tr")
	b.Clicks("#runs details:not([open]) summary", "#runs details[open] li")
	b.Clicks("main:not(:has(#page-back)) #page-forward", "#page-back")
	b.Shoot("collection-no-script")
	if address := site.ValueOf(b, chromedp.Location()); !strings.HasSuffix(address, "/collection?page=2") {
		t.Errorf("the second page of runs shows %s", address)
	}
}

// The filters of restatements work as on other pages, and lead back.
func TestBrowserRestatementFilters(t *testing.T) {
	t.Parallel()
	address := site.LookedAt(t)
	b := site.Open(t, address+"/collection/restatements?range=90d", site.Desktop)
	const rows = `document.querySelector("#rows [role=status]").textContent`
	before := site.Eval[string](b, rows)
	site.Eval[bool](b, `(() => { const f = document.getElementById("filter-coin"); f.value = "BTC"; f.dispatchEvent(new Event("change", {bubbles: true})); return true })()`)
	b.Until(`location.search.includes("coin=BTC") && location.search.includes("range=90d") && document.querySelector(".chip") !== null`)
	if after := site.Eval[string](b, rows); after == before {
		t.Errorf("the filter changed nothing: %s", after)
	}
	if coins := site.Eval[int](b, `document.querySelectorAll("#filter-coin option").length`); coins != 5 {
		t.Errorf("%d choices of coins beside a filter, want all and four coins", coins)
	}
	b.Until(`document.querySelector("#page p a").textContent === "Data" && document.querySelector("#page h1").textContent === "Restatements"`)
}
