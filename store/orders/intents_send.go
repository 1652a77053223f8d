package orders

import (
	"context"
	"fmt"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Claim is the decision about an intent that waits to be sent.
type Claim struct {
	State   IntentState        // IntentSending, IntentDryRun or IntentNotSent
	Rule    string             // that keeps it from being sent
	Message string             // the same in words
	Worth   []affiliate.Number // of each order, by current prices; nil: as stored
}

// ClaimIntent decides about an intent that was stored and not sent, in one transaction with
// the state of the desk. Only the caller that gets claimed with IntentSending may send it,
// and no other caller ever does. If another caller was first, decide is not called and the
// intent is returned as that caller left it.
func ClaimIntent(ctx context.Context, s *store.Store, id string, q ExposureQuery, by audit.Line, decide func(Intent, Exposure) Claim) (in Intent, claimed bool, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if in, err = intent(ctx, tx, id); err != nil || in.Orders[0].State != IntentDrafted {
			return err
		}
		now, err := exposure(ctx, tx, q)
		if err != nil {
			return err
		}
		c := decide(in, now)
		if err := in.claim(ctx, tx, stamp, c); err != nil {
			return err
		}
		claimed = true
		by.Action, by.Object, by.Outcome = "order "+string(c.State), in.object(), c.Message
		if err := audit.Append(ctx, s, tx, stamp, by); err != nil {
			return err
		}
		in, err = intent(ctx, tx, id)
		return err
	})
	if err != nil {
		return Intent{}, false, fmt.Errorf("claiming intent %.40q: %w", id, err)
	}
	return in, claimed, nil
}

func (in Intent) claim(ctx context.Context, tx *store.Tx, stamp affiliate.Millis, c Claim) error {
	if _, err := tx.ExecContext(ctx, `UPDATE intents SET sent_ms = ?, owner = ? WHERE id = ?`,
		store.OptIf(c.State == IntentSending, &stamp), tx.Store().Owner(), in.ID); err != nil {
		return err
	}
	for n, o := range in.Orders {
		if c.Worth != nil {
			o.Worth = c.Worth[n]
		}
		_, err := tx.ExecContext(ctx, `UPDATE intent_orders SET state = ?, rule = ?, message = ?, worth = ? WHERE intent_id = ? AND n = ?`,
			c.State, c.Rule, c.Message, o.Worth, in.ID, n)
		if err != nil {
			return err
		}
	}
	return nil
}

// RecordOutcomes stores the outcomes of orders of an intent, matched by N, with a line of
// the audit log for each. An order that was settled meanwhile is not changed.
func RecordOutcomes(ctx context.Context, s *store.Store, id string, orders []IntentOrder, by audit.Line) (in Intent, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if in, err = intent(ctx, tx, id); err != nil {
			return err
		}
		for _, o := range orders {
			if err := recordOutcome(ctx, s, tx, stamp, in, o, by); err != nil {
				return err
			}
		}
		in, err = intent(ctx, tx, id)
		return err
	})
	if err != nil {
		return Intent{}, fmt.Errorf("writing what became of intent %.40q: %w", id, err)
	}
	return in, nil
}

func recordOutcome(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, in Intent, o IntentOrder, by audit.Line) error {
	result, err := tx.ExecContext(ctx, `
		UPDATE intent_orders SET state = ?, order_id = iif(? = '', order_id, ?), status = ?, code = ?, message = ?, class = ?, rule = ?, at_ms = ?
		WHERE intent_id = ? AND n = ? AND state IN ('sending', 'unknown')`,
		o.State, o.OrderID, o.OrderID, o.Status, o.Code, o.Message, o.Class, o.Rule, store.Opt(&o.At), in.ID, o.N)
	if err != nil {
		return err
	}
	written, err := result.RowsAffected()
	if err != nil {
		return err
	}
	by.Action, by.Object = "order "+string(o.State), in.object()
	by.Detail, by.Outcome = o.named(), o.answer()
	if written == 0 {
		by.Outcome = "not kept, it was settled before: " + by.Outcome
	}
	return audit.Append(ctx, s, tx, stamp, by)
}

// named identifies the order in a message.
func (o IntentOrder) named() string {
	text := "order " + strconv.Itoa(o.N+1)
	if o.ClientID != "" {
		text += ", client order id " + o.ClientID
	}
	if o.OrderID != "" {
		text += ", order id " + o.OrderID
	}
	return text
}

// answer returns the exchange's answer as one line.
func (o IntentOrder) answer() string {
	text := string(o.State)
	if o.Status != 0 {
		text += ", HTTP " + strconv.Itoa(o.Status)
	}
	if o.Code != "" {
		text += ", code " + o.Code
	}
	if o.Message != "" {
		text += ": " + o.Message
	}
	return text
}
