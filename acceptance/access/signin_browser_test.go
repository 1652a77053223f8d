package access_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/web"
)

// The sign-in looks right at each of its steps: the password, the authenticator, the
// recovery codes, the code, and the user's account.
func TestBrowserSignIn(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("ada", access.Admin)
	b := site.OpenApart(t, o.Address+"/invitees?range=7d", site.Desktop)
	b.Looks("login")
	b.ComeIn(o.Address, "ada", "not it")
	b.Arrives(`document.querySelector("[role=alert]") !== null`)
	b.Looks("login-wrong")
	b.ComeIn(o.Address, "ada", site.LongWord)
	b.Arrives(`location.pathname === "/account/totp" && document.querySelector("img").naturalWidth > 0`)
	b.Looks("enrolment")
	secret := site.KeyShown(t, site.Eval[string](b, `document.documentElement.outerHTML`))
	b.Fill("totp", o.Code(secret))
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Arrives(`document.querySelectorAll("main li").length === 10`)
	b.Looks("recovery")
	b.Goes(o.Address + "/account")
	b.Looks("account")
	b.Do(chromedp.Click(chromedp.ID("account-menu")))
	b.Shoot("menu")
	site.Eval[bool](b, `setTimeout(() => document.querySelector('form[action="/logout"]').requestSubmit()), true`) // the page must not go before it answers
	b.Arrives(`location.pathname === "/login"`)
	b.ComeIn(o.Address, "ada", site.LongWord)
	b.Arrives(`document.querySelector("[name=totp]") !== null`)
	b.Looks("code")
	if mode := site.Eval[string](b, `(e => [e.inputMode, e.autocomplete].join(" "))(document.querySelector("[name=totp]"))`); mode != "numeric one-time-code" {
		t.Errorf("the field of the code is %q", mode)
	}
}

// This test opens the pages that refuse a user.
func TestBrowserTurnedAway(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("vera", access.Viewer)
	b := site.OpenApart(t, o.Address+"/login", site.Desktop)
	for range 5 {
		o.Visitor().SignIn("vera", "not it")
	}
	b.ComeIn(o.Address, "vera", "not it")
	b.Arrives(`document.querySelector("[role=alert]").innerText.includes("Try again in")`)
	b.Looks("throttled")
	o.Pass(3600e9)
	b.ComeIn(o.Address, "vera", site.LongWord)
	b.Arrives(`location.pathname === "/account"`)
	site.Eval[bool](b, `(f => { f.method = "post"; f.action = "/views"; document.body.append(f);
		for (const [name, value] of [["token", document.querySelector("[name=token]").value], ["name", "x"]]) f.append(Object.assign(document.createElement("input"), {name, value}));
		f.submit(); return true })(document.createElement("form"))`)
	b.Arrives(`document.querySelector("h1")?.innerText === "Refused"`)
	if text := site.Eval[string](b, `document.querySelector("main").innerText`); !strings.Contains(text, "Only managers, administrators and traders can do this") {
		t.Errorf("the page does not name the roles that it admits: %s", text)
	}
	b.Looks("refused")
}

// The sign-in needs no script.
func TestBrowserSignInWithoutScript(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("mia", access.Manager)
	b := site.OpenApart(t, o.Address+"/codes?range=7d", site.Plain)
	b.Do(chromedp.SendKeys(chromedp.CSS("input[name=username]"), "mia"), chromedp.SendKeys(chromedp.CSS("input[name=password]"), site.LongWord), chromedp.KeyEvent(kb.Enter))
	b.Arrives(`location.pathname + location.search === "/codes?range=7d"`)
}

// After the sign-out, going back shows nothing of the earlier pages.
func TestBrowserBackAfterSignOut(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("mia", access.Manager)
	b := site.OpenApart(t, o.Address+"/login", site.Desktop)
	b.ComeIn(o.Address, "mia", site.LongWord)
	b.Goes(o.Address + "/commissions?range=7d")
	b.Arrives(`document.querySelector("#rows") !== null`)
	site.Eval[bool](b, `setTimeout(() => document.querySelector('form[action="/logout"]').requestSubmit()), true`) // the page must not go before it answers
	b.Arrives(`location.pathname === "/login"`)
	site.Eval[bool](b, `history.back(), true`)
	b.Arrives(`document.readyState === "complete" && document.querySelector("[name=password]") !== null`)
	if site.Eval[bool](b, `document.querySelector("#rows") !== null`) {
		t.Error("the figures are visible again")
	}
}
