package settings

import (
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/web/admin"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/settings"
	"rebatedesk/web/templates/ui"
)

func (s *Area) AccountList(c *fiber.Ctx) error {
	return s.showAccounts(c, templates.AccountsView{})
}

func (s *Area) showAccounts(c *fiber.Ctx, v templates.AccountsView) error {
	if s.Accounts == nil {
		return fiber.ErrNotFound
	}
	var err error
	if v.Rows, err = s.Accounts.List(c.UserContext()); err != nil {
		return err
	}
	v.Settings = s.settingsPage(c, "Accounts", "/settings/accounts")
	return s.Render(c, templates.Accounts(v))
}

// openFields are the fields of an account that a refused form shows again. Keys are
// never among them.
var openFields = []string{"account", "exchange", "base_url", "contract_base_url", "api_version", "locale"}

func (s *Area) AddAccount(c *fiber.Ctx) error {
	if s.Accounts == nil {
		return fiber.ErrNotFound
	}
	if s.ofSetup(c) {
		return s.storeWorking(c)
	}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		return handler.Confirming("/settings/accounts", "account"), handler.At("account", s.Accounts.Add(c.UserContext(), f.By, accountIn(f)))
	}, func(f *handler.Sent) error { return s.showAccounts(c, templates.AccountsView{New: f.Form}) })
}

// accountIn reads a new account.
func accountIn(f *handler.Sent) admin.AccountForm {
	for _, name := range openFields {
		f.Text(name)
	}
	return admin.AccountForm{
		Name: f.Values["account"], Exchange: f.Values["exchange"], BaseURL: f.Values["base_url"], ContractBaseURL: f.Values["contract_base_url"],
		APIVersion: f.Values["api_version"], Locale: f.Values["locale"],
		Keys: keyIn(f.Fields, "api_"), TradingKeys: keyIn(f.Fields, "trading_api_"),
	}
}

// storeWorking stores the first account if its key may read what reports need, and shows what the test
// found. Its collection begins at once.
func (s *Area) storeWorking(c *fiber.Ctx) error {
	v := templates.StepsView{Current: stepExchange}
	return s.Act(c, func(f *handler.Sent) (_ string, err error) {
		form := accountIn(f)
		if v.Checks, err = s.Accounts.Try(c.UserContext(), f.By, form); err != nil {
			return "", handler.At("account", err)
		}
		if !templates.EnoughRights(v.Checks) {
			f.Alert = "Nothing is stored: with this key nothing could be read. Mend what failed, then enter the key again."
			return "", nil
		}
		if err := s.Accounts.Add(c.UserContext(), f.By, form); err != nil {
			return "", handler.At("account", err)
		}
		if err := s.markTested(c, affiliate.Account(form.Name), v.Checks); err != nil {
			return "", err
		}
		s.awaitRun(c.UserContext())
		v.Done = "The key works and is stored, sealed. The first collection has begun, and you can go on meanwhile."
		return "", nil
	}, func(f *handler.Sent) error {
		v.New = f.Form
		return s.showSetup(c, v)
	})
}

// keyIn returns the key in the fields of a form.
func keyIn(fields url.Values, prefix string) admin.AccountKey {
	return admin.AccountKey{Key: fields.Get(prefix + "key"), Secret: fields.Get(prefix + "secret"), Passphrase: fields.Get(prefix + "passphrase")}
}

// RotateAccount gives a stored account new keys.
func (s *Area) RotateAccount(c *fiber.Ctx) error {
	if s.Accounts == nil {
		return fiber.ErrNotFound
	}
	name := affiliate.Account(s.Form(c).Get("account"))
	return s.Act(c, func(f *handler.Sent) (string, error) {
		f.Values["keys"] = ui.Hidden
		seen, err := f.Seen()
		if err != nil {
			return "", err
		}
		err = s.Accounts.Rotate(c.UserContext(), f.By, name, seen, keyIn(f.Fields, "api_"), keyIn(f.Fields, "trading_api_"))
		return handler.Confirming("/settings/accounts", "rotated"), handler.At("api_key", err)
	}, func(f *handler.Sent) error {
		if f.Overtaken() {
			if err := s.accountConflict(c, f, name); err != nil {
				return err
			}
		}
		return s.showAccounts(c, templates.AccountsView{Rotated: name, Rotate: f.Form})
	})
}

func (s *Area) DisableAccount(c *fiber.Ctx) error { return s.useAccount(c, true, "unused") }
func (s *Area) EnableAccount(c *fiber.Ctx) error  { return s.useAccount(c, false, "used") }

func (s *Area) useAccount(c *fiber.Ctx, disabled bool, done string) error {
	if s.Accounts == nil {
		return fiber.ErrNotFound
	}
	name := affiliate.Account(s.Form(c).Get("account"))
	return s.Act(c, func(f *handler.Sent) (string, error) {
		f.Values["use"] = templates.UseWords(disabled)
		seen, err := f.Seen()
		if err != nil {
			return "", err
		}
		return handler.Confirming("/settings/accounts", done), s.Accounts.Disable(c.UserContext(), f.By, name, seen, disabled)
	}, func(f *handler.Sent) error {
		if !f.Overtaken() {
			return f.Refused
		}
		if err := s.accountConflict(c, f, name); err != nil {
			return err
		}
		return s.showAccounts(c, templates.AccountsView{Used: name, Use: f.Form})
	})
}

// accountActions maps the changes of an account to their names in the audit log.
var accountActions = []string{"account keys rotated", "account disabled", "account enabled"}

// accountConflict shows how the account of a form was changed meanwhile.
func (s *Area) accountConflict(c *fiber.Ctx, f *handler.Sent, name affiliate.Account) error {
	list, err := s.Accounts.List(c.UserContext())
	if err != nil {
		return err
	}
	for _, a := range list {
		if !a.Settings && a.Name == name {
			return s.conflict(c, f, string(name), accountActions, templates.AccountFields(a, s.Zone), templates.AccountLabels)
		}
	}
	return &store.RuleError{Problem: "There is no such account any more.", Missing: true}
}

// TestAccount shows the exchange's answer immediately. Only the line in the audit log
// is kept.
func (s *Area) TestAccount(c *fiber.Ctx) error {
	if s.Accounts == nil {
		return fiber.ErrNotFound
	}
	name := affiliate.Account(s.Form(c).Get("account"))
	checks, err := s.Accounts.Test(c.UserContext(), s.By(c), name)
	if err != nil {
		return err
	}
	if s.ofSetup(c) {
		if err := s.markTested(c, name, checks); err != nil {
			return err
		}
		return s.showSetup(c, templates.StepsView{Current: stepExchange, Checks: checks})
	}
	return s.showAccounts(c, templates.AccountsView{Tested: name, Checks: checks})
}
