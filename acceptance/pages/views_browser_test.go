package pages_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/acceptance/site"
	"rebatedesk/store/identity"
)

const (
	openMenu = `document.querySelector("#views-menu").parentElement.open`
	shown    = `document.querySelector("#views-menu bdi")?.textContent`
)

// pick moves to a menu entry with the Tab key, by its text, and opens it.
func pick(b *site.Tab, text string) {
	b.T.Helper()
	for range 30 {
		b.Do(chromedp.KeyEvent(kb.Tab))
		if site.Eval[bool](b, `document.activeElement.innerText.startsWith("`+text+`")`) {
			b.Do(chromedp.KeyEvent(kb.Enter))
			return
		}
	}
	b.T.Fatalf("the Tab key does not reach %q", text)
}

// The keyboard alone saves and opens a view, and afterwards its page opens with it.
func TestBrowserSavesView(t *testing.T) {
	t.Parallel()
	address, _ := site.ServeEditable(t)
	b := site.Open(t, address+"/commissions?product=SPOT&range=14d", site.Desktop)
	b.Until(site.Drawn)
	site.Eval[bool](b, `document.querySelector("#views-menu").focus(), true`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(openMenu)
	b.Do(chromedp.KeyEvent(kb.Tab))
	b.Until(`document.activeElement.id === "view-name"`)
	b.Do(chromedp.KeyEvent("Spot ½"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(" "))
	b.Until(`document.activeElement.checked`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(shown + ` === "Spot ½" && location.search === "?product=SPOT&range=14d"`)

	// Another page's menu also offers the view.
	b.Goes(address + "/")
	b.Until(site.Drawn)
	site.Eval[bool](b, `document.querySelector("#views-menu").focus(), true`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(openMenu)
	pick(b, "Spot ½")
	b.Until(`location.pathname === "/commissions" && ` + shown + ` === "Spot ½"`)
	if site.Eval[int](b, `document.querySelectorAll("#rows tbody:not(.totals) tr").length`) == 0 {
		t.Error("the view shows no records")
	}

	// The reader removes the filter, and the default view does not bring it back.
	site.Eval[bool](b, `document.querySelector("[aria-label='Remove the filter Product']").click(), true`)
	b.Until(`location.search === "?range=14d" && document.querySelector(".chip") === null`)
	b.Goes(address + "/commissions")
	b.Until(`location.search === "?product=SPOT&range=14d" && ` + shown + ` === "Spot ½"`)
	b.Until(site.Drawn)
	choose := `(() => { const f = document.getElementById("filter-product"); f.value = ""; f.dispatchEvent(new Event("change", {bubbles: true})); return true })()`
	site.Eval[bool](b, choose)
	b.Until(`location.search === "?range=14d" && document.querySelector(".chip") === null`)
}

// The bare address leads to the default view, from the navigation and from a page that is
// older than the view. The address bar shows the address of the view.
func TestBrowserOpensDefaultView(t *testing.T) {
	t.Parallel()
	address, service := site.ServeEditable(t)
	b := site.Open(t, address+"/commissions?product=SPOT", site.Desktop)
	b.Until(site.Drawn)
	site.Done(t, service.SaveView(context.Background(), identity.View{Name: "Month", Path: "/commissions", Query: "range=mtd&sort=-commission", Default: true}))
	const led = `location.pathname + location.search === "/commissions?range=mtd&sort=-commission" && ` + shown + ` === "Month"`
	site.Eval[bool](b, `document.querySelector("[aria-label='Remove the filter Product']").click(), true`)
	b.Until(led)
	b.Goes(address + "/")
	b.Do(chromedp.Click(chromedp.CSS("#nav a[href='/commissions']")), chromedp.WaitVisible(chromedp.CSS("#views-menu bdi")))
	b.Until(led)
	b.Until(site.Drawn)
}

func TestBrowserViewsMenu(t *testing.T) {
	site.AllBrowsers(t, "TestBrowserEveryPage opens the menu and visits the list, with fewer views")
	t.Parallel()
	address, service := site.ServeEditable(t)
	for _, v := range []identity.View{
		{Name: "Futures, best first", Path: "/commissions", Query: "product=FUTURES&range=30d&sort=-commission", Default: true},
		{Name: strings.Repeat("A very long name ", 4), Path: "/commissions", Query: "range=mtd"},
		{Name: "drawkcab <b>", Path: "/", Query: "range=90d"},
		{Name: "Last month against the year before", Path: "/", Query: "compare=year&range=last-month"},
	} {
		site.Done(t, service.SaveView(context.Background(), v))
	}
	for _, s := range site.BothWays {
		for name, path := range map[string]string{"menu": "/commissions?product=FUTURES&sort=-commission", "list": "/views"} {
			t.Run(name+" "+s.Name, func(t *testing.T) {
				b := site.Open(t, address+path, s)
				if name == "menu" {
					if s.Name != "phone" { // there the chart is a press away
						b.Until(site.Drawn)
					}
					b.Do(chromedp.Click(chromedp.ID("views-menu")))
					b.Until(openMenu)
				} else {
					b.Do(chromedp.Click(chromedp.CSS("main details:last-of-type > summary")))
					b.Shoot("views-delete-" + s.Name)
					b.InSight()
					b.Do(chromedp.KeyEvent(kb.Escape)) // on a phone the sheet covers the page
					b.Do(chromedp.Click(chromedp.CSS("main details:first-of-type > summary")))
				}
				b.InSight()
				if over := site.Eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
					t.Errorf("the page scrolls sideways by %d pixels", over)
				}
				b.Shoot("views-" + name + "-" + s.Name)
				b.Accessible()
			})
		}
	}
}

// All functions of views work without scripts.
func TestBrowserViewsWithoutScript(t *testing.T) {
	t.Parallel()
	address, _ := site.ServeEditable(t)
	b := site.Open(t, address+"/commissions?product=SPOT", site.Plain)
	b.Clicks("details:not([open]) > #views-menu", "#view-name")
	b.Do(
		chromedp.SetValue(chromedp.ID("view-name"), "Plain"),
		chromedp.Click(chromedp.CSS("form[action='/views'] button")),
		chromedp.WaitVisible(chromedp.CSS("#views-menu bdi")),
		chromedp.Navigate(address+"/views"),
	)
	b.Clicks("main details:last-of-type:not([open]) > summary", "main details[open] button")
	b.Clicks("main details[open] button", "main:not(:has(details))")
	if got := site.ValueOf(b, chromedp.Location()); got != address+"/views" {
		t.Errorf("deleting the view led to %s", got)
	}
}
