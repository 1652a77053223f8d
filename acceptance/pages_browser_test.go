package acceptance_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/reports/coverage"
	"rebatedesk/web"
)

func TestBrowserPages(t *testing.T) {
	t.Parallel()
	address := lookedAt(t)
	pages := []struct{ name, path string }{
		{"overview", "/?compare=previous"},
		{"commissions", "/commissions?compare=previous&product=FUTURES"},
	}
	for _, p := range pages {
		for _, s := range bothWays {
			t.Run(p.name+" "+s.name, func(t *testing.T) {
				b := open(t, address+p.path, s)
				b.until(drawn)
				if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
					t.Errorf("the page scrolls sideways by %d pixels", over)
				}
				b.shoot(p.name + "-" + s.name)
				b.accessible()
			})
		}
	}
}

func TestBrowserWithoutScript(t *testing.T) {
	t.Parallel()
	b := open(t, lookedAt(t)+"/commissions", plain)
	// The test uses the browser's own selectors because scripts cannot run here.
	b.do(chromedp.SetValue(chromedp.ID("filter-product"), "SPOT"))
	b.clicks("main:not(:has(.chip)) form[aria-label=Filters] button", ".chip")
	b.shoot("commissions-no-script")
	b.do(chromedp.WaitVisible(chromedp.CSS(".still .bar-1")))
	b.clicks("#band-fold:not([open]) summary", "#daily-chart-table summary")
	b.clicks("#daily-chart-table:not([open]) summary", "#daily-chart-table table")
	if address := valueOf(b, chromedp.Location()); !strings.Contains(address, "product=SPOT") {
		t.Errorf("the filter leads to %s, want product=SPOT in it", address)
	}
}

// A filter changes the page without loading it again, and going back restores the
// previous state.
func TestBrowserFilterAndBack(t *testing.T) {
	t.Parallel()
	b := open(t, lookedAt(t)+"/commissions", desktop)
	b.until(drawn)
	eval[bool](b, `window.same = true`)
	before := eval[string](b, `document.querySelector("#rows [role=status]").textContent`)
	choose := `(() => { const f = document.getElementById("filter-product"); f.value = "SPOT"; f.dispatchEvent(new Event("change", {bubbles: true})); return true })()`
	eval[bool](b, choose)
	b.until(`location.search === "?product=SPOT" && document.querySelector(".chip") !== null`)
	b.until(`document.querySelector("#nav [aria-current]").textContent.includes("Commissions")`)
	b.until(drawn)
	after := eval[string](b, `document.querySelector("#rows [role=status]").textContent`)
	if after == before {
		t.Errorf("the filter changed nothing: %s", after)
	}
	b.do(chromedp.KeyEvent(kb.ArrowLeft))
	b.until(`location.search.includes("from=2026-09-22") && document.querySelector("h1 + p").textContent.includes("22 Sep 2026")`)
	eval[bool](b, `history.go(-2), true`)
	b.until(`location.search === "" && document.querySelector(".chip") === null`)
	b.until(drawn)
	if now := eval[string](b, `document.querySelector("#rows [role=status]").textContent`); now != before {
		t.Errorf("after going back the page shows %q, want %q", now, before)
	}
	if !eval[bool](b, `window.same === true`) {
		t.Error("the page was loaded anew on the way")
	}
}

func TestBrowserKeys(t *testing.T) {
	t.Parallel()
	b := open(t, lookedAt(t)+"/commissions", desktop)
	b.until(drawn)
	eval[bool](b, `document.getElementById("search").focus(), true`)
	b.do(chromedp.KeyEvent("vip?"), chromedp.KeyEvent(kb.ArrowLeft))
	if got := eval[string](b, `document.getElementById("search").value + location.search`); got != "vip?" {
		t.Errorf("keys in the search field had another effect: %q", got)
	}
	eval[bool](b, `window.same = true`)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until(`document.activeElement === document.body`)
	b.do(chromedp.Sleep(300 * time.Millisecond)) // enough time for a request
	if got := eval[string](b, `document.getElementById("search").value + location.search + window.same`); got != "vip?true" {
		t.Errorf("after leaving the field with Esc the page shows %q", got)
	}
	b.do(chromedp.KeyEvent("?"))
	b.until(`document.getElementById("help").open`)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until(`!document.getElementById("help").open`)
	b.do(chromedp.Click(chromedp.ID("range-menu")), chromedp.KeyEvent(kb.Escape))
	b.until(`document.querySelector("details[data-menu][open]") === null`)
}

