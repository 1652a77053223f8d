package reports

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	stored "rebatedesk/store/payments"
)

// Payments answers the query for one page of what was earned against what was paid. It takes
// [payments.AcceptedOfPayments].
func (s *Service) Payments(ctx context.Context, asked query.Query) (payments.Report, error) {
	if err := asked.Refuse(payments.Foreign, "cannot be used here: payments have no such field"); err != nil {
		return payments.Report{}, err
	}
	return report(ctx, s, "Payments", asked, payments.Make)
}

// Payment answers the query for one line of the books with what is behind it. If there is no
// such line, the error is a *store.RuleError with Missing. Of the query only the instant
// counts.
func (s *Service) Payment(ctx context.Context, asked query.Query, line stored.LineKey) (payments.Detail, error) {
	asked.Account = ""
	return ask(ctx, s, asked, func(ctx context.Context, q *question.Question) (payments.Detail, error) {
		return payments.MakeOne(ctx, q, line)
	})
}

// PayoutRules returns the rules by which the accounts of the query are paid.
func (s *Service) PayoutRules(ctx context.Context, asked query.Query) ([]payments.RuleInUse, error) {
	return ask(ctx, s, asked, payments.MakeRules)
}

// AddPaymentNote adds a note about a line that the books have now. A rejected write is a
// *store.RuleError.
func (s *Service) AddPaymentNote(ctx context.Context, n stored.PaymentNote, by audit.Line) error {
	if _, err := s.Payment(ctx, query.Query{Zone: s.store.Zone()}, n.Line); err != nil {
		return err
	}
	return stored.AddPaymentNote(ctx, s.store, n, by)
}

// FixPayoutRule fixes the rule of an account, or of every account if it is empty, from a UTC
// day on, and returns its id. A text that is no rule, an unknown account, and a day outside of
// those that a query can name are a *store.RuleError.
func (s *Service) FixPayoutRule(ctx context.Context, rule stored.FixedRule, by audit.Line) (int64, error) {
	text, err := payments.ParseRuleSetting(rule.Rule)
	if err != nil {
		return 0, &store.RuleError{Problem: err.Error(), Field: "rule"}
	}
	if rule.From < query.Earliest || rule.From > query.Latest {
		return 0, &store.RuleError{Problem: fmt.Sprintf("Give a day from %s to %s.", query.Earliest, query.Latest), Field: "from"}
	}
	rule.Rule = text
	return stored.FixRule(ctx, s.store, rule, by)
}

// RemovePayoutRule removes a rule that was fixed by hand. One that is gone is a
// *store.RuleError.
func (s *Service) RemovePayoutRule(ctx context.Context, id int64, by audit.Line) error {
	return stored.RemoveRule(ctx, s.store, id, by)
}

// PaymentOverview returns what was paid, what is outstanding, and which payments are not as
// they should be.
func (s *Service) PaymentOverview(ctx context.Context, asked query.Query) (payments.PaymentOverview, error) {
	return report(ctx, s, "PaymentOverview", asked, payments.MakePaymentOverview)
}

// Outstanding returns what is due and was not paid in the coin of the query, and since when
// that is more than a limit.
func (s *Service) Outstanding(ctx context.Context, asked query.Query, limit affiliate.Number) (payments.Outstanding, error) {
	return ask(ctx, s, asked, func(ctx context.Context, q *question.Question) (payments.Outstanding, error) {
		return payments.MakeOutstanding(ctx, q, limit)
	})
}
