package pages_test

import (
	"testing"

	site "rebatedesk/acceptance/site"
)

// Every page on every screen is drawn, logs nothing on its console and is no wider than the
// screen, and axe finds no fault. On the wide screen it can also be used by keys alone.
func TestBrowserEveryPage(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	for i, p := range site.EveryPage {
		t.Run(p.Name+" phone", func(t *testing.T) {
			b := site.Open(t, h.At(p.Route)+p.Query(), site.Phone)
			b.Settled(p)
			b.Arrives(site.Sideways + " <= 0")
			b.Shoot(p.Name + "-phone")
			b.AccessibleInShape() // the wide screen has the same colours
			b.MenusCanBePressed()
			if bare := site.Eval[[]string](b, coinless); len(bare) > 0 {
				t.Errorf("amounts stand without their coin: %q", bare)
			}
		})
		t.Run(p.Name+" desktop", func(t *testing.T) {
			b := site.Open(t, h.At(p.Route)+p.Query(), site.Desktop)
			b.Settled(p)
			b.LooksRight(p.Name + "-desktop")
			b.TurnsDark(p.Name)
			b.Look(site.Desktop)
			b.Settled(p)
			b.TabReachesEverything()
			for _, s := range []site.Screen{site.Desktop, tablet} {
				b.Look(s)
				b.Settled(p)
				b.MenusCanBePressed()
			}
			b.Look(site.Desktop)
			if i%3 > 0 {
				return // one script and one component serve all pages
			}
			b.Goes(h.At(p.Route) + p.Query()) // no browser has been here yet
			b.Settled(p)
			b.FiltersAndSortsByKeys(p)
		})
	}
}

// coinless lists the amounts that stay beside the edge of a narrow screen, of tables with a column
// of coins, whose coin is not told with them.
const coinless = `[...document.querySelectorAll(".grid-table:has(thead th)")].filter(table => [...table.querySelectorAll("thead th")].some(th => th.textContent.trim() === "Coin"))
	.flatMap(table => [...table.querySelectorAll(":is(tbody, tfoot) td.keep")].filter(td => /[0-9]/.test(td.textContent)))
	.filter(td => !td.querySelector("bdi") && !/[A-Z]/.test(getComputedStyle(td, "::after").content)).map(td => td.textContent.trim())`
