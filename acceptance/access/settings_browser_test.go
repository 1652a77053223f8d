package access_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"rebatedesk/acceptance/site"
	"rebatedesk/store"
)

// Every settings page looks right in one visit, as it comes and with all of it unfolded.
func TestBrowserSettings(t *testing.T) {
	t.Parallel()
	o := site.FilledAdminSite(t)
	pages := []struct{ name, path string }{
		{"users", "/settings/users"}, {"user", o.Page("theo")}, {"sessions", "/settings/sessions"}, {"tokens", "/settings/tokens"},
		{"accounts", "/settings/accounts"}, {"audit", "/settings/audit?before=40"}, {"backups", "/settings/backups"},
	}
	b := site.OpenApart(t, o.Address+"/login", site.Desktop)
	b.EnterAs(o.Ada, o.Address)
	for _, p := range pages {
		b.Goes(o.Address + p.path)
		b.Until(`document.querySelector("nav[aria-label=Settings] [aria-current]") !== null`)
		b.LooksRight("settings-" + p.name)
		b.FocusReachesEverything()
		site.Eval[bool](b, `document.querySelectorAll("main details:not([data-menu])").forEach(d => d.open = true), document.querySelector("main td details")?.setAttribute("open", ""), true`)
		b.Looks("settings-" + p.name + "-open")
	}
}

// A refused form shows the error at its field, on the page from which it was sent. The
// result of a test appears at its account.
func TestBrowserSettingsAnswers(t *testing.T) {
	t.Parallel()
	o := site.FilledAdminSite(t)
	b := site.OpenApart(t, o.Address+"/login", site.Desktop)
	b.EnterAs(o.Ada, o.Address)
	b.Goes(o.Address + "/settings/users")
	b.Do(chromedp.SendKeys(chromedp.CSS("#new-name"), "vera"))
	b.Fill("password", "a long one indeed, this")
	b.Fill("repeated", "another one, also long")
	b.Submit("input[name=repeated]")
	b.Until(`document.querySelector("[aria-invalid]") !== null && document.querySelector("#new-name").value === "vera"`)
	b.LooksRight("settings-users-refused")
	b.Goes(o.Address + "/settings/accounts")
	b.Submit(`form[action="/settings/accounts/test"]`)
	b.Until(`document.querySelector("[role=status] li") !== null`)
	b.LooksRight("settings-accounts-tested")
	o.Accounts.Err = errors.Join(store.RefuseAt("base_url", "This would send the key unencrypted: use https; http is for this machine only."), store.RefuseAt("api_secret", "This is not given: give all three parts of the key."))
	b.Goes(o.Address + "/settings/accounts")
	site.Eval[bool](b, `(document.querySelector("#new-base_url").closest("details").open = true, true)`)
	for _, name := range []string{"new-account", "new-base_url", "new-api_key", "new-api_secret", "new-api_passphrase"} {
		b.Do(chromedp.SendKeys(chromedp.CSS("#"+name), "http://canary"))
	}
	b.Submit("#new-account")
	b.Until(`document.querySelectorAll("[aria-invalid]").length === 2`)
	b.LooksRight("settings-accounts-refused")
	if kept := site.Eval[[]string](b, `["account", "base_url", "api_key", "api_secret", "api_passphrase"].map(n => document.getElementById("new-" + n).value)`); strings.Join(kept, "|") != "http://canary|http://canary|||" {
		t.Errorf("the form shows the error %q", kept)
	}
	o.Tamper(7)
	b.Goes(o.Address + "/settings/audit?before=12")
	b.Submit(`form[action="/settings/audit/check"]`)
	b.Until(`document.querySelector("main [role=alert]")?.innerText.includes("Line 7 was changed")`)
	b.Goes(o.Address + "/settings/audit?before=12&actor=test")
	b.LooksRight("settings-audit-tampered")
	o.BackupService.Wait = make(chan struct{})
	b.Goes(o.Address + "/settings/backups")
	b.Submit(`form[action="/settings/backups/make"]`)
	b.Arrives(`document.querySelector("#backups [role=status]") !== null`)
	b.LooksRight("settings-backups-running")
	close(o.BackupService.Wait)
	b.Arrives(`document.querySelectorAll("#backups tbody tr").length === 2 && document.querySelector("#backups form") !== null`)
}
