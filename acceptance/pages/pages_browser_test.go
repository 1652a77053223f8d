package pages_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/acceptance/site"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/internal/golden"
	"rebatedesk/reports/coverage"
	"rebatedesk/web"
)

func TestBrowserWithoutScript(t *testing.T) {
	t.Parallel()
	b := site.Open(t, site.LookedAt(t)+"/commissions", site.Plain)
	// The test uses the browser's own selectors because scripts cannot run here.
	b.ChoosesFilter("product", "SPOT")
	b.Shoot("commissions-no-script")
	b.Do(chromedp.WaitVisible(chromedp.CSS(".still .bar-1")))
	b.Clicks("#band-fold:not([open]) summary", "#daily-chart-table summary")
	b.Clicks("#daily-chart-table:not([open]) summary", "#daily-chart-table table")
	if address := site.ValueOf(b, chromedp.Location()); !strings.Contains(address, "product=SPOT") {
		t.Errorf("the filter leads to %s, want product=SPOT in it", address)
	}
}

// A filter changes the page without loading it again, and going back restores the
// previous state.
func TestBrowserFilterAndBack(t *testing.T) {
	t.Parallel()
	b := site.Open(t, site.LookedAt(t)+"/commissions", site.Desktop)
	b.Until(site.Drawn)
	site.Eval[bool](b, `window.same = true`)
	before := site.Eval[string](b, `document.querySelector("#rows [role=status]").textContent`)
	choose := `(() => { const f = document.getElementById("filter-product"); f.value = "SPOT"; f.dispatchEvent(new Event("change", {bubbles: true})); return true })()`
	site.Eval[bool](b, choose)
	b.Until(`location.search === "?product=SPOT" && document.querySelector(".chip") !== null`)
	b.Until(`document.querySelector("#nav [aria-current]").textContent.includes("Earnings")`)
	b.Until(site.Drawn)
	after := site.Eval[string](b, `document.querySelector("#rows [role=status]").textContent`)
	if after == before {
		t.Errorf("the filter changed nothing: %s", after)
	}
	b.Do(chromedp.KeyEvent(kb.ArrowLeft))
	b.Until(`location.search.includes("from=2026-09-22") && document.querySelector("#page [data-announce]").textContent.includes("22 Sep 2026")`)
	site.Eval[bool](b, `history.go(-2), true`)
	b.Until(`location.search === "" && document.querySelector(".chip") === null`)
	b.Until(site.Drawn)
	if now := site.Eval[string](b, `document.querySelector("#rows [role=status]").textContent`); now != before {
		t.Errorf("after going back the page shows %q, want %q", now, before)
	}
	if !site.Eval[bool](b, `window.same === true`) {
		t.Error("the page was loaded anew on the way")
	}
}

func TestBrowserKeys(t *testing.T) {
	t.Parallel()
	b := site.Open(t, site.LookedAt(t)+"/commissions", site.Desktop)
	b.Leaves = true
	b.Until(site.Drawn)
	site.Eval[bool](b, `document.getElementById("search").focus(), true`)
	b.Do(chromedp.KeyEvent("vip?"), chromedp.KeyEvent(kb.ArrowLeft))
	b.Until(`document.getElementById("search").value === "vip?" && location.search === "?q=vip%3F" && document.querySelector(".htmx-request") === null`)
	site.Eval[bool](b, `window.same = true`)
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(`document.activeElement === document.body`)
	b.Do(chromedp.Sleep(300 * time.Millisecond)) // enough time for a request
	if got := site.Eval[string](b, `document.getElementById("search").value + location.search + window.same`); got != "vip??q=vip%3Ftrue" {
		t.Errorf("after leaving the field with Esc the page shows %q", got)
	}
	b.Do(chromedp.KeyEvent("?"))
	b.Until(`document.getElementById("help").open`)
	golden.Equal(t, "aloud/dialog.txt", []byte(b.Aloud("#help", 12)))
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(`!document.getElementById("help").open`)
	b.Do(chromedp.Click(chromedp.ID("range-menu")))
	golden.Equal(t, "aloud/menu.txt", []byte(b.Aloud("details:has(> #range-menu)", 40)))
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(`document.querySelector("details[data-menu][open]") === null`)
}

