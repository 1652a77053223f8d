package records

import (
	"context"
	"fmt"
	"iter"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// SubAffiliateFilter narrows sub-affiliate days. Empty fields do not narrow.
type SubAffiliateFilter struct {
	Days    affiliate.Days // UTC days, the exchange's own
	Account affiliate.Account
	Product affiliate.Product
	UID     affiliate.UID
	Text    string           // part of the UID
	Named   string           // UIDs that Text finds by name as well, as a JSON list; empty: none
	AsOf    affiliate.Millis // the state known at that instant; unknown means now
}

// SubAffiliateRow is a sub-affiliate day as stored.
type SubAffiliateRow struct {
	affiliate.SubAffiliateDay
	Account affiliate.Account
}

// SubAffiliateOrder is an order of sub-affiliate days. Equal ones are ordered by date,
// account, product and UID.
type SubAffiliateOrder struct {
	Column     string // see [SortsSubAffiliateDays]; empty = by date
	Descending bool
}

// subAffiliateOrder returns the term of ORDER BY for a column.
func subAffiliateOrder(column string) (string, error) {
	switch column {
	case "":
		return "d.date", nil
	case "account":
		return "a.name", nil
	}
	return subAffiliateFields.order("d.", column)
}

// SortsSubAffiliateDays reports whether the rows can be sorted by a column.
func SortsSubAffiliateDays(column string) bool {
	_, err := subAffiliateOrder(column)
	return err == nil
}

// SubAffiliateDays yields the rows of the filter by date, oldest first.
func SubAffiliateDays(ctx context.Context, r *store.Tx, f SubAffiliateFilter) iter.Seq2[SubAffiliateRow, error] {
	return SortedSubAffiliateDays(ctx, r, f, SubAffiliateOrder{}, 0, 0)
}

// SortedSubAffiliateDays yields the rows of the filter in order. limit 0 means all. The
// sequence ends with the first error.
func SortedSubAffiliateDays(ctx context.Context, r *store.Tx, f SubAffiliateFilter, order SubAffiliateOrder, limit, offset int) iter.Seq2[SubAffiliateRow, error] {
	const what = "reading sub-affiliate days"
	column, err := subAffiliateOrder(order.Column)
	if err != nil {
		return func(yield func(SubAffiliateRow, error) bool) {
			yield(SubAffiliateRow{}, fmt.Errorf("%s: %w", what, err))
		}
	}
	if order.Descending {
		column += " DESC"
	}
	if limit == 0 {
		limit = store.NoLimit
	}
	w := f.Where()
	return store.Sequence(ctx, r, what, func(row *SubAffiliateRow) []any {
		return append([]any{(*string)(&row.Account)}, subAffiliateFields.Targets(&row.SubAffiliateDay)...)
	}, `
		SELECT a.name, `+subAffiliateFields.Columns("d.")+`
		FROM sub_affiliate_days d JOIN accounts a ON a.id = d.account_id
		WHERE `+w.String()+`
		ORDER BY `+column+`, d.date, a.name, d.product, d.uid, d.id
		LIMIT ? OFFSET ?`, append(w.Args, limit, offset)...)
}

// Where returns the condition on the rows of the requested state.
func (f SubAffiliateFilter) Where() store.Where {
	w := f.ofRecords()
	if f.AsOf.Known() {
		w.Add(`d.opened_ms <= ? AND (d.closed_ms IS NULL OR d.closed_ms > ?)`, int64(f.AsOf), int64(f.AsOf))
	} else {
		w.Add(`d.closed_ms IS NULL`)
	}
	return w
}

// ofRecords returns the condition on the content of a record, regardless of when it was
// known.
func (f SubAffiliateFilter) ofRecords() store.Where {
	var w store.Where
	w.Add(`d.date BETWEEN ? AND ?`, f.Days.First.String(), f.Days.Last.String())
	if f.Account != "" {
		w.Add(`d.account_id = (SELECT id FROM accounts WHERE name = ?)`, f.Account)
	}
	if f.Product != "" {
		store.AnyOf(&w, `d.product`, f.Product)
	}
	if f.UID != "" {
		w.Add(`d.uid = ?`, f.UID)
	}
	if f.Text != "" {
		named, args := namedUIDs("d.uid", f.Named)
		w.Add(`(`+named+`d.uid LIKE ? ESCAPE '\')`, append(args, "%"+store.LikeEscape.Replace(f.Text)+"%")...)
	}
	return w
}
