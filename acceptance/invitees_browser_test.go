package acceptance_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// This test opens the page of an invitee with its foldable parts, of an invitee of
// several accounts, and of an unknown UID. TestBrowserEveryPage covers the page with one
// account.
func TestBrowserInvitees(t *testing.T) {
	t.Parallel()
	h := openSharedSite(t)
	t.Run("unfolded", func(t *testing.T) {
		b := open(t, h.at("/invitees/:uid")+"?compare=previous&range=14d", phone)
		b.until(drawn)
		b.do(chromedp.Click(chromedp.CSS("#changes summary")))
		b.looksRight("invitee-unfolded")
		b.look(darkness)
		b.looksRight("invitee-unfolded-dark")
	})
	t.Run("several accounts", func(t *testing.T) {
		f := openPipeline(t, time.UTC)
		uid := f.invitees(url.Values{"range": {"14d"}}).Lines[0].UID
		f.readElsewhere("second", uid)
		b := open(t, f.address+"/invitees/"+string(uid), desktop)
		b.shoot("invitee-accounts")
		b.accessible()
	})
	t.Run("unknown", func(t *testing.T) {
		b := openMissing(t, h.address, "/invitees/999")
		b.shoot("invitee-unknown")
		b.accessible()
	})
}

// The keyboard alone reaches and uses the filters, the states, the order and the columns,
// and going back restores the previous state.
func TestBrowserInviteesByKeys(t *testing.T) {
	t.Parallel()
	h := openSharedSite(t)
	address, uid := h.address, h.invitee
	b := open(t, address+"/invitees?range=14d", desktop)
	eval[bool](b, `window.same = true`)
	eval[bool](b, `document.getElementById("search").focus(), true`)
	b.do(chromedp.KeyEvent(uid + kb.Enter))
	b.until(`location.search.includes("q=` + uid + `") && document.querySelectorAll("#rows tbody:not(.totals) tr").length === 1`)
	eval[bool](b, `history.back(), true`)
	b.until(`!location.search.includes("q=") && document.querySelectorAll("#rows tbody:not(.totals) tr").length > 1`)
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
	t.Parallel()
	h := openSharedSite(t)
	address, uid := h.address, h.invitee
	b := open(t, address+"/invitees?range=14d", plain)
	b.do(chromedp.SetValue(chromedp.ID("filter-product"), "SPOT"))
	b.clicks("main:not(:has(.chip)) form[aria-label=Filters] button", ".chip")
	b.clicks("nav[aria-label=States] li:nth-child(2) a:not([aria-current])", "nav[aria-label=States] li:nth-child(2) a[aria-current]")
	if at := valueOf(b, chromedp.Location()); !strings.Contains(at, "product=SPOT") || !strings.Contains(at, "state=new") {
		t.Errorf("the clicks led to %s", at)
	}
	b = open(t, address+"/invitees/"+uid+"?range=14d", plain)
	b.do(chromedp.WaitVisible(chromedp.CSS("#daily-chart-table table")), chromedp.WaitVisible(chromedp.CSS("#timeline ol")))
}
