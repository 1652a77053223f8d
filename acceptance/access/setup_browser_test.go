package access_test

import (
	"context"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/store/audit"
	"rebatedesk/web"
	"rebatedesk/web/admin"
)

// firstAccounts is a stand-in without an account at first; TestFirstStart has the real one.
type firstAccounts struct{ site.ExchangeAccounts }

func (e *firstAccounts) Add(_ context.Context, by audit.Line, form admin.AccountForm) error {
	account := admin.ExchangeAccount{Name: affiliate.Account(form.Name), BaseURL: form.BaseURL, ContractBaseURL: form.BaseURL, APIVersion: "v2", Locale: "en-US", Updated: 1}
	if form.Idle {
		account.Disabled = affiliate.MillisOf(site.Now)
	}
	e.Accounts = append(e.Accounts, account)
	return e.Note(by, "add "+form.Name)
}

func (e *firstAccounts) Test(_ context.Context, by audit.Line, name affiliate.Account) ([]admin.AccountCheck, error) {
	return []admin.AccountCheck{
		{Name: "exchange", Result: admin.CheckPassed, Text: "answers within 84 ms"},
		{Name: "read commissions", Result: admin.CheckPassed, Text: "can be read", Need: admin.RightNeeded},
		{Name: "read transfers", Result: admin.CheckWarned, Text: "earned is not compared with paid", Hint: "add the permission to read transfers", Need: admin.RightUseful},
		{Name: "withdraw", Result: admin.CheckSkipped, Text: "the interface has no call that shows it", Need: admin.RightUnwanted},
	}, e.Note(by, "test "+string(name))
}

// The whole first setup by keyboard alone.
func TestBrowserSetupByKeyboard(t *testing.T) {
	t.Parallel()
	accounts := &firstAccounts{}
	o := site.OpenSite(t, web.Options{Guide: true, Accounts: accounts})
	b := site.OpenApart(t, o.Address, site.Desktop)
	b.Arrives(`location.pathname === "/setup"`)
	b.Looks("setup-administrator")
	b.Enters("setup", o.Access.SetupToken())
	b.Enters("username", "ada")
	b.Enters("password", site.LongWord)
	b.Enters("repeated", site.LongWord)
	b.Presses(`main button`, `location.pathname === "/account/totp"`)
	secret := site.KeyShown(t, site.Eval[string](b, `document.documentElement.outerHTML`))
	b.Enters("totp", o.Code(secret))
	b.Presses(`main button`, `document.querySelectorAll("main li").length === 10`)
	b.Presses(`main a.tool`, `location.pathname === "/settings/setup" && document.querySelector("[name=api_key]") !== null`)
	b.Looks("setup-key")
	b.Enters("account", "main")
	b.Enters("base_url", "https://api.example.com")
	b.Enters("api_key", "key")
	b.Enters("api_secret", "secret")
	b.Enters("api_passphrase", "phrase")
	b.Presses(`form[action="/settings/accounts"] button[type=submit]`, `document.querySelector('form[action="/settings/accounts/test"]') !== null`)
	b.Presses(`form[action="/settings/accounts/test"] button`, `document.body.innerText.includes("everything that reports need")`)
	b.Looks("setup-tested")
	b.Presses(`main a[href="/settings/setup?step=collect"].tool`, `document.querySelector('form[action="/settings/setup/collect"]') !== null`)
	b.Looks("setup-collect")
	b.Presses(`form[action="/settings/setup/collect"] button`, `location.search.includes("done=begun")`)
	b.Presses(`main a[href="/settings/setup?step=mail"].tool`, `document.querySelector("pre") !== null`)
	b.Looks("setup-mail")
	b.Presses(`form[action="/settings/setup/skip"] button`, `document.querySelector("[name=recipients]") !== null`)
	b.Looks("setup-summary")
	b.Enters("recipients", "ada@example.com")
	b.Presses(`form[action="/summaries"] button`, `document.body.innerText.includes("The setup is finished")`)
	b.Looks("setup-finished")
	if len(accounts.Accounts) != 1 || accounts.Accounts[0].Disabled.Known() {
		t.Errorf("the accounts are %+v", accounts.Accounts)
	}
	b.Presses(`main a[href="/"].tool`, `location.pathname === "/" && !document.body.innerText.includes("Setup:")`)
}
