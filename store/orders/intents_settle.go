package orders

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// leftUnknown is the message for an order whose sender is gone.
const leftUnknown = "the program ended while it was being sent"

// SweepIntents settles what a dead process has left: orders that were being sent become
// unknown, and orders that a program wanted sent at once but that were not sent become
// not-sent. It returns how many orders became unknown. What a process sends that lives is
// left to it. Without such orders it writes nothing, so that it may run often.
func SweepIntents(ctx context.Context, s *store.Store, by audit.Line) (unknown int, err error) {
	if found, err := anyOnItsWay(ctx, s); err != nil || !found {
		return 0, err
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		left, err := ordersOf(ctx, tx, onItsWay)
		if err != nil {
			return err
		}
		gone := map[string]bool{"": true}
		for _, o := range left {
			if _, known := gone[o.Owner]; !known {
				if gone[o.Owner], err = tx.Gone(ctx, o.Owner); err != nil {
					return err
				}
			}
			if !gone[o.Owner] {
				continue
			}
			state, message := IntentUnknown, leftUnknown
			if o.State == IntentDrafted {
				state, message = IntentNotSent, "the program ended before it was sent"
			} else {
				unknown++
			}
			if err := leave(ctx, s, tx, stamp, o, state, message, by); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("ending what was on its way: %w", err)
	}
	return unknown, nil
}

// onItsWay is the condition for an order (alias o) of an intent (alias i) that its process is
// about to send, or sends.
const onItsWay = `o.state = 'sending' OR o.state = 'intent' AND i.source = 'proxy'`

func anyOnItsWay(ctx context.Context, s *store.Store) (found bool, err error) {
	r, err := s.Read(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	list, err := ordersOf(ctx, r, onItsWay)
	if err != nil {
		return false, fmt.Errorf("looking for what is on its way: %w", err)
	}
	return len(list) > 0, nil
}

// noOutcome is the message for an order that a running process sent without storing its
// outcome.
const noOutcome = "it was sent, or was about to be, and no outcome of it was kept"

// LapseIntent marks the orders of an intent that are being sent as unknown, because no
// process waits for their outcome any more. It returns how many there were.
func LapseIntent(ctx context.Context, s *store.Store, id string, by audit.Line) (unknown int, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		left, err := ordersOf(ctx, tx, `i.id = ? AND o.state = 'sending'`, id)
		unknown = len(left)
		for _, o := range left {
			if err == nil {
				err = leave(ctx, s, tx, stamp, o, IntentUnknown, noOutcome, by)
			}
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("ending what was on its way of intent %.40q: %w", id, err)
	}
	return unknown, nil
}

// leave settles an order that has no outcome.
func leave(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, o Unsettled, state IntentState, message string, by audit.Line) error {
	_, err := tx.ExecContext(ctx, `UPDATE intent_orders SET state = ?, message = ?, at_ms = ? WHERE intent_id = ? AND n = ?`,
		state, message, stamp, o.Intent, o.N)
	if err != nil {
		return err
	}
	by.Action, by.Object, by.Detail, by.Outcome = "order "+string(state), o.Intent, o.named(), message
	return audit.Append(ctx, s, tx, stamp, by)
}

// DecideIntent settles an order of unknown outcome by a user's verdict. An order that is
// not unknown is a *RuleError.
func DecideIntent(ctx context.Context, s *store.Store, id string, n int, verdict, reason string, by audit.Line) (Intent, error) {
	by.Action, by.Outcome = "order resolved", verdict
	return settle(ctx, s, id, n, reason, by, func(tx *store.Tx, _ affiliate.Millis, reason string) (sql.Result, error) {
		return tx.ExecContext(ctx, `
			UPDATE intent_orders SET state = 'resolved', verdict = ?, reason = ?, decided_by = ?
			WHERE intent_id = ? AND n = ? AND state = 'unknown'`, verdict, reason, by.Actor, id, n)
	})
}

// OverrideIntent lifts the block of an order of unknown outcome; the outcome stays unknown.
// An order that is not unknown is a *RuleError.
func OverrideIntent(ctx context.Context, s *store.Store, id string, n int, reason string, by audit.Line) (Intent, error) {
	by.Action, by.Outcome = "order block overridden", "unknown still"
	return settle(ctx, s, id, n, reason, by, func(tx *store.Tx, stamp affiliate.Millis, reason string) (sql.Result, error) {
		return tx.ExecContext(ctx, `
			UPDATE intent_orders SET overridden_ms = ?, reason = ?, decided_by = ?
			WHERE intent_id = ? AND n = ? AND state = 'unknown'`, stamp, reason, by.Actor, id, n)
	})
}

// settle runs every decision of a user about an order of unknown outcome.
func settle(ctx context.Context, s *store.Store, id string, n int, reason string, by audit.Line, change func(*store.Tx, affiliate.Millis, string) (sql.Result, error)) (in Intent, err error) {
	if reason, err = store.CheckLabel("The reason", reason, maxReason); err != nil {
		return in, err
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		result, err := change(tx, stamp, reason)
		if err != nil {
			return err
		}
		if changed, err := result.RowsAffected(); err != nil || changed != 1 {
			return errors.Join(err, &store.RuleError{Problem: "There is no such order whose outcome is unknown.", Missing: true})
		}
		if in, err = intent(ctx, tx, id); err != nil {
			return err
		}
		by.Object, by.Detail = in.object(), in.Orders[n].named()+": "+reason
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return Intent{}, fmt.Errorf("%s: %w", by.Action, err)
	}
	return in, nil
}
