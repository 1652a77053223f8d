package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/web/templates"
)

func (s *settingsArea) accountList(c *fiber.Ctx) error {
	return s.showAccounts(c, templates.AccountsView{})
}

func (s *settingsArea) showAccounts(c *fiber.Ctx, v templates.AccountsView) error {
	if s.Accounts == nil {
		return fiber.ErrNotFound
	}
	var err error
	if v.Rows, err = s.Accounts.List(c.UserContext()); err != nil {
		return err
	}
	v.Settings = s.settingsPage(c, "Accounts", "/settings/accounts")
	return s.render(c, templates.Accounts(v))
}

// openFields are the fields of an account that come back with a form that was
// not taken. Keys never do.
var openFields = []string{"account", "base_url", "contract_base_url", "api_version", "locale"}

func (s *settingsArea) addAccount(c *fiber.Ctx) error {
	if s.Accounts == nil {
		return fiber.ErrNotFound
	}
	fields := s.form(c)
	err := s.Accounts.Add(c.UserContext(), s.by(c), AccountForm{
		Name: fields.Get("account"), BaseURL: fields.Get("base_url"), ContractBaseURL: fields.Get("contract_base_url"),
		APIVersion: fields.Get("api_version"), Locale: fields.Get("locale"),
		Keys: keyIn(fields, "api_"), TradingKeys: keyIn(fields, "trading_api_"),
	})
	if err == nil {
		return backToSettings(c, "/settings/accounts", "account")
	}
	form := templates.Form{Values: map[string]string{}}
	for _, name := range openFields {
		form.Values[name] = fields.Get(name)
	}
	if !refusedForm(c, &form, err, "account") {
		return err
	}
	return s.showAccounts(c, templates.AccountsView{New: form})
}

// keyIn is a key as the fields of a form have it.
func keyIn(fields url.Values, prefix string) AccountKey {
	return AccountKey{Key: fields.Get(prefix + "key"), Secret: fields.Get(prefix + "secret"), Passphrase: fields.Get(prefix + "passphrase")}
}

// refusedForm puts what is wrong with a form beside its fields: a broken rule
// beside the one of that name. Other errors it leaves alone.
func refusedForm(c *fiber.Ctx, form *templates.Form, err error, ruled string) bool {
	if faults, ok := errors.AsType[FieldFaults](err); ok {
		for name, text := range faults {
			form.Fault(name, text)
		}
	}
	form.Fault(ruled, problemOf(err))
	if len(form.Faults) == 0 {
		return false
	}
	c.Status(http.StatusBadRequest)
	return true
}

// rotateAccount gives a stored account other keys.
func (s *settingsArea) rotateAccount(c *fiber.Ctx) error {
	if s.Accounts == nil {
		return fiber.ErrNotFound
	}
	fields := s.form(c)
	name := affiliate.Account(fields.Get("account"))
	seen, err := seenIn(fields)
	if err != nil {
		return err
	}
	err = s.Accounts.Rotate(c.UserContext(), s.by(c), name, seen, keyIn(fields, "api_"), keyIn(fields, "trading_api_"))
	if err == nil {
		return backToSettings(c, "/settings/accounts", "rotated")
	}
	form := changeOf("keys", templates.Hidden)
	if staleOf(err) != "" {
		if err := s.accountConflict(c, &form, staleOf(err), name, seen); err != nil {
			return err
		}
	} else if !refusedForm(c, &form, err, "api_key") {
		return err
	}
	return s.showAccounts(c, templates.AccountsView{Rotated: name, Rotate: form})
}

func (s *settingsArea) disableAccount(c *fiber.Ctx) error { return s.useAccount(c, true, "unused") }
func (s *settingsArea) enableAccount(c *fiber.Ctx) error  { return s.useAccount(c, false, "used") }

func (s *settingsArea) useAccount(c *fiber.Ctx, disabled bool, done string) error {
	if s.Accounts == nil {
		return fiber.ErrNotFound
	}
	name := affiliate.Account(s.form(c).Get("account"))
	seen, err := seenIn(s.form(c))
	if err != nil {
		return err
	}
	err = s.Accounts.Disable(c.UserContext(), s.by(c), name, seen, disabled)
	switch {
	case err == nil:
		return backToSettings(c, "/settings/accounts", done)
	case staleOf(err) == "":
		return err
	}
	form := changeOf("use", templates.UseWords(disabled))
	if err := s.accountConflict(c, &form, staleOf(err), name, seen); err != nil {
		return err
	}
	return s.showAccounts(c, templates.AccountsView{Used: name, Use: form})
}

// accountActions are the changes of an account, as the audit log calls them.
var accountActions = []string{"account keys rotated", "account disabled", "account enabled"}

// accountConflict is the answer where somebody else changed an account meanwhile.
func (s *settingsArea) accountConflict(c *fiber.Ctx, form *templates.Form, problem string, name affiliate.Account, seen affiliate.Millis) (err error) {
	if form.Meanwhile, err = s.meanwhile(c, string(name), seen, accountActions...); err != nil {
		return err
	}
	list, err := s.Accounts.List(c.UserContext())
	if err != nil {
		return err
	}
	for _, a := range list {
		if !a.Settings && a.Name == name {
			s.conflict(c, form, problem, templates.AccountFields(a, s.Zone), templates.AccountLabels)
			return nil
		}
	}
	return &store.RuleError{Problem: "There is no such account any more.", Missing: true}
}

// testAccount shows at once what the exchange said. Nothing of it is kept but
// its line in the audit log.
func (s *settingsArea) testAccount(c *fiber.Ctx) error {
	if s.Accounts == nil {
		return fiber.ErrNotFound
	}
	name := affiliate.Account(s.form(c).Get("account"))
	checks, err := s.Accounts.Test(c.UserContext(), s.by(c), name)
	if err != nil {
		return err
	}
	return s.showAccounts(c, templates.AccountsView{Tested: name, Checks: checks})
}