func TestBrowserRemembersTheme(t *testing.T) {
	t.Parallel()
	address := lookedAt(t)
	b := open(t, address+"/", desktop)
	b.do(chromedp.Click(chromedp.CSS("header [data-theme-switch]:not(.lg\\:hidden *)")))
	b.until(`document.documentElement.dataset.theme === "dark"`)
	b.goes(address + "/commissions")
	b.until(`document.documentElement.dataset.theme === "dark" && getComputedStyle(document.body).backgroundColor === "rgb(13, 16, 23)"`)
	eval[bool](b, `document.cookie = "theme=; Path=/; Max-Age=0", true`)
}

// A reader who prefers less motion sees the other colours at once: nothing fades.
func TestBrowserColoursChangeAtOnce(t *testing.T) {
	t.Parallel()
	b := open(t, lookedAt(t)+"/commissions", desktop)
	b.until(drawn)
	for _, s := range []screen{darkness, desktop} {
		b.look(s)
		b.until(fmt.Sprintf(`matchMedia("(prefers-color-scheme: dark)").matches === %t`, s.dark))
		if moving := eval[int](b, `document.getAnimations().length`); moving > 0 {
			t.Errorf("%s: %d properties of elements fade", s.name, moving)
		}
	}
}

// During a collection the figures follow it, and unfolded parts stay unfolded.
func TestBrowserFollowsCollection(t *testing.T) {
	t.Parallel()
	state := make(chan collector.Progress, 1)
	state <- running()
	address, _ := serve(t, web.Options{Reports: sharedReports(t), Progress: func() collector.Progress {
		s := <-state
		state <- s
		return s
	}})
	b := open(t, address+"/", desktop)
	b.until(drawn)
	b.do(chromedp.Click(chromedp.CSS("#daily-chart-table summary")))
	eval[bool](b, `document.querySelector("#figures").dataset.old = "1", document.querySelector("#daily-chart").dataset.kept = "1", true`)
	<-state
	state <- collector.Progress{Finished: now}
	b.until(`document.querySelector("#progress progress") === null`)
	b.until(`!document.querySelector("#figures").dataset.old`)
	b.until(`document.querySelector("#daily-chart-table").open && document.querySelector("#daily-chart").dataset.kept === "1"`)
	b.until(`document.querySelector("#daily-chart-table table")?.offsetHeight > 0`)
	b.until(drawn)
}

