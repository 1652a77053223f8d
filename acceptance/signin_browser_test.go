package acceptance_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/access"
	"rebatedesk/web"
)

// looksRight checks the requirements for every page: it is no wider than the screen, and
// axe finds no fault.
func (b *tab) looksRight(name string) {
	b.t.Helper()
	b.arrives(sideways + " <= 0")
	b.shoot(name)
	b.accessible()
}

// This test opens the sign-in on every screen: the password, the authenticator, the
// recovery codes, the code, and the user's account.
func TestBrowserSignIn(t *testing.T) {
	t.Parallel()
	for _, s := range bothWays {
		t.Run(s.name, func(t *testing.T) {
			o := openSite(t, web.Options{})
			o.addUser("ada", access.Admin)
			b := openApart(t, o.address+"/invitees?range=7d", s)
			b.looksRight("login-" + s.name)
			b.comeIn(o.address, "ada", "not it")
			b.arrives(`document.querySelector("[role=alert]") !== null`)
			b.looksRight("login-wrong-" + s.name)
			b.comeIn(o.address, "ada", longWord)
			b.arrives(`location.pathname === "/account/totp" && document.querySelector("img").naturalWidth > 0`)
			b.looksRight("enrolment-" + s.name)
			secret := keyShown(t, eval[string](b, `document.documentElement.outerHTML`))
			b.fill("totp", o.code(secret))
			b.do(chromedp.KeyEvent(kb.Enter))
			b.arrives(`document.querySelectorAll("main li").length === 10`)
			b.looksRight("recovery-" + s.name)
			b.goes(o.address + "/account")
			b.looksRight("account-" + s.name)
			b.do(chromedp.Click(chromedp.ID("account-menu" + map[bool]string{true: "-small"}[s.width < 600])))
			b.shoot("menu-" + s.name)
			eval[bool](b, `setTimeout(() => document.querySelector('form[action="/logout"]').requestSubmit()), true`) // the page must not go before it answers
			b.arrives(`location.pathname === "/login"`)
			b.comeIn(o.address, "ada", longWord)
			b.arrives(`document.querySelector("[name=totp]") !== null`)
			b.looksRight("code-" + s.name)
			if mode := eval[string](b, `(e => [e.inputMode, e.autocomplete].join(" "))(document.querySelector("[name=totp]"))`); mode != "numeric one-time-code" {
				t.Errorf("the field of the code is %q", mode)
			}
		})
	}
}

// This test opens the pages that refuse a user.
func TestBrowserTurnedAway(t *testing.T) {
	t.Parallel()
	for _, s := range bothWays {
		t.Run(s.name, func(t *testing.T) {
			o := openSite(t, web.Options{})
			o.addUser("vera", access.Viewer)
			b := openApart(t, o.address+"/login", s)
			for range 5 {
				o.visitor().signIn("vera", "not it")
			}
			b.comeIn(o.address, "vera", "not it")
			b.arrives(`document.querySelector("[role=alert]").innerText.includes("Try again in")`)
			b.looksRight("throttled-" + s.name)
			o.pass(3600e9)
			b.comeIn(o.address, "vera", longWord)
			b.arrives(`location.pathname === "/account"`)
			eval[bool](b, `(f => { f.method = "post"; f.action = "/views"; document.body.append(f);
				for (const [name, value] of [["token", document.querySelector("[name=token]").value], ["name", "x"]]) f.append(Object.assign(document.createElement("input"), {name, value}));
				f.submit(); return true })(document.createElement("form"))`)
			b.arrives(`document.querySelector("h1")?.innerText === "Refused"`)
			if text := eval[string](b, `document.querySelector("main").innerText`); !strings.Contains(text, "Only managers, administrators and traders can do this") {
				t.Errorf("the page does not name the roles that it admits: %s", text)
			}
			b.looksRight("refused-" + s.name)
		})
	}
}

// The sign-in needs no script.
func TestBrowserSignInWithoutScript(t *testing.T) {
	t.Parallel()
	o := openSite(t, web.Options{})
	o.addUser("mia", access.Manager)
	b := openApart(t, o.address+"/codes?range=7d", plain)
	b.do(chromedp.SendKeys(chromedp.CSS("input[name=username]"), "mia"), chromedp.SendKeys(chromedp.CSS("input[name=password]"), longWord), chromedp.KeyEvent(kb.Enter))
	b.arrives(`location.pathname + location.search === "/codes?range=7d"`)
}

// After the sign-out, going back shows nothing of the earlier pages.
func TestBrowserBackAfterSignOut(t *testing.T) {
	t.Parallel()
	o := openSite(t, web.Options{})
	o.addUser("mia", access.Manager)
	b := openApart(t, o.address+"/login", desktop)
	b.comeIn(o.address, "mia", longWord)
	b.goes(o.address + "/commissions?range=7d")
	b.arrives(`document.querySelector("#rows") !== null`)
	eval[bool](b, `setTimeout(() => document.querySelector('form[action="/logout"]').requestSubmit()), true`) // the page must not go before it answers
	b.arrives(`location.pathname === "/login"`)
	eval[bool](b, `history.back(), true`)
	b.arrives(`document.readyState === "complete" && document.querySelector("[name=password]") !== null`)
	if eval[bool](b, `document.querySelector("#rows") !== null`) {
		t.Error("the figures are visible again")
	}
}
