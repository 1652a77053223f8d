package payments

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// FixedRule is a payout rule that somebody fixed.
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

// FixedRules lists the rules that nobody removed, as known at an instant, where unknown means
// now: by account and day, those of every account first. Of several with the same account and
// day only the newest is listed.
func FixedRules(ctx context.Context, r *store.Tx, at affiliate.Millis) ([]FixedRule, error) {
	var w store.Where
	if at.Known() {
		w.Add(`p.created_ms <= ? AND (p.removed_ms IS NULL OR p.removed_ms > ?)`, int64(at), int64(at))
	} else {
		w.Add(`p.removed_ms IS NULL`)
	}
	all, err := store.Scanned(ctx, r, func(rows *sql.Rows) (rule FixedRule, err error) {
		err = rows.Scan(&rule.ID, &rule.Account, (*store.DayText)(&rule.From), &rule.Rule, &rule.Actor, &rule.Created)
		return rule, err
	}, `
		SELECT p.id, coalesce(a.name, ''), p.first_day, p.rule, p.actor, p.created_ms
		FROM payout_rules p LEFT JOIN accounts a ON a.id = p.account_id
		WHERE `+w.String()+`
		ORDER BY coalesce(a.name, ''), p.first_day, p.id`, w.Args...)
	if err != nil {
		return nil, fmt.Errorf("reading the payout rules: %w", err)
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

// FixRule fixes a rule from a UTC day on, together with its line of the audit log, and
// returns its id. It replaces a rule of the same account and day. The caller has checked the
// text of the rule. An unknown account is a *[store.RuleError].
func FixRule(ctx context.Context, s *store.Store, rule FixedRule, by audit.Line) (id int64, err error) {
	if rule.Rule == "" || len(rule.Rule) > mostRule {
		return 0, store.Refuse("A payout rule has 1 to %d characters.", mostRule)
	}
	by.Action, by.Detail = "payout rule fixed", rule.Rule+" from "+rule.From.String()
	if by.Object = "every account"; rule.Account != "" {
		by.Object = string(rule.Account)
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		account, err := someAccount(ctx, tx, rule.Account)
		if err != nil {
			return err
		}
		err = tx.QueryRowContext(ctx, `
			INSERT INTO payout_rules (account_id, first_day, rule, actor, created_ms) VALUES (?, ?, ?, ?, ?) RETURNING id`,
			store.Opt(&account), store.DayText(rule.From), rule.Rule, by.Actor, stamp).Scan(&id)
		if err != nil {
			return err
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return 0, fmt.Errorf("fixing a payout rule: %w", err)
	}
	return id, nil
}

// RemoveRule removes a fixed rule and those of the same account and day that it had replaced,
// together with its line of the audit log. It stays stored for queries about earlier instants.
// An unknown or removed rule is a *[store.RuleError].
func RemoveRule(ctx context.Context, s *store.Store, id int64, by audit.Line) error {
	by.Action = "payout rule removed"
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		var account int64
		var name affiliate.Account
		var first affiliate.Day
		var rule string
		err := tx.QueryRowContext(ctx, `
			SELECT coalesce(p.account_id, 0), coalesce(a.name, ''), p.first_day, p.rule
			FROM payout_rules p LEFT JOIN accounts a ON a.id = p.account_id
			WHERE p.id = ? AND p.removed_ms IS NULL`, id).Scan(&account, &name, (*store.DayText)(&first), &rule)
		if errors.Is(err, sql.ErrNoRows) {
			return &store.RuleError{Problem: "There is no such payout rule any more.", Missing: true}
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE payout_rules SET removed_ms = ?
			WHERE removed_ms IS NULL AND first_day = ? AND coalesce(account_id, 0) = ?`, stamp, store.DayText(first), account)
		if err != nil {
			return err
		}
		if by.Object = "every account"; name != "" {
			by.Object = string(name)
		}
		by.Detail = rule + " from " + first.String()
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("removing a payout rule: %w", err)
	}
	return nil
}

// someAccount returns the row ID of a stored account, or 0 for the empty name.
func someAccount(ctx context.Context, tx *store.Tx, name affiliate.Account) (id int64, err error) {
	if name == "" {
		return 0, nil
	}
	missing := &store.RuleError{Problem: fmt.Sprintf("There is no account %q.", name), Missing: true, Field: "account"}
	if strings.Contains(string(name), "\x00") {
		return 0, missing // PostgreSQL refuses such a text
	}
	err = tx.QueryRowContext(ctx, `SELECT id FROM accounts WHERE name = ?`, name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, missing
	}
	return id, err
}
