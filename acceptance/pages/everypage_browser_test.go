package pages_test

import (
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
)

// Every page looks right in one visit: in all its looks, with its menus, by keyboard, without a word on
// its console; what changes with the screen tells its coin there too. On every third page filters and
// columns are used by keys alone, and on two the real Tab key walks: one script and one component serve
// all pages.
func TestBrowserEveryPage(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	for i, p := range site.EveryPage {
		t.Run(p.Name, func(t *testing.T) {
			b := site.Open(t, h.At(p.Route)+p.Query(), site.Desktop)
			b.Settled(p)
			b.Looks(p.Name)
			if i%3 == 0 {
				b.FiltersAndSortsByKeys(p)
			}
			if p.Route == "/" || p.Route == "/invitees" {
				b.TabReachesEverything()
			}
			b.Look(site.Phone)
			if bare := site.Eval[[]string](b, coinless); len(bare) > 0 {
				t.Errorf("amounts stand without their coin: %q", bare)
			}
		})
	}
}

// Pages that show no figures of a range look right too, and so do those of errors.
func TestBrowserOtherPages(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	b := site.Open(t, h.At("/account"), site.Desktop)
	b.Refused = true
	for _, path := range []string{"/account", "/segments/new", "/months/2026-10", "/collection/runs/1", "/annotations/new", "/people/import", "/prices/import", "/help", "/docs/api", "/nothing", "/?range=bogus"} {
		b.Goes(h.At(path))
		b.Arrives(`document.querySelector("main h1") !== null`)
		b.Looks(strings.ReplaceAll(path[1:], "/", "-"))
	}
}

// coinless lists the amounts that stay beside the edge of a narrow screen, of tables with a column
// of coins, whose coin is not told with them.
const coinless = `[...document.querySelectorAll(".grid-table:has(thead th)")].filter(table => [...table.querySelectorAll("thead th")].some(th => th.textContent.trim() === "Coin"))
	.flatMap(table => [...table.querySelectorAll(":is(tbody, tfoot) td.keep")].filter(td => /[0-9]/.test(td.textContent)))
	.filter(td => !td.querySelector("bdi") && !/[A-Z]/.test(getComputedStyle(td, "::after").content)).map(td => td.textContent.trim())`
