package payments

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/dated"
)

// FixedRule is a payout rule that a user fixed.
type FixedRule struct {
	ID      int64
	Account affiliate.Account // empty: every account
	From    affiliate.Day     // UTC day of the first period under the rule
	Rule    string            // as in the setting PAYOUT_RULE; "auto": found in the data
	Actor   string
	Created affiliate.Millis
}

// AutoRule is a FixedRule.Rule that is found in the data, and the default of the setting.
const AutoRule = "auto"

// mostRule is the maximum number of bytes of a rule.
const mostRule = 1000

// Rules has the rules that a user fixed: by account and day, those of every account first. An unknown
// account is refused. The caller has checked the text of a rule.
var Rules = &dated.Table[FixedRule]{
	Name: "payout_rules", Noun: "payout rule", Numbered: true,
	Columns: []dated.Column[FixedRule]{
		dated.Account(false, func(r *FixedRule) *affiliate.Account { return &r.Account }),
		dated.Day("first_day", func(r *FixedRule) *affiliate.Day { return &r.From }),
		dated.Text("rule", func(r *FixedRule) *string { return &r.Rule }),
	},
	Stamp: func(r *FixedRule) dated.Stamp { return dated.Stamp{ID: &r.ID, Actor: &r.Actor, Created: &r.Created} },
	Order: `coalesce(a.name, ''), t.first_day, t.id`,
	Check: func(r *FixedRule) error {
		if r.Rule == "" || len(r.Rule) > mostRule {
			return store.Refuse("A payout rule has 1 to %d characters.", mostRule)
		}
		return nil
	},
	Words: func(r, _ *FixedRule) (object, detail string) {
		return cmp.Or(string(r.Account), "every account"), r.Rule + " from " + r.From.String()
	},
}

// FixedRules lists the rules that nobody removed, as known at an instant, where unknown means
// now. Of several with the same account and day only the newest is listed.
func FixedRules(ctx context.Context, r *store.Tx, at affiliate.Millis) ([]FixedRule, error) {
	all, err := Rules.List(ctx, r, at, store.Where{})
	if err != nil {
		return nil, err
	}
	kept := all[:0]
	for _, rule := range all {
		if n := len(kept); n > 0 && kept[n-1].Account == rule.Account && kept[n-1].From == rule.From {
			kept[n-1] = rule
			continue
		}
		kept = append(kept, rule)
	}
	return kept, nil
}

// FixRule fixes a rule from a UTC day on, see [dated.Table.Add]. It replaces a rule of the same account
// and day.
func FixRule(ctx context.Context, s *store.Store, rule FixedRule, by audit.Line) (id int64, err error) {
	by.Action = "payout rule fixed"
	return Rules.Add(ctx, s, rule, by)
}

// RemoveRule removes a fixed rule and those of the same account and day that it had replaced,
// together with its line of the audit log. It stays stored for queries about earlier instants.
// An unknown or removed rule is a *[store.RuleError].
func RemoveRule(ctx context.Context, s *store.Store, id int64, by audit.Line) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		rule, err := Rules.Get(ctx, tx, id)
		if missing, ok := errors.AsType[*store.RuleError](err); ok && missing.Missing {
			return &store.RuleError{Problem: "There is no such payout rule any more.", Missing: true, Stale: true}
		}
		if err != nil {
			return err
		}
		var w store.Where
		w.Add(`t.first_day = ?`, store.DayText(rule.From))
		w.Add(`coalesce(t.account_id, 0) = coalesce((SELECT id FROM accounts WHERE name = ?), 0)`, rule.Account)
		if err := Rules.End(ctx, tx, stamp, by.Actor, w); err != nil {
			return err
		}
		by.Action = "payout rule removed"
		by.Object, by.Detail = Rules.Words(&rule, nil)
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("removing a payout rule: %w", err)
	}
	return nil
}
