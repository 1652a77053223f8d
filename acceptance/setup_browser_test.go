package acceptance_test

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/affiliate"
	"rebatedesk/store/audit"
	"rebatedesk/web"
	"rebatedesk/web/admin"
)

// firstAccounts is a stand-in without an account at first; TestFirstStart has the real one.
type firstAccounts struct{ exchangeAccounts }

func (e *firstAccounts) Add(_ context.Context, by audit.Line, form admin.AccountForm) error {
	account := admin.ExchangeAccount{Name: affiliate.Account(form.Name), BaseURL: form.BaseURL, ContractBaseURL: form.BaseURL, APIVersion: "v2", Locale: "en-US", Updated: 1}
	if form.Idle {
		account.Disabled = affiliate.MillisOf(now)
	}
	e.list = append(e.list, account)
	return e.note(by, "add "+form.Name)
}

func (e *firstAccounts) Test(_ context.Context, by audit.Line, name affiliate.Account) ([]admin.AccountCheck, error) {
	return []admin.AccountCheck{
		{Name: "exchange", Result: admin.CheckPassed, Text: "answers within 84 ms"},
		{Name: "read commissions", Result: admin.CheckPassed, Text: "can be read", Need: admin.RightNeeded},
		{Name: "read transfers", Result: admin.CheckWarned, Text: "earned is not compared with paid", Hint: "add the permission to read transfers", Need: admin.RightUseful},
		{Name: "withdraw", Result: admin.CheckSkipped, Text: "the interface has no call that shows it", Need: admin.RightUnwanted},
	}, e.note(by, "test "+string(name))
}

// tabTo moves the focus by the Tab key alone.
func (b *tab) tabTo(selector string) {
	b.t.Helper()
	for range 90 {
		if eval[bool](b, `document.activeElement?.matches(`+"`"+selector+"`"+`) ?? false`) {
			return
		}
		b.do(chromedp.KeyEvent(kb.Tab))
	}
	b.t.Fatalf("the Tab key does not reach %s", selector)
}

// enters types into a field that the Tab key reached.
func (b *tab) enters(name, text string) {
	b.t.Helper()
	b.tabTo(`main [name="` + name + `"]`)
	b.do(chromedp.KeyEvent(text))
}

// presses presses a button or follows a link that the Tab key reached, and waits for a page.
func (b *tab) presses(selector, arrived string) {
	b.t.Helper()
	b.tabTo(selector)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.arrives(arrived)
}

// checked looks at a step of the setup on both screens and in the dark.
func (b *tab) checked(name string) {
	b.t.Helper()
	b.looksRight("setup-" + name)
	b.turnsDark("setup-" + name)
	b.look(phone)
	b.until(sideways + " <= 0")
	b.shoot("setup-" + name + "-phone")
	b.accessibleInShape()
	b.look(desktop)
}

// The whole first setup by keyboard alone.
func TestBrowserSetupByKeyboard(t *testing.T) {
	t.Parallel()
	accounts := &firstAccounts{}
	o := openSite(t, web.Options{Guide: true, Accounts: accounts})
	b := openApart(t, o.address, desktop)
	b.arrives(`location.pathname === "/setup"`)
	b.checked("administrator")
	b.enters("setup", o.access.SetupToken())
	b.enters("username", "ada")
	b.enters("password", longWord)
	b.enters("repeated", longWord)
	b.presses(`main button`, `location.pathname === "/account/totp"`)
	secret := keyShown(t, eval[string](b, `document.documentElement.outerHTML`))
	b.enters("totp", o.code(secret))
	b.presses(`main button`, `document.querySelectorAll("main li").length === 10`)
	b.presses(`main a.tool`, `location.pathname === "/settings/setup" && document.querySelector("[name=api_key]") !== null`)
	b.checked("key")
	b.enters("account", "main")
	b.enters("base_url", "https://api.example.com")
	b.enters("api_key", "key")
	b.enters("api_secret", "secret")
	b.enters("api_passphrase", "phrase")
	b.presses(`form[action="/settings/accounts"] button[type=submit]`, `document.querySelector('form[action="/settings/accounts/test"]') !== null`)
	b.presses(`form[action="/settings/accounts/test"] button`, `document.body.innerText.includes("everything that reports need")`)
	b.checked("tested")
	b.presses(`main a[href="/settings/setup?step=collect"].tool`, `document.querySelector('form[action="/settings/setup/collect"]') !== null`)
	b.checked("collect")
	b.presses(`form[action="/settings/setup/collect"] button`, `location.search.includes("done=begun")`)
	b.presses(`main a[href="/settings/setup?step=mail"].tool`, `document.querySelector("pre") !== null`)
	b.checked("mail")
	b.presses(`form[action="/settings/setup/skip"] button`, `document.querySelector("[name=recipients]") !== null`)
	b.checked("summary")
	b.enters("recipients", "ada@example.com")
	b.presses(`form[action="/summaries"] button`, `document.body.innerText.includes("The setup is finished")`)
	b.checked("finished")
	if len(accounts.list) != 1 || accounts.list[0].Disabled.Known() {
		t.Errorf("the accounts are %+v", accounts.list)
	}
	b.presses(`main a[href="/"].tool`, `location.pathname === "/" && !document.body.innerText.includes("Setup:")`)
}