// A collection that begins and ends says so in a place of its own: nothing that is being read moves.
// What failed is said above the page.
func TestBrowserCollectionMovesNothing(t *testing.T) {
	t.Parallel()
	state := make(chan collector.Progress, 1)
	state <- collector.Progress{Finished: now}
	become := func(s collector.Progress) {
		<-state
		state <- s
	}
	address, _ := serve(t, web.Options{Reports: sharedReports(t), Progress: func() collector.Progress {
		s := <-state
		state <- s
		return s
	}})
	for _, s := range []screen{{name: "narrow", width: 320, height: 700}, phone, laptop, darkness} {
		become(collector.Progress{Finished: now})
		b := open(t, address+"/invitees", s)
		const place = `JSON.stringify([...document.querySelectorAll("main, h1, #rows, #figures")].map(e => { const { left, top, width } = e.getBoundingClientRect(); return [left, top, width]; }))`
		const asks = `htmx.ajax("GET", document.querySelector("#progress").getAttribute("hx-get"), {target: "#progress", swap: "outerHTML"}), true`
		b.until(`"htmx" in window`)
		before := eval[string](b, place)
		become(running())
		eval[bool](b, asks)
		b.until(`document.querySelector("#progress a")?.checkVisibility() === true`)
		b.shoot("collecting-" + s.name)
		if during := eval[string](b, place); during != before {
			t.Errorf("%s: a collection began, and what stood at\n%s stands at\n%s", s.name, before, during)
		}
		if covered := eval[string](b, `(() => {
			const told = document.querySelector("#progress a"), box = told.getBoundingClientRect();
			const others = [...document.querySelectorAll("header :is(a, button, summary, nav)")].filter(e => e !== told && e.checkVisibility() && !e.contains(told));
			return others.filter(e => {
				const r = e.getBoundingClientRect();
				return r.left < box.right - 1 && box.left < r.right - 1 && r.top < box.bottom - 1 && box.top < r.bottom - 1 && r.bottom <= document.querySelector("header nav").getBoundingClientRect().bottom;
			}).map(e => e.outerHTML.slice(0, 120)).join("\n") || (box.right > innerWidth ? "beyond the screen" : "");
		})()`); covered != "" {
			t.Errorf("%s: the progress covers\n%s", s.name, covered)
		}
		b.accessible()
		become(collector.Progress{Finished: now, Now: now, Next: now.Add(15 * time.Minute), Failures: []collector.Failure{
			{Account: "main", Class: exchange.ClassTransport, Error: "no answer: dial tcp", Hint: "check the network", Since: now.Add(-time.Hour), ReadTo: now.Add(-2 * time.Hour)}}})
		eval[bool](b, asks)
		b.until(`document.querySelector("#progress a") === null && document.querySelector("#collection-failed").innerText.includes("The exchange has not answered since ` + now.Add(-time.Hour).Format("15:04") + `")`)
		if told := eval[string](b, `document.querySelector("#collection-failed").innerText`); strings.Contains(told, "dial tcp") || !strings.Contains(told, "Figures go up to "+now.Add(-2*time.Hour).Format("15:04")) || !strings.Contains(told, "Next try") {
			t.Errorf("the failure is told as %q", told)
		}
	}
}

func TestBrowserEmptyStates(t *testing.T) {
	t.Parallel()
	shown := nothingShown(t)
	for _, kind := range []coverage.EmptyKind{
		coverage.EmptyNotCollected, coverage.EmptyTruly, coverage.EmptyFiltered, coverage.EmptyFailed, coverage.EmptyFuture, coverage.EmptyBefore, coverage.EmptyThen,
	} {
		b := open(t, shown[kind].address+"/commissions"+shown[kind].query, desktop)
		if !eval[bool](b, `document.querySelector("#rows table, #daily-chart") === null`) {
			t.Errorf("%s: the page shows figures", kind)
		}
		b.shoot("empty-" + string(kind))
		b.accessible()
	}
}

// The days of a menu are fields with a calendar once the menu is open, also by the keyboard. Without
// scripts they are typed.
func TestBrowserDaysOfAMenu(t *testing.T) {
	t.Parallel()
	address := lookedAt(t)
	const menu, show = `details:has(> * input[name=from])`, `details[open] form:has(input[name=from]) button`
	for _, s := range []screen{laptop, plain} {
		b := open(t, address+"/commissions", s)
		if s != plain {
			b.until(`document.querySelector("input[name=from]").type === "text"`)
			b.do(chromedp.Focus(chromedp.CSS(menu+" > summary")), chromedp.KeyEvent("\r"))
			b.until(`[...document.querySelectorAll("` + menu + `[open] input:is([name=from], [name=to])")].filter(({ type }) => type === "date").length === 2`)
		} else {
			b.clicks(menu+":not([open]) > summary", menu+"[open] input[name=from]")
		}
		b.do(chromedp.SetValue(chromedp.CSS("input[name=from]"), "2026-11-02"), chromedp.SetValue(chromedp.CSS("input[name=to]"), "2026-11-05"))
		b.clicks(show, `main a[href*="from=2026-11-02"][href*="to=2026-11-05"]`)
	}
}