func TestBrowserRemembersTheme(t *testing.T) {
	t.Parallel()
	address := site.LookedAt(t)
	b := site.Open(t, address+"/", site.Desktop)
	b.Do(chromedp.Click(chromedp.CSS("header [data-theme-switch]:not(.lg\\:hidden *)")))
	b.Until(`document.documentElement.dataset.theme === "dark"`)
	b.Goes(address + "/commissions")
	b.Until(`document.documentElement.dataset.theme === "dark" && getComputedStyle(document.body).backgroundColor === "rgb(13, 16, 23)"`)
	site.Eval[bool](b, `document.cookie = "theme=; Path=/; Max-Age=0", true`)
}

// A reader who prefers less motion sees the other colours at once: nothing fades.
func TestBrowserColoursChangeAtOnce(t *testing.T) {
	t.Parallel()
	b := site.Open(t, site.LookedAt(t)+"/commissions", site.Desktop)
	b.Until(site.Drawn)
	for _, s := range []site.Screen{site.Darkness, site.Desktop} {
		b.Look(s)
		b.Until(fmt.Sprintf(`matchMedia("(prefers-color-scheme: dark)").matches === %t`, s.Dark))
		if moving := site.Eval[int](b, `document.getAnimations().length`); moving > 0 {
			t.Errorf("%s: %d properties of elements fade", s.Name, moving)
		}
	}
}

// During a collection the figures follow it, and unfolded parts stay unfolded.
func TestBrowserFollowsCollection(t *testing.T) {
	t.Parallel()
	state := make(chan collector.Progress, 1)
	state <- site.Running()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t), Progress: func() collector.Progress {
		s := <-state
		state <- s
		return s
	}})
	b := site.Open(t, address+"/", site.Desktop)
	b.Until(site.Drawn)
	b.Do(chromedp.Click(chromedp.CSS("#daily-chart-table summary")))
	site.Eval[bool](b, `document.querySelector("#figures").dataset.old = "1", document.querySelector("#daily-chart").dataset.kept = "1", true`)
	<-state
	state <- collector.Progress{Finished: site.Now}
	b.Until(`document.querySelector("#progress progress") === null`)
	b.Until(`!document.querySelector("#figures").dataset.old`)
	b.Until(`document.querySelector("#daily-chart-table").open && document.querySelector("#daily-chart").dataset.kept === "1"`)
	b.Until(`document.querySelector("#daily-chart-table table")?.offsetHeight > 0`)
	b.Until(site.Drawn)
}

