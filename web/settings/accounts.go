package settings

import (
	"errors"
	"net/http"
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
var openFields = []string{"account", "base_url", "contract_base_url", "api_version", "locale"}

func (s *Area) AddAccount(c *fiber.Ctx) error {
	if s.Accounts == nil {
		return fiber.ErrNotFound
	}
	fields := s.Form(c)
	err := s.Accounts.Add(c.UserContext(), s.By(c), admin.AccountForm{
		Name: fields.Get("account"), BaseURL: fields.Get("base_url"), ContractBaseURL: fields.Get("contract_base_url"),
		APIVersion: fields.Get("api_version"), Locale: fields.Get("locale"),
		Keys: keyIn(fields, "api_"), TradingKeys: keyIn(fields, "trading_api_"), Idle: s.ofSetup(c),
	})
	if err == nil && s.ofSetup(c) {
		return backToSetup(c, markKey, "account")
	}
	if err == nil {
		return backToSettings(c, "/settings/accounts", "account")
	}
	form := ui.Form{Values: map[string]string{}}
	for _, name := range openFields {
		form.Values[name] = fields.Get(name)
	}
	if !refusedForm(c, &form, err, "account") {
		return err
	}
	if s.ofSetup(c) {
		return s.showSetup(c, templates.StepsView{Current: markKey, New: form})
	}
	return s.showAccounts(c, templates.AccountsView{New: form})
}

// keyIn returns the key in the fields of a form.
func keyIn(fields url.Values, prefix string) admin.AccountKey {
	return admin.AccountKey{Key: fields.Get(prefix + "key"), Secret: fields.Get(prefix + "secret"), Passphrase: fields.Get(prefix + "passphrase")}
}

// refusedForm shows the errors of a form at their fields: a broken rule at the field of
// that name. It leaves other errors alone.
func refusedForm(c *fiber.Ctx, form *ui.Form, err error, ruled string) bool {
	if faults, ok := errors.AsType[admin.FieldFaults](err); ok {
		for name, text := range faults {
			form.Fault(name, text)
		}
	}
	form.Fault(ruled, handler.ProblemOf(err))
	if len(form.Faults) == 0 {
		return false
	}
	c.Status(http.StatusBadRequest)
	return true
}

// RotateAccount gives a stored account new keys.
func (s *Area) RotateAccount(c *fiber.Ctx) error {
	if s.Accounts == nil {
		return fiber.ErrNotFound
	}
	fields := s.Form(c)
	name := affiliate.Account(fields.Get("account"))
	seen, err := handler.SeenIn(fields)
	if err != nil {
		return err
	}
	err = s.Accounts.Rotate(c.UserContext(), s.By(c), name, seen, keyIn(fields, "api_"), keyIn(fields, "trading_api_"))
	if err == nil && s.ofSetup(c) {
		return backToSetup(c, markKey, "rotated")
	}
	if err == nil {
		return backToSettings(c, "/settings/accounts", "rotated")
	}
	form := handler.FormOf("keys", ui.Hidden)
	if handler.StaleOf(err) != "" {
		if err := s.accountConflict(c, &form, handler.StaleOf(err), name, seen); err != nil {
			return err
		}
	} else if !refusedForm(c, &form, err, "api_key") {
		return err
	}
	if s.ofSetup(c) {
		return s.showSetup(c, templates.StepsView{Current: markKey, Rotate: form})
	}
	return s.showAccounts(c, templates.AccountsView{Rotated: name, Rotate: form})
}

func (s *Area) DisableAccount(c *fiber.Ctx) error { return s.useAccount(c, true, "unused") }
func (s *Area) EnableAccount(c *fiber.Ctx) error  { return s.useAccount(c, false, "used") }

func (s *Area) useAccount(c *fiber.Ctx, disabled bool, done string) error {
	if s.Accounts == nil {
		return fiber.ErrNotFound
	}
	name := affiliate.Account(s.Form(c).Get("account"))
	seen, err := handler.SeenIn(s.Form(c))
	if err != nil {
		return err
	}
	err = s.Accounts.Disable(c.UserContext(), s.By(c), name, seen, disabled)
	switch {
	case err == nil:
		return backToSettings(c, "/settings/accounts", done)
	case handler.StaleOf(err) == "":
		return err
	}
	form := handler.FormOf("use", templates.UseWords(disabled))
	if err := s.accountConflict(c, &form, handler.StaleOf(err), name, seen); err != nil {
		return err
	}
	return s.showAccounts(c, templates.AccountsView{Used: name, Use: form})
}

// accountActions maps the changes of an account to their names in the audit log.
var accountActions = []string{"account keys rotated", "account disabled", "account enabled"}

// accountConflict answers a form that lost to a concurrent change of the account.
func (s *Area) accountConflict(c *fiber.Ctx, form *ui.Form, problem string, name affiliate.Account, seen affiliate.Millis) (err error) {
	if form.Meanwhile, err = s.Meanwhile(c, string(name), seen, accountActions...); err != nil {
		return err
	}
	list, err := s.Accounts.List(c.UserContext())
	if err != nil {
		return err
	}
	for _, a := range list {
		if !a.Settings && a.Name == name {
			s.Conflict(c, form, problem, templates.AccountFields(a, s.Zone), templates.AccountLabels)
			return nil
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
		return s.showSetup(c, templates.StepsView{Current: markKey, Checks: checks})
	}
	return s.showAccounts(c, templates.AccountsView{Tested: name, Checks: checks})
}
