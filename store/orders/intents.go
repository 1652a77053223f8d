package orders

import (
	"context"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// IntentState is how far an order of an intent has come.
type IntentState string

// The states. What has left Drafted never comes back to it.
const (
	IntentDrafted   IntentState = "intent"    // written; nothing was sent
	IntentSending   IntentState = "sending"   // about to be sent, or on its way
	IntentPlaced    IntentState = "placed"    // the exchange took it
	IntentCancelled IntentState = "cancelled" // the exchange cancelled what was to be cancelled
	IntentRefused   IntentState = "refused"   // the exchange said no: nothing was done
	IntentNotSent   IntentState = "not-sent"  // provably nothing left this machine
	IntentUnknown   IntentState = "unknown"   // it may have been done, or not
	IntentResolved  IntentState = "resolved"  // it was unknown, and somebody decided what became of it
	IntentDryRun    IntentState = "dry-run"   // everything was done but sending
)

// Intent is one call that changes something at the exchange, with the orders
// or cancellations in it. It is sent at most once.
type Intent struct {
	ID      string // letters and digits; each client order id begins with it
	Account affiliate.Account
	Kind    string // as package trading names it
	Pair    string
	Source  string // page or proxy
	Again   bool   // the same order a moment ago is no mistake
	Typed   string // a digest of what was asked for: another draft cannot pass for this one
	Actor   string // who made it
	Via     string
	Made    affiliate.Millis
	Sent    affiliate.Millis // when sending began; unknown: it never did
	Orders  []IntentOrder
}

// IntentOrder is one order or one cancellation of an intent, and what is known
// of it. Fields that its kind does not have are empty.
type IntentOrder struct {
	N            int    // which of the intent, from 0
	Side         string // buy or sell; empty for a cancellation
	Type         string
	Force        string
	Price        affiliate.Number
	Quantity     affiliate.Number // in base coin
	TriggerPrice affiliate.Number
	Action       string           // of a trigger order: 1 to 4 (4.13)
	Match        string           // of a trigger order: 0 or 1 (4.13)
	Margin       int              // of a trigger order: 0, 1 or 3 (4.13)
	ClientID     string           // our own id of the order
	OrderID      string           // the exchange's, where it is known
	Worth        affiliate.Number // what it counts for in caps, in Coin; unknown for a cancellation
	Coin         affiliate.Coin   // quote coin

	State   IntentState
	Status  int              // of HTTP; 0 = no answer arrived
	Code    string           // the exchange's
	Message string           // the exchange's words, or ours
	Class   string           // class of the error; empty for a success
	Rule    string           // the rule of ours that kept it from being sent
	At      affiliate.Millis // of the outcome, by the exchange's clock as far as it is known

	// What people decided about an order whose outcome was unknown.
	Verdict    string           // done or not-done, once it is resolved
	Reason     string           // of the verdict or of the override
	DecidedBy  string           // who gave either
	Overridden affiliate.Millis // it blocks no longer, though it is unknown
}

// The verdicts of people.
const (
	VerdictDone    = "done"
	VerdictNotDone = "not-done"
)

const maxReason = 300

// AddIntent writes an intent down, with its line of the audit log, so that it
// can be claimed; nothing of it is sent before. Where there is one of its ID
// already, that one is given back and nothing is written. A client order id
// that the account used before, for an order that may have had an effect, is a
// *RuleError.
func AddIntent(ctx context.Context, s *store.Store, in Intent, by audit.Line) (kept Intent, added bool, err error) {
	by.Action, by.Object = "order prepared", in.object()
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		kept, err = intent(ctx, tx, in.ID)
		if !errors.Is(err, ErrNoIntent) {
			return err
		}
		added = true
		if err := in.usedBefore(ctx, tx); err != nil {
			return err
		}
		if err := in.insert(ctx, tx, stamp); err != nil {
			return err
		}
		if kept, err = intent(ctx, tx, in.ID); err != nil {
			return err
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return Intent{}, false, fmt.Errorf("writing intent %s: %w", in.ID, err)
	}
	return kept, added, nil
}

func (in Intent) object() string { return in.ID + " " + string(in.Account) + " " + in.Pair }

// usedBefore refuses client order ids that cannot tell their order from another
// one any more.
func (in Intent) usedBefore(ctx context.Context, tx *store.Tx) error {
	for _, o := range in.Orders {
		if o.Side == "" {
			continue
		}
		var used bool
		err := tx.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM intent_orders o JOIN intents i ON i.id = o.intent_id
			WHERE o.client_id = ? AND o.side <> '' AND i.account = ? AND o.state NOT IN ('refused', 'not-sent', 'dry-run'))`,
			o.ClientID, in.Account).Scan(&used)
		if err != nil {
			return err
		}
		if used {
			return store.Refuse("The client order id “%s” was used before: give each order one of its own.", o.ClientID)
		}
	}
	return nil
}

func (in Intent) insert(ctx context.Context, tx *store.Tx, stamp affiliate.Millis) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO intents (id, account, kind, pair, source, again, typed, actor, via, made_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		in.ID, in.Account, in.Kind, in.Pair, in.Source, in.Again, in.Typed, in.Actor, in.Via, stamp)
	if err != nil {
		return err
	}
	for n, o := range in.Orders {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO intent_orders (intent_id, n, side, type, force, price, quantity, trigger_price, action, match, margin,
				client_id, order_id, worth, coin, state, status, code, message, class, rule, at_ms,
				verdict, reason, decided_by, overridden_ms)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'intent', 0, '', '', '', '', NULL, '', '', '', NULL)`,
			in.ID, n, o.Side, o.Type, o.Force, o.Price, o.Quantity, o.TriggerPrice, o.Action, o.Match, o.Margin,
			o.ClientID, o.OrderID, o.Worth, o.Coin)
		if err != nil {
			return err
		}
	}
	return nil
}
