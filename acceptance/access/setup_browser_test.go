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

func (e *firstAccounts) Try(ctx context.Context, by audit.Line, form admin.AccountForm) ([]admin.AccountCheck, error) {
	if form.Keys.Secret == "wrong" {
		return e.ExchangeAccounts.Test(ctx, by, affiliate.Account(form.Name))
	}
	return e.Test(ctx, by, affiliate.Account(form.Name))
}

// The whole first setup by keyboard alone. A key that does not work is not stored, and its fields are kept
// without its secrets.
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
	enter := func(secret string) {
		b.Enters("api_key", "key")
		b.Enters("api_secret", secret)
		b.Enters("api_passphrase", "phrase")
	}
	enter("wrong")
	b.Presses(`form[action="/settings/accounts"] button[type=submit]`, `document.body.innerText.includes("Nothing is stored") && document.body.innerText.includes("enter key, secret and passphrase again")`)
	b.Looks("setup-refused")
	if kept := site.Eval[string](b, `document.querySelector("[name=account]").value + "|" + document.querySelector("[name=api_key]").value + document.querySelector("[name=api_secret]").value`); kept != "main|" || len(accounts.Accounts) != 0 {
		t.Errorf("after a key that does not work the form has %q, and the accounts are %+v", kept, accounts.Accounts)
	}
	enter("right")
	b.Presses(`form[action="/settings/accounts"] button[type=submit]`, `document.body.innerText.includes("everything that reports need")`)
	b.Looks("setup-tested")
	if len(accounts.Accounts) != 1 || accounts.Accounts[0].Disabled.Known() {
		t.Errorf("the accounts are %+v", accounts.Accounts)
	}
	b.Presses(`main a[href="/settings/setup?step=mail"].tool`, `document.querySelector("h1").innerText.startsWith("Step 4 of 7")`)
	later := `form[action="/settings/setup/skip"] button`
	b.Presses(later, `document.querySelector("h1").innerText.startsWith("Step 5 of 7")`)
	b.Looks("setup-names")
	b.Presses(`main a[href="/settings/setup?step=colleague"].tool`, `document.querySelector("[name=role]") !== null`) // the site has names
	b.Looks("setup-colleague")
	b.Enters("name", "mia")
	b.Presses(`form[action="/settings/users/invite"] button`, `document.body.innerText.includes("/invite/")`)
	b.Looks("setup-invited")
	b.Presses(`main a[href="/settings/setup?step=done"].tool`, `document.querySelector("h1").innerText.startsWith("Step 7 of 7")`)
	b.Looks("setup-done")
	b.Presses(`main a[href="/"].tool`, `location.pathname === "/" && !document.body.innerText.includes("Setup, step")`)
}
