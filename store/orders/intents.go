package orders

import (
	"context"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// IntentState is the state of an order of an intent.
type IntentState string

// The states of an order. An order that has left Drafted never returns to it.
const (
	IntentDrafted   IntentState = "intent"    // written; nothing was sent
	IntentSending   IntentState = "sending"   // about to be sent, or on its way
	IntentPlaced    IntentState = "placed"    // accepted by the exchange
	IntentCancelled IntentState = "cancelled" // cancelled by the exchange
	IntentRefused   IntentState = "refused"   // refused by the exchange: nothing was done
	IntentNotSent   IntentState = "not-sent"  // it provably never left this machine
	IntentUnknown   IntentState = "unknown"   // it may or may not have been done
	IntentResolved  IntentState = "resolved"  // it was unknown, and a user decided its outcome
	IntentDryRun    IntentState = "dry-run"   // everything was done except sending
)

// Intent is one call that changes something at the exchange, with its orders or
// cancellations. It is sent at most once.
type Intent struct {
	ID      string // letters and digits; each client order id begins with it
	Account affiliate.Account
	Kind    string // named by package trading
	Pair    string
	Source  string // page or proxy
	Again   bool   // the same order a moment ago was not a mistake
	Typed   string // digest of the request: another draft cannot pass for this one
	Actor   string // the user who made it
	Via     string
	Made    affiliate.Millis
	Sent    affiliate.Millis // when sending began; unknown: never
	Owner   string           // the process that sends it, see [store.Store.Owner]; empty: unknown, or the only one
	Orders  []IntentOrder
}

// IntentOrder is one order or one cancellation of an intent, with its known outcome. Fields
// that its kind does not have are empty.
type IntentOrder struct {
	N            int    // index in the intent, from 0
	Side         string // buy or sell; empty for a cancellation
	Type         string
	Force        string
	Price        affiliate.Number
	Quantity     affiliate.Number // in base coin
	TriggerPrice affiliate.Number
	Action       string           // of a trigger order: 1 to 4 (4.13)
	Match        string           // of a trigger order: 0 or 1 (4.13)
	Margin       int              // of a trigger order: 0, 1 or 3 (4.13)
	ClientID     string           // our id of the order
	OrderID      string           // the exchange's id, if known
	Worth        affiliate.Number // its value for the caps, in Coin; unknown for a cancellation
	Coin         affiliate.Coin   // quote coin

	State   IntentState
	Status  int              // HTTP status; 0 = no answer arrived
	Code    string           // code of the exchange
	Message string           // words of the exchange, or ours
	Class   string           // class of the error; empty for a success
	Rule    string           // our rule that kept it from being sent
	At      affiliate.Millis // time of the outcome, by the exchange's clock as far as it is known

	// The decision of a user about an order whose outcome was unknown.
	Verdict    string           // done or not-done, once it is resolved
	Reason     string           // of the verdict or of the override
	DecidedBy  string           // the user who gave the verdict or override
	Overridden affiliate.Millis // when it stopped blocking although its outcome is unknown
}

// The verdicts of users.
const (
	VerdictDone    = "done"
	VerdictNotDone = "not-done"
)

const maxReason = 300

// AddIntent stores an intent with its line of the audit log, so that it can be claimed;
// nothing of it is sent before. If an intent with its ID already exists, that intent is
// returned and nothing is written. A client order id that the account used before, for an
// order that may have had an effect, is a *RuleError.
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

// usedBefore refuses client order ids that no longer identify a single order.
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
		INSERT INTO intents (id, account, kind, pair, source, again, typed, actor, via, made_ms, owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		in.ID, in.Account, in.Kind, in.Pair, in.Source, in.Again, in.Typed, in.Actor, in.Via, stamp, tx.Store().Owner())
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
