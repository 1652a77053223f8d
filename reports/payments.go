package reports

import (
	"context"
	"fmt"

	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	stored "rebatedesk/store/payments"
)

// Payment answers the query for one line of the books with what is behind it. If there is no
// such line, the error is a *store.RuleError with Missing. Of the query only the instant
// counts.
func (s *Service) Payment(ctx context.Context, asked query.Query, line stored.LineKey) (payments.Detail, error) {
	asked.Account = ""
	return Fresh(ctx, s, asked, func(ctx context.Context, q *snapshot.Snapshot) (payments.Detail, error) {
		return payments.MakeOne(ctx, q, line)
	})
}

// AddPaymentNote adds a note about a line that the books have now. A rejected write is a
// *store.RuleError.
func (s *Service) AddPaymentNote(ctx context.Context, n stored.Note, by audit.Line) error {
	if _, err := s.Payment(ctx, query.Query{Zone: s.store.Zone()}, n.Line); err != nil {
		return err
	}
	return stored.AddNote(ctx, s.store, n, by)
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
