package orders

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Exposure holds the sent orders and the kill switch, by which one more intent is checked.
type Exposure struct {
	Switch   Switch
	Spent    map[affiliate.Coin]affiliate.Number // worth of a day's orders, by quote coin; missing: none
	Blocking []Unsettled                         // orders of unknown outcome without an override
	Recent   []IntentOrder                       // sent a moment ago, except those that provably had no effect
}

// Unsettled is an order of unknown outcome with its intent.
type Unsettled struct {
	Intent string
	Owner  string // of the intent
	IntentOrder
}

// ExposureQuery selects the account and the pair of an [Exposure].
type ExposureQuery struct {
	Account affiliate.Account
	Pair    string
	Day     affiliate.Millis // start of the time that Spent counts
	Recent  affiliate.Millis // start of the time that Recent covers
	// Overdue is the instant before which every sent order should have an outcome: an older
	// one that is still being sent is treated as unknown.
	Overdue affiliate.Millis
}

// ReadExposure returns the present exposure.
func ReadExposure(ctx context.Context, r *store.Tx, q ExposureQuery) (Exposure, error) {
	v, err := exposure(ctx, r, q)
	if err != nil {
		return v, fmt.Errorf("reading what was sent: %w", err)
	}
	return v, nil
}

// Spent returns the worth of the orders sent since an instant, of all accounts, by quote
// coin. Orders of unknown outcome count; see [Exposure].
func Spent(ctx context.Context, r *store.Tx, since affiliate.Millis) (map[affiliate.Coin]affiliate.Number, error) {
	sums, err := spent(ctx, r, since)
	if err != nil {
		return nil, fmt.Errorf("reading what was spent: %w", err)
	}
	return sums, nil
}

func exposure(ctx context.Context, tx *store.Tx, q ExposureQuery) (v Exposure, err error) {
	if v.Switch, err = tradingSwitch(ctx, tx); err != nil {
		return v, err
	}
	if v.Spent, err = spent(ctx, tx, q.Day); err != nil {
		return v, err
	}
	blocking, err := ordersOf(ctx, tx, `
		i.account = ? AND i.pair = ? AND o.overridden_ms IS NULL AND o.state IN ('sending', 'unknown')
		AND (o.state = 'unknown' OR i.sent_ms < ?)`, q.Account, q.Pair, q.Overdue)
	if err != nil {
		return v, err
	}
	recent, err := ordersOf(ctx, tx, `
		i.account = ? AND i.pair = ? AND i.sent_ms >= ? AND o.side <> '' AND `+effective, q.Account, q.Pair, q.Recent)
	for _, o := range recent {
		v.Recent = append(v.Recent, o.IntentOrder)
	}
	v.Blocking = blocking
	return v, err
}

// effective is the condition for an order (alias o) that had an effect at the exchange, or
// may have had one.
const effective = `o.state IN ('sending', 'placed', 'unknown', 'resolved') AND o.verdict <> '` + VerdictNotDone + `'`

func spent(ctx context.Context, tx *store.Tx, since affiliate.Millis) (map[affiliate.Coin]affiliate.Number, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT o.coin, decimal_sum(o.worth) FROM intents i JOIN intent_orders o ON o.intent_id = i.id
		WHERE i.sent_ms >= ? AND o.coin <> '' AND `+effective+` GROUP BY o.coin`, since)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	sums := map[affiliate.Coin]affiliate.Number{}
	for rows.Next() {
		var coin affiliate.Coin
		var sum affiliate.Number
		if err := rows.Scan(&coin, &sum); err != nil {
			return nil, err
		}
		sums[coin] = sum
	}
	return sums, rows.Err()
}

// ordersOf reads the orders (alias o) of intents (alias i) that meet a
// condition, oldest first.
func ordersOf(ctx context.Context, tx *store.Tx, condition string, args ...any) (list []Unsettled, err error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT i.id, i.owner, `+orderColumns+` FROM intents i JOIN intent_orders o ON o.intent_id = i.id
		WHERE `+condition+` ORDER BY i.made_ms, i.id, o.n`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var u Unsettled
		if err := rows.Scan(append([]any{&u.Intent, store.Opt(&u.Owner)}, u.targets()...)...); err != nil {
			return nil, err
		}
		list = append(list, u)
	}
	return list, rows.Err()
}