// A collection that begins and ends says so in a place of its own: nothing that is being read moves.
// What failed is said above the page.
func TestBrowserCollectionMovesNothing(t *testing.T) {
	site.AllBrowsers(t, "TestBrowserFollowsCollection sees a collection end")
	t.Parallel()
	state := make(chan collector.Progress, 1)
	state <- collector.Progress{Finished: site.Now}
	become := func(s collector.Progress) {
		<-state
		state <- s
	}
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t), Progress: func() collector.Progress {
		s := <-state
		state <- s
		return s
	}})
	for _, s := range []site.Screen{site.Narrow, site.Phone, site.Laptop, site.Darkness} {
		become(collector.Progress{Finished: site.Now})
		b := site.Open(t, address+"/invitees", s)
		const place = `JSON.stringify([...document.querySelectorAll("main, h1, #rows, #figures")].map(e => { const { left, top, width } = e.getBoundingClientRect(); return [left, top, width]; }))`
		const asks = `htmx.ajax("GET", document.querySelector("#progress").getAttribute("hx-get"), {target: "#progress", swap: "outerHTML"}), true`
		b.Until(`"htmx" in window`)
		before := site.Eval[string](b, place)
		become(site.Running())
		site.Eval[bool](b, asks)
		b.Until(`document.querySelector("#progress a")?.checkVisibility() === true`)
		b.Shoot("collecting-" + s.Name)
		if during := site.Eval[string](b, place); during != before {
			t.Errorf("%s: a collection began, and what stood at\n%s stands at\n%s", s.Name, before, during)
		}
		if covered := site.Eval[string](b, `(() => {
			const told = document.querySelector("#progress a"), box = told.getBoundingClientRect();
			const others = [...document.querySelectorAll("header :is(a, button, summary, nav)")].filter(e => e !== told && e.checkVisibility() && !e.contains(told));
			return others.filter(e => {
				const r = e.getBoundingClientRect();
				return r.left < box.right - 1 && box.left < r.right - 1 && r.top < box.bottom - 1 && box.top < r.bottom - 1 && r.bottom <= document.querySelector("header nav").getBoundingClientRect().bottom;
			}).map(e => e.outerHTML.slice(0, 120)).join("\n") || (box.right > innerWidth ? "beyond the screen" : "");
		})()`); covered != "" {
			t.Errorf("%s: the progress covers\n%s", s.Name, covered)
		}
		b.Accessible()
		become(collector.Progress{Finished: site.Now, Now: site.Now, Next: site.Now.Add(15 * time.Minute), Failures: []collector.Failure{
			{Account: "main", Class: exchange.ClassTransport, Error: "no answer: dial tcp", Hint: "check the network", Since: site.Now.Add(-time.Hour), ReadTo: site.Now.Add(-2 * time.Hour)}}})
		site.Eval[bool](b, asks)
		b.Until(`document.querySelector("#progress progress") === null && document.querySelector("#collection-failed").innerText.includes("The exchange has not answered since ` + site.Now.Add(-time.Hour).Format("15:04") + `")`)
		if told := site.Eval[string](b, `document.querySelector("#collection-failed").innerText`); strings.Contains(told, "dial tcp") || !strings.Contains(told, "Figures go up to "+site.Now.Add(-2*time.Hour).Format("15:04")) || !strings.Contains(told, "Next try") {
			t.Errorf("the failure is told as %q", told)
		}
	}
}

func TestBrowserEmptyStates(t *testing.T) {
	site.AllBrowsers(t, "tests of each report read its empty pages")
	t.Parallel()
	shown := site.NothingShown(t)
	for _, kind := range []coverage.EmptyKind{
		coverage.EmptyNotCollected, coverage.EmptyTruly, coverage.EmptyFiltered, coverage.EmptyFailed, coverage.EmptyFuture, coverage.EmptyBefore, coverage.EmptyThen,
	} {
		b := site.Open(t, shown[kind].Address+"/commissions"+shown[kind].Query, site.Desktop)
		if !site.Eval[bool](b, `document.querySelector("#rows table, #daily-chart") === null`) {
			t.Errorf("%s: the page shows figures", kind)
		}
		b.Shoot("empty-" + string(kind))
		b.Accessible()
	}
}

// The days of a menu are fields with a calendar once the menu is open, also by the keyboard. Without
// scripts they are typed.
func TestBrowserDaysOfAMenu(t *testing.T) {
	t.Parallel()
	address := site.LookedAt(t)
	const menu, show = `details:has(> * input[name=from])`, `details[open] form:has(input[name=from]) button`
	for _, s := range []site.Screen{site.Laptop, site.Plain} {
		b := site.Open(t, address+"/commissions", s)
		if s != site.Plain {
			b.Until(`document.querySelector("input[name=from]").type === "text"`)
			b.Do(chromedp.Focus(chromedp.CSS(menu+" > summary")), chromedp.KeyEvent("\r"))
			b.Until(`[...document.querySelectorAll("` + menu + `[open] input:is([name=from], [name=to])")].filter(({ type }) => type === "date").length === 2`)
		} else {
			b.Clicks(menu+":not([open]) > summary", menu+"[open] input[name=from]")
		}
		b.Do(chromedp.SetValue(chromedp.CSS("input[name=from]"), "2026-11-02"), chromedp.SetValue(chromedp.CSS("input[name=to]"), "2026-11-05"))
		b.Clicks(show, `main a[href*="from=2026-11-02"][href*="to=2026-11-05"]`)
	}
}
