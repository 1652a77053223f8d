package goals

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

// Key says which commission a goal is about. It is comparable, and at most one goal in
// force has it.
type Key struct {
	Month   affiliate.Day     // its first day
	Account affiliate.Account // empty: every account
	Coin    affiliate.Coin    // empty: all coins, converted
	Code    string            // invite code; empty: all
	Tag     string            // of invitees; empty: all
	Segment string            // name of a segment of invitees; empty: all
}

// Goal is what a month should bring.
type Goal struct {
	Key
	ID      int64            // a change gives a new one
	Amount  affiliate.Number // commission; positive
	Actor   string           // who set it
	Created affiliate.Millis
}

// Most is the maximum number of goals of one month.
const Most = 50

// String names the goal for the audit log, without its amount.
func (k Key) String() string {
	parts := []string{k.Month.Format("2006-01")}
	for _, part := range []struct{ name, value string }{
		{"", string(k.Coin)}, {"code ", k.Code}, {"tag ", k.Tag}, {"segment ", k.Segment}, {"account ", string(k.Account)},
	} {
		if part.value != "" {
			parts = append(parts, part.name+part.value)
		}
	}
	if k.Coin == "" {
		parts[0] += " all coins"
	}
	return strings.Join(parts, ", ")
}

// List lists the goals of months that begin in a range of days, as known at an instant, where
// unknown means now: by month, account, coin, code, tag and segment, those of everything first.
func List(ctx context.Context, r *store.Tx, months affiliate.Days, at affiliate.Millis) ([]Goal, error) {
	var w store.Where
	w.Add(`g.month >= ? AND g.month <= ?`, store.DayText(months.First), store.DayText(months.Last))
	if at.Known() {
		w.Add(`g.created_ms <= ? AND (g.removed_ms IS NULL OR g.removed_ms > ?)`, int64(at), int64(at))
	} else {
		w.Add(`g.removed_ms IS NULL`)
	}
	list, err := readGoals(ctx, r, w)
	if err != nil {
		return nil, fmt.Errorf("reading the goals: %w", err)
	}
	return list, nil
}

func readGoals(ctx context.Context, r *store.Tx, w store.Where) ([]Goal, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (g Goal, err error) {
		err = rows.Scan(&g.ID, (*store.DayText)(&g.Month), &g.Account, &g.Coin, &g.Code, &g.Tag, &g.Segment, &g.Amount, &g.Actor, &g.Created)
		return g, err
	}, `
		SELECT g.id, g.month, coalesce(a.name, ''), g.coin, g.code, g.tag, g.segment, g.amount, g.actor, g.created_ms
		FROM goals g LEFT JOIN accounts a ON a.id = g.account_id
		WHERE `+w.String()+`
		ORDER BY g.month, coalesce(a.name, ''), g.coin, g.code, g.tag, g.segment, g.id`, w.Args...)
}

// Add stores a new goal, together with its line of the audit log, and returns its id. One
// of the same key, an unknown account and more than [Most] of a month are a
// *[store.RuleError]. The caller has checked that coin, code and tag exist.
func Add(ctx context.Context, s *store.Store, g Goal, by audit.Line) (id int64, err error) {
	if g.Amount, err = amountOf(g.Amount); err != nil {
		return 0, err
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		account, err := accountOf(ctx, tx, g.Account)
		if err != nil {
			return err
		}
		list, err := ofMonth(ctx, tx, g.Month)
		if err != nil {
			return err
		}
		for _, other := range list {
			if other.Key == g.Key {
				return &store.RuleError{Problem: fmt.Sprintf("There is a goal for this already, of %s: change that one.", other.Amount), Field: "amount"}
			}
		}
		if len(list) >= Most {
			return store.Refuse("A month has at most %d goals: remove one first.", Most)
		}
		id, err = insert(ctx, s, tx, stamp, g, account, "goal added", by)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("adding a goal: %w", err)
	}
	return id, nil
}

// Change gives a goal another amount, together with its line of the audit log. The same
// amount changes nothing. A goal that was changed or removed meanwhile is a *[store.RuleError].
func Change(ctx context.Context, s *store.Store, id int64, amount affiliate.Number, by audit.Line) error {
	amount, err := amountOf(amount)
	if err != nil {
		return err
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		g, err := inForce(ctx, tx, id)
		if err != nil || g.Amount == amount {
			return err
		}
		account, err := accountOf(ctx, tx, g.Account)
		if err != nil {
			return err
		}
		if err := end(ctx, tx, id, stamp); err != nil {
			return err
		}
		before := g.Amount
		g.Amount = amount
		by.Detail = " instead of " + string(before)
		_, err = insert(ctx, s, tx, stamp, g, account, "goal changed", by)
		return err
	})
	if err != nil {
		return fmt.Errorf("changing a goal: %w", err)
	}
	return nil
}

