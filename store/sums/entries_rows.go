package sums

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// eachRecord passes on the records of the filter as entries.
func eachRecord(ctx context.Context, r *store.Tx, f records.CommissionFilter, k rollup.Grouping, see func(*entry) error) error {
	w := f.Rows(f.Days.Range(r.ReportingZone()))
	rows, err := r.QueryContext(ctx, `
		SELECT c.account_id, `+records.CommissionColumnList("c.")+`
		FROM commissions c WHERE `+w.String(), w.Args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var c affiliate.Commission
	var kind rollup.LineKind
	e := entry{record: &c, another: true, LineKind: &kind}
	targets := append([]any{&e.account}, records.CommissionTargets(&c)...)
	var span affiliate.Range // of e.day
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if !span.Contains(c.DealTime) {
			e.day = affiliate.DayOf(c.DealTime.Time(), r.ReportingZone())
			span = e.day.Range(r.ReportingZone())
		}
		e.Name, kind = string(c.UID), rollup.LineKind{Product: c.Product, Coin: c.Coin, Source: c.Source}
		switch k {
		case rollup.BySymbol:
			e.Name = c.Symbol
		case rollup.ByPair:
			kind.Symbol = c.Symbol
		}
		if err := see(&e); err != nil {
			return err
		}
	}
	return rows.Err()
}
