package payments

import (
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	stored "rebatedesk/store/payments"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/payments"
	"rebatedesk/web/templates/ui"
)

// ruleParams are the parameters of the page of the payout rules: those that links carry along,
// and what was just done.
var ruleParams = query.AcceptedParams{Taken: []string{"range", "from", "to", "account", "as_of"}, Usual: query.Last90}

// ruleDone are the changes that the page can confirm after a redirect.
var ruleDone = map[string]string{
	"fixed":   "The rule is fixed. All lines follow it from now on.",
	"removed": "The rule is removed.",
}

// Rule shows the payout rules in use.
func (s *Area) Rule(c *fiber.Ctx) error { return s.showRules(c, nil) }

// showRules answers with the page of the payout rules, and with a refused form if there is one.
func (s *Area) showRules(c *fiber.Ctx, form *ui.Form) error {
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	done, _ := handler.Confirmed(values, ruleDone)
	basis, err := s.Whole.Basis(c.UserContext())
	if err != nil {
		return fmt.Errorf("basis of the query: %w", err)
	}
	basis.AcceptedParams = ruleParams
	q, err := query.Parse(values, basis)
	if err != nil {
		return err
	}
	page := s.Page(c, "Payout rules", templates.PaymentsPath)
	page.Carry = ui.Carry(q)
	view := templates.RuleView{Query: q, Zone: s.Zone, Done: done, Reported: s.Reported(c)}
	if view.Rules, err = reports.Fresh(c.UserContext(), s.Whole, q, payments.MakeRules); err != nil {
		return fmt.Errorf("payout rules: %w", err)
	}
	for _, rule := range view.Rules {
		if n := len(view.Accounts); n == 0 || view.Accounts[n-1] != rule.Account {
			view.Accounts = append(view.Accounts, rule.Account)
		}
	}
	if s.Desk != nil && q.AsOf.IsZero() && s.May(c, access.MayAdminister) {
		view.Token = s.Token(c)
		if view.Form = templates.NewRuleForm(view.Rules, affiliate.DayOf(basis.Now, time.UTC)); form != nil {
			view.Form = *form
		}
	}
	return s.Render(c, templates.Rule(page, view))
}

// FixRule fixes a payout rule from a day on.
func (s *Area) FixRule(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		for _, name := range templates.RuleFormFields {
			f.Values[name] = f.Fields.Get(name)
		}
		rule := stored.FixedRule{Account: affiliate.Account(f.Fields.Get("account")), Rule: templates.RuleIn(f.Fields, &f.Form), From: f.Day("from", "Give a day, such as 2026-09-01.")}
		if f.Wrong() {
			return "", nil
		}
		_, err := s.Desk.FixPayoutRule(c.UserContext(), rule, f.By)
		return handler.Confirming(templates.PayoutRulePath, "fixed"), err
	}, func(f *handler.Sent) error { return s.showRules(c, &f.Form) })
}

// RemoveRule removes a payout rule that was fixed.
func (s *Area) RemoveRule(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		return handler.Confirming(templates.PayoutRulePath, "removed"), stored.RemoveRule(c.UserContext(), s.Desk.Store(), f.ID, f.By)
	}, nil)
}