// Remove removes a goal, together with its line of the audit log. It stays stored for
// queries about earlier instants. One that is gone is a *[store.RuleError].
func Remove(ctx context.Context, s *store.Store, id int64, by audit.Line) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		g, err := inForce(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := end(ctx, tx, id, stamp); err != nil {
			return err
		}
		by.Action, by.Object, by.Detail = "goal removed", g.Key.String(), string(g.Amount)
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("removing a goal: %w", err)
	}
	return nil
}

// Copy adds to a month the goals of another one, each with its line of the audit log, and
// returns how many it added. A goal whose key the month has already is left alone, so a form
// sent twice copies once.
func Copy(ctx context.Context, s *store.Store, from, to affiliate.Day, by audit.Line) (added int, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		added = 0
		copied, err := ofMonth(ctx, tx, from)
		if err != nil {
			return err
		}
		present, err := ofMonth(ctx, tx, to)
		if err != nil {
			return err
		}
		taken := map[Key]bool{}
		for _, g := range present {
			taken[g.Key] = true
		}
		for _, g := range copied {
			if g.Month = to; taken[g.Key] {
				continue
			}
			if len(taken) >= Most {
				return store.Refuse("A month has at most %d goals: remove some first.", Most)
			}
			account, err := accountOf(ctx, tx, g.Account)
			if err != nil {
				return err
			}
			by.Detail = ", as in " + from.Format("2006-01")
			if _, err := insert(ctx, s, tx, stamp, g, account, "goal added", by); err != nil {
				return err
			}
			taken[g.Key] = true
			added++
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("copying the goals of a month: %w", err)
	}
	return added, nil
}

// insert writes a goal and its line of the audit log, whose detail is the amount followed by
// what by has as its detail.
func insert(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, g Goal, account int64, action string, by audit.Line) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `
		INSERT INTO goals (id, month, account_id, coin, code, tag, segment, amount, actor, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		store.RandomID(), store.DayText(g.Month), store.Opt(&account), g.Coin, g.Code, g.Tag, g.Segment, g.Amount, by.Actor, stamp).Scan(&id)
	if err != nil {
		return 0, err
	}
	by.Action, by.Object, by.Detail = action, g.Key.String(), string(g.Amount)+by.Detail
	return id, audit.Append(ctx, s, tx, stamp, by)
}

func end(ctx context.Context, tx *store.Tx, id int64, stamp affiliate.Millis) error {
	_, err := tx.ExecContext(ctx, `UPDATE goals SET removed_ms = ? WHERE id = ?`, stamp, id)
	return err
}

func ofMonth(ctx context.Context, tx *store.Tx, month affiliate.Day) ([]Goal, error) {
	var w store.Where
	w.Add(`g.month = ? AND g.removed_ms IS NULL`, store.DayText(month))
	return readGoals(ctx, tx, w)
}

// inForce returns a goal that nobody changed or removed.
func inForce(ctx context.Context, tx *store.Tx, id int64) (Goal, error) {
	var w store.Where
	w.Add(`g.id = ? AND g.removed_ms IS NULL`, id)
	list, err := readGoals(ctx, tx, w)
	switch {
	case err != nil:
		return Goal{}, err
	case len(list) == 0:
		return Goal{}, &store.RuleError{Problem: "This goal was changed or removed meanwhile: nothing was saved. Open the page again.", Missing: true, Stale: true}
	}
	return list[0], nil
}

// amountOf returns an amount as it is stored. One that is no positive number is refused.
func amountOf(amount affiliate.Number) (affiliate.Number, error) {
	n, err := affiliate.ParseNumber(strings.TrimSpace(string(amount)))
	switch {
	case err != nil:
		return "", &store.RuleError{Problem: "Give the amount in digits, with a point before decimals, such as 8000 or 0.25: at most 20 digits and 18 decimals.", Field: "amount"}
	case !n.Decimal().IsPositive():
		return "", &store.RuleError{Problem: "A goal is more than 0.", Field: "amount"}
	}
	return n.Canonical(), nil
}

// accountOf returns the row ID of a stored account, or 0 for the empty name.
func accountOf(ctx context.Context, tx *store.Tx, name affiliate.Account) (id int64, err error) {
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
