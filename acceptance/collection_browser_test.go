package acceptance_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"rebatedesk/collector"
	"rebatedesk/web"
)

// sideways returns by how many pixels the page scrolls to the side when all of it is laid out.
const sideways = `(` + allSeen + `, document.documentElement.scrollWidth - innerWidth)`

// allSeen lays out what a phone lays out when it is scrolled near.
const allSeen = `document.querySelectorAll(".later").forEach(e => e.classList.add("seen"))`

func TestBrowserCollection(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, web.Options{Reports: season(t), Progress: running})
	for _, path := range []string{"/collection", "/collection/restatements?range=90d"} {
		for _, s := range bothWays {
			t.Run(path+" "+s.name, func(t *testing.T) {
				b := open(t, address+path, s)
				if over := eval[int](b, sideways); over > 0 {
					t.Errorf("the page scrolls sideways by %d pixels", over)
				}
				name, _, _ := strings.Cut(path[1:], "?")
				b.shoot(strings.ReplaceAll(name, "/", "-") + "-" + s.name)
				b.accessible()
			})
		}
	}
}

// A year of days fits a laptop, and a phone begins at the newest days. All states look
// different, and none is marked by its colour alone.
func TestBrowserCalendar(t *testing.T) {
	t.Parallel()
	address := lookedAt(t)
	const box = `document.getElementById("calendar-0-grid")`
	b := open(t, address+"/collection", laptop)
	if over := eval[int](b, box+".scrollWidth - "+box+".clientWidth"); over > 0 {
		t.Errorf("the calendar is %d pixels wider than a laptop shows", over)
	}
	looks := eval[[]string](b, `[...document.querySelectorAll("[aria-label=Legend] .day")].map(d => (s => s.backgroundImage.replace(/(rgba?|color|oklch|oklab)\([^)]*\)/g, "") + (s.backgroundColor !== "rgba(0, 0, 0, 0)") + (s.boxShadow !== "none"))(getComputedStyle(d)))`)
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
	b = open(t, address+"/collection", phone)
	newest := `(d => (r => r.left >= 0 && r.right <= innerWidth)(d.getBoundingClientRect()))([...` + box + `.querySelectorAll("td[title]")].find(d => d.title.startsWith("Fri 20 Nov 2026")))`
	if !eval[bool](b, newest) {
		t.Error("a phone does not show the newest day first")
	}
}

// Unfolded parts and the scroll position stay while the figures follow a collection.
func TestBrowserCollectionKeepsPlace(t *testing.T) {
	t.Parallel()
	state := make(chan collector.Progress, 1)
	state <- running()
	address, _ := serve(t, web.Options{Reports: season(t), Progress: func() collector.Progress {
		s := <-state
		state <- s
		return s
	}})
	b := open(t, address+"/collection?per=100&page=2", phone)
	b.do(chromedp.Click(chromedp.CSS("#calendar-3-list summary")))
	eval[bool](b, `document.getElementById("calendar-3-grid").scrollLeft = -200, document.getElementById("figures").dataset.old = "1", true`)
	<-state
	state <- collector.Progress{Finished: now}
	b.until(`!document.getElementById("figures").dataset.old`)
	b.until(`document.getElementById("calendar-3-list").open && document.getElementById("calendar-3-grid").scrollLeft === -200`)
	if page := eval[string](b, `document.querySelector("#runs nav p").textContent`); page != "Page 2 of 2" {
		t.Errorf("after the refresh the page shows %q", page)
	}
}

// Without scripts the reason of every day and every failed slice can be read.
func TestBrowserCollectionWithoutScript(t *testing.T) {
	t.Parallel()
	address := lookedAt(t)
	b := open(t, address+"/collection", plain)
	b.clicks("#calendar-3-list:not([open]) summary", "#calendar-3-list tbody tr")
	b.clicks("#runs details:not([open]) summary", "#runs details[open] li")
	b.clicks("main:not(:has(#page-back)) #page-forward", "#page-back")
	b.shoot("collection-no-script")
	if address := valueOf(b, chromedp.Location()); !strings.HasSuffix(address, "/collection?page=2") {
		t.Errorf("the second page of runs shows %s", address)
	}
}

// The filters of restatements work as on other pages, and lead back.
func TestBrowserRestatementFilters(t *testing.T) {
	t.Parallel()
	address := lookedAt(t)
	b := open(t, address+"/collection/restatements?range=90d", desktop)
	const rows = `document.querySelector("#rows [role=status]").textContent`
	before := eval[string](b, rows)
	eval[bool](b, `(() => { const f = document.getElementById("filter-coin"); f.value = "BTC"; f.dispatchEvent(new Event("change", {bubbles: true})); return true })()`)
	b.until(`location.search.includes("coin=BTC") && location.search.includes("range=90d") && document.querySelector(".chip") !== null`)
	if after := eval[string](b, rows); after == before {
		t.Errorf("the filter changed nothing: %s", after)
	}
	if coins := eval[int](b, `document.querySelectorAll("#filter-coin option").length`); coins != 5 {
		t.Errorf("%d choices of coins beside a filter, want all and four coins", coins)
	}
	b.until(`document.querySelector("#nav [aria-current]").textContent.includes("Collection")`)
}
