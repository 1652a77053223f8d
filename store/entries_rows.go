package store

import (
	"context"

	"rebatedesk/affiliate"
)

// eachRecord gives the records of the filter as entries.
func (r *Tx) eachRecord(ctx context.Context, f CommissionFilter, k kind, see func(*entry) error) error {
	w := f.rows(f.Days.Range(r.ReportingZone()))
	rows, err := r.QueryContext(ctx, `
		SELECT c.account_id, c.product, c.deal_time_ms, c.uid, c.symbol, c.source, c.coin,
			c.taker_amount, c.maker_amount, c.fee, c.rate, c.commission
		FROM commissions c WHERE `+w.String(), w.args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var c affiliate.Commission
	e := entry{record: &c, another: true}
	targets := append([]any{&e.account}, commissionTargets(&c)...)
	var span affiliate.Range // of e.day
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if !span.Contains(c.DealTime) {
			e.day = affiliate.DayOf(c.DealTime.Time(), r.ReportingZone())
			span = e.day.Range(r.ReportingZone())
		}
		e.lineKey = lineKey{string(c.UID), lineKind{c.Product, c.Coin, c.Source}}
		if k == bySymbol {
			e.name = c.Symbol
		}
		if err := see(&e); err != nil {
			return err
		}
	}
	return rows.Err()
}
