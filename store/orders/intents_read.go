package orders

import (
	"context"
	"errors"
	"fmt"
	"math"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// ErrNoIntent is returned for an ID that no intent has.
var ErrNoIntent = errors.New("there is no such intent")

// IntentQuery narrows a list of intents. Empty fields do not narrow it.
type IntentQuery struct {
	Account affiliate.Account
	Pair    string
	State   IntentState      // at least one of its orders is in this state
	Before  affiliate.Millis // made before it
	Limit   int              // 0 = 100
}

const intentsInList = 100

// Intents lists intents, newest first.
func Intents(ctx context.Context, r *store.Tx, q IntentQuery) ([]Intent, error) {
	var w store.Where
	w.Add(`true`)
	if q.Account != "" {
		w.Add(`account = ?`, q.Account)
	}
	if q.Pair != "" {
		w.Add(`pair = ?`, q.Pair)
	}
	if q.State != "" {
		w.Add(`EXISTS (SELECT 1 FROM intent_orders s WHERE s.intent_id = intents.id AND s.state = ?)`, q.State)
	}
	if q.Before.Known() {
		w.Add(`made_ms < ?`, q.Before)
	}
	if q.Limit <= 0 {
		q.Limit = intentsInList
	}
	list, err := intents(ctx, r, w, q.Limit)
	if err != nil {
		return nil, fmt.Errorf("reading intents: %w", err)
	}
	return list, nil
}

// ReadIntent reads one intent. It returns [ErrNoIntent] if no intent has the ID.
func ReadIntent(ctx context.Context, r *store.Tx, id string) (Intent, error) {
	in, err := intent(ctx, r, id)
	if err != nil {
		return in, fmt.Errorf("reading intent %.40q: %w", id, err)
	}
	return in, nil
}

// UnsettledIntents returns the intents with an order that is being sent or whose outcome is
// unknown, newest first.
func UnsettledIntents(ctx context.Context, r *store.Tx) ([]Intent, error) {
	var w store.Where
	w.Add(`id IN (SELECT intent_id FROM intent_orders WHERE state IN ('sending', 'unknown'))`)
	list, err := intents(ctx, r, w, math.MaxInt64)
	if err != nil {
		return nil, fmt.Errorf("reading intents: %w", err)
	}
	return list, nil
}

func intent(ctx context.Context, tx *store.Tx, id string) (Intent, error) {
	var w store.Where
	w.Add(`id = ?`, id)
	list, err := intents(ctx, tx, w, 1)
	if err == nil && len(list) == 0 {
		err = ErrNoIntent
	}
	if err != nil {
		return Intent{}, err
	}
	return list[0], nil
}

// intents reads intents with their orders; each intent has at least one.
func intents(ctx context.Context, tx *store.Tx, w store.Where, limit int) (list []Intent, err error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT i.id, i.account, i.kind, i.pair, i.source, i.again, i.typed, i.actor, i.via, i.made_ms, i.sent_ms, i.owner, `+orderColumns+`
		FROM (SELECT * FROM intents WHERE `+w.String()+` ORDER BY made_ms DESC, id LIMIT ?) i
		JOIN intent_orders o ON o.intent_id = i.id
		ORDER BY i.made_ms DESC, i.id, o.n`, append(w.Args, limit)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var in Intent
		var o IntentOrder
		err := rows.Scan(append([]any{
			&in.ID, &in.Account, &in.Kind, &in.Pair, &in.Source, &in.Again, &in.Typed, &in.Actor, &in.Via, &in.Made, &in.Sent, store.Opt(&in.Owner),
		}, o.targets()...)...)
		if err != nil {
			return nil, err
		}
		if last := len(list) - 1; last < 0 || list[last].ID != in.ID {
			list = append(list, in)
		}
		last := &list[len(list)-1]
		last.Orders = append(last.Orders, o)
	}
	return list, rows.Err()
}

// orderColumns are the columns of intent_orders, alias o, in the order of targets.
const orderColumns = `o.n, o.side, o.type, o.force, o.price, o.quantity, o.trigger_price, o.action, o.match, o.margin,
	o.client_id, o.order_id, o.worth, o.coin, o.state, o.status, o.code, o.message, o.class, o.rule, o.at_ms,
	o.verdict, o.reason, o.decided_by, o.overridden_ms`

func (o *IntentOrder) targets() []any {
	return []any{
		&o.N, &o.Side, &o.Type, &o.Force, &o.Price, &o.Quantity, &o.TriggerPrice, &o.Action, &o.Match, &o.Margin,
		&o.ClientID, &o.OrderID, &o.Worth, &o.Coin, &o.State, &o.Status, &o.Code, &o.Message, &o.Class, &o.Rule, &o.At,
		&o.Verdict, &o.Reason, &o.DecidedBy, &o.Overridden,
	}
}
