package store

import (
	"context"
	"fmt"
	"iter"

	"rebatedesk/affiliate"
)

// SubAffiliateFilter narrows sub-affiliate days. Empty fields do not narrow.
type SubAffiliateFilter struct {
	Days    affiliate.Days // UTC days, the exchange's own
	Account affiliate.Account
	Product affiliate.Product
	UID     affiliate.UID
	AsOf    affiliate.Millis
}

// SubAffiliateRow is a sub-affiliate day as stored.
type SubAffiliateRow struct {
	affiliate.SubAffiliateDay
	Account affiliate.Account
}

// SubAffiliateDays gives the rows of the filter by date, oldest first.
func (r *Reader) SubAffiliateDays(ctx context.Context, f SubAffiliateFilter) iter.Seq2[SubAffiliateRow, error] {
	return func(yield func(SubAffiliateRow, error) bool) {
		if err := r.eachSubAffiliateDay(ctx, f, yield); err != nil {
			yield(SubAffiliateRow{}, fmt.Errorf("reading sub-affiliate days: %w", err))
		}
	}
}

func (f SubAffiliateFilter) where() where {
	var w where
	w.add(`d.date BETWEEN ? AND ?`, f.Days.First.String(), f.Days.Last.String())
	if f.AsOf.Known() {
		w.add(`d.opened_ms <= ? AND (d.closed_ms IS NULL OR d.closed_ms > ?)`, int64(f.AsOf), int64(f.AsOf))
	} else {
		w.add(`d.closed_ms IS NULL`)
	}
	if f.Account != "" {
		w.add(`a.name = ?`, f.Account)
	}
	if f.Product != "" {
		w.add(`d.product = ?`, f.Product)
	}
	if f.UID != "" {
		w.add(`d.uid = ?`, f.UID)
	}
	return w
}

func (r *Reader) eachSubAffiliateDay(ctx context.Context, f SubAffiliateFilter, yield func(SubAffiliateRow, error) bool) error {
	w := f.where()
	rows, err := r.tx.QueryContext(ctx, `
		SELECT a.name, d.product, d.date, d.uid, d.trading_volume, d.net_trading_fee, d.paid_commission
		FROM sub_affiliate_days d JOIN accounts a ON a.id = d.account_id
		WHERE `+w.String()+`
		ORDER BY d.date, a.name, d.product, d.uid, d.id`, w.args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var row SubAffiliateRow
		if row.SubAffiliateDay, err = scanSubAffiliateDay(rows, &row.Account); err != nil {
			return err
		}
		if !yield(row, nil) {
			return nil
		}
	}
	return rows.Err()
}
