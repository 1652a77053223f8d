package acceptance_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/store/identity"
)

const (
	openMenu = `document.querySelector("#views-menu").parentElement.open`
	shown    = `document.querySelector("#views-menu bdi")?.textContent`
)

// pick moves to a menu entry with the Tab key, by its text, and opens it.
func pick(b *tab, text string) {
	b.t.Helper()
	for range 30 {
		b.do(chromedp.KeyEvent(kb.Tab))
		if eval[bool](b, `document.activeElement.innerText.startsWith("`+text+`")`) {
			b.do(chromedp.KeyEvent(kb.Enter))
			return
		}
	}
	b.t.Fatalf("the Tab key does not reach %q", text)
}

// The keyboard alone saves and opens a view, and afterwards its page opens with it.
func TestBrowserSavesView(t *testing.T) {
	t.Parallel()
	address, _ := serveEditable(t)
	b := open(t, address+"/commissions?product=SPOT&range=14d", desktop)
	b.until(drawn)
	eval[bool](b, `document.querySelector("#views-menu").focus(), true`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(openMenu)
	b.do(chromedp.KeyEvent(kb.Tab))
	b.until(`document.activeElement.id === "view-name"`)
	b.do(chromedp.KeyEvent("Spot ½"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(" "))
	b.until(`document.activeElement.checked`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(shown + ` === "Spot ½" && location.search === "?product=SPOT&range=14d"`)

	// Another page's menu also offers the view.
	b.goes(address + "/")
	b.until(drawn)
	eval[bool](b, `document.querySelector("#views-menu").focus(), true`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(openMenu)
	pick(b, "Spot ½")
	b.until(`location.pathname === "/commissions" && ` + shown + ` === "Spot ½"`)
	if eval[int](b, `document.querySelectorAll("#rows tbody:not(.totals) tr").length`) == 0 {
		t.Error("the view shows no records")
	}

	// The reader removes the filter, and the default view does not bring it back.
	eval[bool](b, `document.querySelector("[aria-label='Remove the filter Product']").click(), true`)
	b.until(`location.search === "?range=14d" && document.querySelector(".chip") === null`)
	b.goes(address + "/commissions")
	b.until(`location.search === "?product=SPOT&range=14d" && ` + shown + ` === "Spot ½"`)
	b.until(drawn)
	choose := `(() => { const f = document.getElementById("filter-product"); f.value = ""; f.dispatchEvent(new Event("change", {bubbles: true})); return true })()`
	eval[bool](b, choose)
	b.until(`location.search === "?range=14d" && document.querySelector(".chip") === null`)
}

// The bare address leads to the default view, from the navigation and from a page that is
// older than the view. The address bar shows the address of the view.
func TestBrowserOpensDefaultView(t *testing.T) {
	t.Parallel()
	address, service := serveEditable(t)
	b := open(t, address+"/commissions?product=SPOT", desktop)
	b.until(drawn)
	done(t, service.SaveView(context.Background(), identity.View{Name: "Month", Path: "/commissions", Query: "range=mtd&sort=-commission", Default: true}))
	const led = `location.pathname + location.search === "/commissions?range=mtd&sort=-commission" && ` + shown + ` === "Month"`
	eval[bool](b, `document.querySelector("[aria-label='Remove the filter Product']").click(), true`)
	b.until(led)
	b.goes(address + "/")
	b.do(chromedp.Click(chromedp.CSS("#nav a[href='/commissions']")), chromedp.WaitVisible(chromedp.CSS("#views-menu bdi")))
	b.until(led)
	b.until(drawn)
}

// inSight fails the test if an open menu extends beyond the sides of the screen.
func (b *tab) inSight() {
	b.t.Helper()
	const menu = `[...document.querySelectorAll("main details[open] > .popover")].map(p => p.getBoundingClientRect())`
	if n := eval[int](b, menu+`.length`); n != 1 {
		b.t.Errorf("%d menus are open", n)
	}
	if out := eval[int](b, menu+`.filter(r => r.left < 0 || r.right > innerWidth).length`); out > 0 {
		b.t.Error("the menu goes beyond the screen")
	}
}

func TestBrowserViewsMenu(t *testing.T) {
	t.Parallel()
	address, service := serveEditable(t)
	for _, v := range []identity.View{
		{Name: "Futures, best first", Path: "/commissions", Query: "product=FUTURES&range=30d&sort=-commission", Default: true},
		{Name: strings.Repeat("A very long name ", 4), Path: "/commissions", Query: "range=mtd"},
		{Name: "drawkcab <b>", Path: "/", Query: "range=90d"},
		{Name: "Last month against the year before", Path: "/", Query: "compare=year&range=last-month"},
	} {
		done(t, service.SaveView(context.Background(), v))
	}
	for _, s := range bothWays {
		for name, path := range map[string]string{"menu": "/commissions?product=FUTURES&sort=-commission", "list": "/views"} {
			t.Run(name+" "+s.name, func(t *testing.T) {
				b := open(t, address+path, s)
				if name == "menu" {
					b.until(drawn)
					b.do(chromedp.Click(chromedp.ID("views-menu")))
					b.until(openMenu)
				} else {
					b.do(chromedp.Click(chromedp.CSS("main details:last-of-type > summary")))
					b.shoot("views-delete-" + s.name)
					b.inSight()
					b.do(chromedp.KeyEvent(kb.Escape)) // on a phone the sheet covers the page
					b.do(chromedp.Click(chromedp.CSS("main details:first-of-type > summary")))
				}
				b.inSight()
				if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
					t.Errorf("the page scrolls sideways by %d pixels", over)
				}
				b.shoot("views-" + name + "-" + s.name)
				b.accessible()
			})
		}
	}
}

// All functions of views work without scripts.
func TestBrowserViewsWithoutScript(t *testing.T) {
	t.Parallel()
	address, _ := serveEditable(t)
	b := open(t, address+"/commissions?product=SPOT", plain)
	b.clicks("details:not([open]) > #views-menu", "#view-name")
	b.do(
		chromedp.SetValue(chromedp.ID("view-name"), "Plain"),
		chromedp.Click(chromedp.CSS("form[action='/views'] button")),
		chromedp.WaitVisible(chromedp.CSS("#views-menu bdi")),
		chromedp.Navigate(address+"/views"),
	)
	b.clicks("main details:last-of-type:not([open]) > summary", "main details[open] button")
	b.clicks("main details[open] button", "main:not(:has(details))")
	if got := valueOf(b, chromedp.Location()); got != address+"/views" {
		t.Errorf("deleting the view led to %s", got)
	}
}
