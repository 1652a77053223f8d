package web_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/affiliate"
	"rebatedesk/store/people"
	"rebatedesk/web"
	"rebatedesk/web/handler"
)

// openInvitees is the front door with a desk, where somebody has written.
func openInvitees(t *testing.T) (f *frontDoor, address, uid string) {
	t.Helper()
	f = openFrontDoor(t, time.UTC)
	line := f.invitees(url.Values{"range": {"14d"}}).Lines[0]
	for _, tag := range []string{"VIP", "calls <b>back</b>"} {
		if err := f.service.AddTag(context.Background(), line.Account, line.UID, tag); err != nil {
			t.Fatal(err)
		}
	}
	note := people.Note{Account: line.Account, UID: line.UID, Text: "Asked for a higher rate."}
	if err := f.service.AddNote(context.Background(), note); err != nil {
		t.Fatal(err)
	}
	address, _ = serve(t, web.Options{Reports: handler.Ask(f.service), Desk: f.service})
	return f, address, string(line.UID)
}

func TestBrowserInvitees(t *testing.T) {
	f, address, uid := openInvitees(t)
	for _, p := range []struct{ name, path string }{
		{"invitees", "/invitees?compare=previous&range=14d"},
		{"invitee", "/invitees/" + uid + "?compare=previous&range=14d"},
	} {
		for _, s := range bothWays {
			t.Run(p.name+" "+s.name, func(t *testing.T) {
				b := open(t, address+p.path, s)
				if p.name == "invitee" {
					b.until(drawn)
					b.do(chromedp.Click(chromedp.CSS("#changes summary")))
				}
				if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
					t.Errorf("the page scrolls sideways by %d pixels", over)
				}
				b.shoot(p.name + "-" + s.name)
				b.accessible()
			})
		}
	}
	t.Run("several accounts", func(t *testing.T) {
		f.readElsewhere("second", f.invitees(url.Values{"range": {"14d"}}).Lines[0].UID)
		b := open(t, address+"/invitees/"+uid, desktop)
		b.shoot("invitee-accounts")
		b.accessible()
	})
	t.Run("unknown", func(t *testing.T) {
		b := openMissing(t, address, "/invitees/999")
		b.shoot("invitee-unknown")
		b.accessible()
	})
}

// The filters, the states, the order and the columns are reached and used by
// keys alone, and the way back restores what stood there.
func TestBrowserInviteesByKeys(t *testing.T) {
	_, address, uid := openInvitees(t)
	b := open(t, address+"/invitees?range=14d", desktop)
	eval[bool](b, `window.same = true`)
	b.do(chromedp.KeyEvent("/"))
	b.until(`document.activeElement.id === "search"`)
	eval[bool](b, `document.activeElement.value = "", true`) // the protocol types the key as well
	b.do(chromedp.KeyEvent(uid + kb.Enter))
	b.until(`location.search.includes("q=` + uid + `") && document.querySelectorAll("#rows tbody tr").length === 1`)
	eval[bool](b, `history.back(), true`)
	b.until(`!location.search.includes("q=") && document.querySelectorAll("#rows tbody tr").length > 1`)
	for _, step := range []struct{ focus, until string }{
		{`document.querySelector("nav[aria-label=States] li:nth-child(2) a")`, `location.search.includes("state=new")`},
		{`document.querySelector("nav[aria-label=States] li:nth-child(1) a")`, `!location.search.includes("state=")`},
		{`document.querySelector("#rows thead th a")`, `location.search.includes("sort=uid") && document.querySelector("#rows thead th[aria-sort=ascending]") !== null`},
		{`document.querySelector("#rows-columns")`, `document.querySelector("#rows-columns").parentElement.open`},
		{`document.querySelector("#rows input[value=gap]")`, ``},
		{`document.querySelector("#rows-columns ~ form button")`, `location.search.includes("cols=") && document.querySelector("#rows thead").textContent.includes("Usual gap")`},
	} {
		eval[bool](b, `(`+step.focus+`.focus(), true)`)
		if step.until == "" {
			b.do(chromedp.KeyEvent(" "))
			continue
		}
		b.do(chromedp.KeyEvent(kb.Enter))
		b.until(step.until)
	}
	if !eval[bool](b, `window.same === true`) {
		t.Error("the page was loaded anew on the way")
	}
}

func TestBrowserInviteesWithoutScript(t *testing.T) {
	_, address, uid := openInvitees(t)
	b := open(t, address+"/invitees?range=14d", plain)
	b.do(
		chromedp.SetValue(chromedp.ID("filter-product"), "SPOT"),
		chromedp.Click(chromedp.CSS("form[aria-label=Filters] button")),
		chromedp.WaitVisible(chromedp.CSS(".chip")),
		chromedp.Click(chromedp.CSS("nav[aria-label=States] li:nth-child(2) a")),
		chromedp.WaitVisible(chromedp.CSS("nav[aria-label=States] a[aria-current]")),
	)
	if at := valueOf(b, chromedp.Location()); !strings.Contains(at, "product=SPOT") || !strings.Contains(at, "state=new") {
		t.Errorf("the clicks led to %s", at)
	}
	b = open(t, address+"/invitees/"+uid+"?range=14d", plain)
	b.do(chromedp.WaitVisible(chromedp.CSS("#daily-chart-table table")), chromedp.WaitVisible(chromedp.CSS("#timeline ol")))
}

// What the exchange and people write runs nowhere.
func TestBrowserInviteesHostileStrings(t *testing.T) {
	p := newProgramme()
	hostile := []string{`</script><script>window.pwned=1</script>`, `"><img src=x onerror=window.pwned=1>`, "\u202egnp.exe", "\U0001f9ff{{7*7}}", `__f__window.pwned=1__f__`}
	for i := range p.records {
		text := hostile[i%len(hostile)]
		r := &p.records[i]
		r.Symbol, r.InviteCode, r.Coin, r.Product = text, text, affiliate.Coin(text), affiliate.Product(text)
	}
	address, _ := serve(t, web.Options{Reports: p})
	for _, path := range []string{"/invitees?per=200", "/invitees/" + string(p.records[0].UID), "/invitees?q=%3C%2Fscript%3E%3Cscript%3Ewindow.pwned%3D1%3C%2Fscript%3E"} {
		b := open(t, address+path, desktop)
		b.do(chromedp.Sleep(200 * time.Millisecond))
		if eval[bool](b, `"pwned" in window || document.querySelector("main img, main script:not([type])") !== null`) {
			t.Errorf("%s: a text of the exchange became part of the page", path)
		}
	}
}
