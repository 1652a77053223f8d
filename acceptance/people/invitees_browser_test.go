package people_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/acceptance/site"
)

// This test opens the page of an invitee with its foldable parts, of an invitee of
// several accounts, and of an unknown UID. TestBrowserEveryPage covers the page with one
// account.
func TestBrowserInvitees(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	t.Run("unfolded", func(t *testing.T) {
		b := site.Open(t, h.At("/invitees/:uid")+"?compare=previous&range=14d", site.Desktop)
		b.Until(site.Drawn)
		b.Do(chromedp.Click(chromedp.CSS("#changes summary")))
		b.Looks("invitee-unfolded")
	})
	t.Run("several accounts", func(t *testing.T) {
		f := site.OpenPipeline(t, time.UTC)
		uid := f.Invitees(url.Values{"range": {"14d"}}).Lines[0].UID
		f.ReadElsewhere("second", uid)
		b := site.Open(t, f.Address+"/invitees/"+string(uid), site.Desktop)
		b.Shoot("invitee-accounts")
		b.Accessible()
	})
	t.Run("unknown", func(t *testing.T) {
		b := openMissing(t, h.Address, "/invitees/999")
		b.Shoot("invitee-unknown")
		b.Accessible()
	})
}

// The keyboard alone reaches and uses the filters, the states, the order and the columns,
// and going back restores the previous state.
func TestBrowserInviteesByKeys(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	address, uid := h.Address, h.Invitee
	b := site.Open(t, address+"/invitees?range=14d", site.Desktop)
	site.Eval[bool](b, `window.same = true`)
	site.Eval[bool](b, `document.getElementById("search").focus(), true`)
	b.Do(chromedp.KeyEvent(uid + kb.Enter))
	b.Until(`location.search.includes("q=` + uid + `") && document.querySelectorAll("#rows tbody:not(.totals) tr").length === 1`)
	site.Eval[bool](b, `(f => (f.value = "", f.dispatchEvent(new Event("input", {bubbles: true}))))(document.getElementById("search"))`)
	b.Until(`!location.search.includes("q=") && document.querySelectorAll("#rows tbody:not(.totals) tr").length > 1`)
	for _, step := range []struct{ focus, until string }{
		{`document.querySelector("nav[aria-label=States] li:nth-child(2) a")`, `location.search.includes("state=new")`},
		{`document.querySelector("nav[aria-label=States] li:nth-child(1) a")`, `!location.search.includes("state=")`},
		{`document.querySelector("#rows thead th a")`, `location.search.includes("sort=uid") && document.querySelector("#rows thead th[aria-sort=ascending]") !== null`},
		{`document.querySelector("#rows-columns")`, `document.querySelector("#rows-columns").parentElement.open`},
		{`document.querySelector("#rows input[value=gap]")`, ``},
		{`document.querySelector("#rows-columns ~ form button")`, `location.search.includes("cols=") && document.querySelector("#rows thead").textContent.includes("Usual gap")`},
	} {
		site.Eval[bool](b, `(`+step.focus+`.focus(), true)`)
		if step.until == "" {
			b.Do(chromedp.KeyEvent(" "))
			continue
		}
		b.Do(chromedp.KeyEvent(kb.Enter))
		b.Until(step.until)
	}
	if !site.Eval[bool](b, `window.same === true`) {
		t.Error("the page was loaded anew on the way")
	}
}

func TestBrowserInviteesWithoutScript(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	address, uid := h.Address, h.Invitee
	b := site.Open(t, address+"/invitees?range=14d", site.Plain)
	b.ChoosesFilter("product", "SPOT")
	b.Clicks("nav[aria-label=States] li:nth-child(2) a:not([aria-current])", "nav[aria-label=States] li:nth-child(2) a[aria-current]")
	if at := site.ValueOf(b, chromedp.Location()); !strings.Contains(at, "product=SPOT") || !strings.Contains(at, "state=new") {
		t.Errorf("the clicks led to %s", at)
	}
	b = site.Open(t, address+"/invitees/"+uid+"?range=14d", site.Plain)
	b.Do(chromedp.WaitVisible(chromedp.CSS("#daily-chart-table table")), chromedp.WaitVisible(chromedp.CSS("#timeline ol")))
}
