package acceptance_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/access"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// filledAdminSite returns an adminSite with at least one entry of every kind on its pages.
func filledAdminSite(t *testing.T) *adminSite {
	t.Helper()
	b := openAdminSite(t)
	b.addUser("vera", access.Viewer)
	b.addUser("mia.winterbottom@partners.example.com", access.Manager)
	b.addUser("theo", access.Trader)
	b.addUser("gone", access.Viewer)
	b.signedInAs("vera")
	b.signedInAs("mia.winterbottom@partners.example.com")
	b.signedInAs("theo")
	for _, n := range []access.NewToken{
		{User: "ada", Name: "nightly warehouse load", Scopes: []access.Scope{access.ScopeRead, access.ScopeExport}},
		{User: "mia.winterbottom@partners.example.com", Name: "spreadsheet", Scopes: []access.Scope{access.ScopeExport}},
		{User: "gone", Name: "<b>old script</b>", Scopes: []access.Scope{access.ScopeRead}},
	} {
		if _, _, err := b.access.CreateToken(context.Background(), command, n); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 120 {
		line := audit.Line{Actor: "mia.winterbottom@partners.example.com", Via: "session", Address: "2001:db8:85a3::8a2e:370:7334",
			Action: "export", Object: "commissions as csv", Detail: fmt.Sprintf("/commissions.csv?range=%dd&product=SPOT", i+1)}
		if i%7 == 0 {
			line = audit.Line{Actor: "root", Via: "session", Address: "203.0.113.9", Action: "sign-in failed", Outcome: "wrong password"}
		}
		if err := b.access.Record(context.Background(), line); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.access.Disable(context.Background(), command, "gone", store.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if err := b.backupService.Make(context.Background()); err != nil {
		t.Fatal(err)
	}
	return b
}

// enterAs signs a tab in with the session of a visitor.
func (b *tab) enterAs(v *visitor, address string) {
	b.t.Helper()
	b.goes(address + "/healthz")
	eval[bool](b, fmt.Sprintf(`cookieStore.set("session", %q).then(() => true)`, v.secret()))
}

// This test opens every settings page on every screen, and walks through it with the Tab
// key alone.
func TestBrowserSettings(t *testing.T) {
	t.Parallel()
	o := filledAdminSite(t)
	pages := []struct{ name, path string }{
		{"users", "/settings/users"}, {"user", o.page("theo")}, {"sessions", "/settings/sessions"}, {"tokens", "/settings/tokens"},
		{"accounts", "/settings/accounts"}, {"audit", "/settings/audit?before=40"}, {"backups", "/settings/backups"},
	}
	b := openApart(t, o.address+"/login", desktop)
	b.enterAs(o.ada, o.address)
	for _, p := range pages {
		for _, s := range []screen{phone, desktop} {
			b.look(s)
			b.goes(o.address + p.path)
			b.until(`document.querySelector("nav[aria-label=Settings] [aria-current]") !== null`)
			b.looksRight("settings-" + p.name + "-" + s.name)
			b.until(fmt.Sprint("document.documentElement.scrollWidth <= ", s.width))
			if s == desktop {
				b.turnsDark("settings-" + p.name)
				b.walks(p.name)
				b.look(desktop)
			}
			eval[bool](b, `document.querySelectorAll("main details:not([data-menu])").forEach(d => d.open = true), document.querySelector("main td details")?.setAttribute("open", ""), true`)
			b.looksRight("settings-" + p.name + "-open-" + s.name)
			b.until(fmt.Sprint("document.documentElement.scrollWidth <= ", s.width))
		}
		b.turnsDark("settings-" + p.name + "-open")
	}
}

// A refused form shows the error at its field, on the page from which it was sent. The
// result of a test appears at its account.
func TestBrowserSettingsAnswers(t *testing.T) {
	t.Parallel()
	o := filledAdminSite(t)
	b := openApart(t, o.address+"/login", desktop)
	b.enterAs(o.ada, o.address)
	b.goes(o.address + "/settings/users")
	b.fill("name", "vera")
	b.fill("password", "a long one indeed, this")
	b.fill("repeated", "another one, also long")
	b.submit("input[name=repeated]")
	b.until(`document.querySelector("[aria-invalid]") !== null && document.querySelector("#new-name").value === "vera"`)
	b.looksRight("settings-users-refused")
	b.goes(o.address + "/settings/accounts")
	b.submit(`form[action="/settings/accounts/test"]`)
	b.until(`document.querySelector("[role=status] li") !== null`)
	b.looksRight("settings-accounts-tested")
	o.accounts.err = errors.Join(store.RefuseAt("base_url", "This would send the key unencrypted: use https; http is for this machine only."), store.RefuseAt("api_secret", "This is not given: give all three parts of the key."))
	b.goes(o.address + "/settings/accounts")
	for _, name := range []string{"new-account", "new-base_url", "new-api_key", "new-api_secret", "new-api_passphrase"} {
		b.do(chromedp.SendKeys(chromedp.CSS("#"+name), "http://canary"))
	}
	b.submit("#new-account")
	b.until(`document.querySelectorAll("[aria-invalid]").length === 2`)
	b.looksRight("settings-accounts-refused")
	if kept := eval[[]string](b, `["account", "base_url", "api_key", "api_secret", "api_passphrase"].map(n => document.getElementById("new-" + n).value)`); strings.Join(kept, "|") != "http://canary|http://canary|||" {
		t.Errorf("the form shows the error %q", kept)
	}
	o.tamper(7)
	b.goes(o.address + "/settings/audit?before=12")
	b.submit(`form[action="/settings/audit/check"]`)
	b.until(`document.querySelector("main [role=alert]")?.innerText.includes("Line 7 was changed")`)
	b.goes(o.address + "/settings/audit?before=12&actor=test")
	b.looksRight("settings-audit-tampered")
	o.backupService.wait = make(chan struct{})
	b.goes(o.address + "/settings/backups")
	b.submit(`form[action="/settings/backups/make"]`)
	b.arrives(`document.querySelector("#backups [role=status]") !== null`)
	b.looksRight("settings-backups-running")
	close(o.backupService.wait)
	b.arrives(`document.querySelectorAll("#backups tbody tr").length === 2 && document.querySelector("#backups form") !== null`)
}

// submit sends the form that the selector matches as its button does, and waits for the
// answer.
func (b *tab) submit(selector string) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf(`window.sent = true, document.querySelector(%q).closest("form").requestSubmit(), true`, selector))
	b.arrives(`window.sent === undefined`)
}

// walks moves through a page with the Tab key, and back to its tabs.
func (b *tab) walks(page string) {
	b.t.Helper()
	eval[bool](b, `window.stops = `+stops+`.slice(0, 40), window.met = new Set(), document.querySelector("main").addEventListener("focusin", e => window.met.add(e.target)), document.getElementById("page").focus(), true`)
	for range eval[int](b, `window.stops.length`) + 30 {
		b.do(chromedp.KeyEvent(kb.Tab))
	}
	if missed := eval[[]string](b, `window.stops.filter(e => !window.met.has(e)).slice(0, 5).map(e => e.outerHTML.slice(0, 160))`); len(missed) > 0 {
		b.t.Errorf("%s: the Tab key does not reach\n%s", page, strings.Join(missed, "\n"))
	}
}
