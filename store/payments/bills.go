package payments

import (
	"context"
	"iter"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

var billTable = records.RowTable[affiliate.Bill]{
	Name: "bills", Key: affiliate.Bill.Key,
	Fields: records.Fields[affiliate.Bill]{
		{Column: "wallet", Target: func(b *affiliate.Bill) any { return (*string)(&b.Wallet) }},
		{Column: "created_ms", Target: func(b *affiliate.Bill) any { return (*int64)(&b.Created) }},
		{Column: "bill_id", Target: func(b *affiliate.Bill) any { return &b.ID }},
		{Column: "coin_id", Target: func(b *affiliate.Bill) any { return &b.CoinID }},
		{Column: "coin", Target: func(b *affiliate.Bill) any { return (*string)(&b.Coin) }},
		{Column: "business_type", Target: func(b *affiliate.Bill) any { return &b.Business }},
		{Column: "amount", Kind: affiliate.AmountField, Target: func(b *affiliate.Bill) any { return (*string)(&b.Amount) }},
		{Column: "balance_after", Kind: affiliate.AmountField, Target: func(b *affiliate.Bill) any { return (*string)(&b.Balance) }},
		{Column: "fees", Kind: affiliate.AmountField, Target: func(b *affiliate.Bill) any { return (*string)(&b.Fees) }},
		{Column: "fill_size", Kind: affiliate.AmountField, Target: func(b *affiliate.Bill) any { return (*string)(&b.FillSize) }},
		{Column: "fill_value", Kind: affiliate.AmountField, Target: func(b *affiliate.Bill) any { return (*string)(&b.FillValue) }},
	},
	Day:  func(b *affiliate.Bill) affiliate.Day { return affiliate.DayOf(b.Created.Time(), time.UTC) },
	Fits: func(slice records.Slice, b *affiliate.Bill) bool { return b.Wallet == slice.Stream.Kind.Wallet() },
	Of: func(slice records.Slice) (w store.Where) {
		during(&w, "created_ms", slice.Days)
		w.Add(`wallet = ?`, slice.Stream.Kind.Wallet())
		return w
	},
}

// during adds the condition that an instant lies in UTC days.
func during(w *store.Where, column string, days affiliate.Days) {
	span := days.Range(time.UTC)
	w.Add(column+` >= ? AND `+column+` < ?`, int64(affiliate.MillisOf(span.From)), int64(affiliate.MillisOf(span.To)))
}

// known adds the condition that a row belongs to the state known at an instant; an unknown
// instant means now.
func known(w *store.Where, alias string, at affiliate.Millis) {
	if at.Known() {
		w.Add(alias+`opened_ms <= ? AND (`+alias+`closed_ms IS NULL OR `+alias+`closed_ms > ?)`, int64(at), int64(at))
	} else {
		w.Add(alias + `closed_ms IS NULL`)
	}
}

// ReplaceBills makes the open bills of the slice equal to list, as multisets, like
// [records.ReplaceCommissions]. The stream of the slice names the wallet.
func ReplaceBills(ctx context.Context, s *store.Store, slice records.Slice, list []affiliate.Bill) (records.Written, error) {
	return billTable.Replace(ctx, s, slice, list)
}

// BillFilter narrows bills. Empty fields do not narrow.
type BillFilter struct {
	Days    affiliate.Days // UTC days
	Account affiliate.Account
	Coin    affiliate.Coin
	Wallet  affiliate.Wallet
	Types   []string         // business types
	AsOf    affiliate.Millis // the state known at that instant; unknown means now
}

// BillRow is a bill as stored.
type BillRow struct {
	affiliate.Bill
	Account   affiliate.Account
	FirstSeen affiliate.Millis // stamp of the write that opened it
}

// Bills yields the bills of the filter, oldest first; those of an instant by account, wallet
// and bill id. The sequence ends with the first error.
func Bills(ctx context.Context, r *store.Tx, f BillFilter) iter.Seq2[BillRow, error] {
	query, args := f.query()
	return store.Sequence(ctx, r, "reading bills", func(row *BillRow) []any {
		return append([]any{(*string)(&row.Account), (*int64)(&row.FirstSeen)}, billTable.Fields.Targets(&row.Bill)...)
	}, query, args...)
}

func (f BillFilter) query() (string, []any) {
	var w store.Where
	during(&w, "b.created_ms", f.Days)
	known(&w, "b.", f.AsOf)
	if f.Account != "" {
		w.Add(`b.account_id = (SELECT id FROM accounts WHERE name = ?)`, f.Account)
	}
	if f.Coin != "" {
		store.AnyOf(&w, `b.coin`, f.Coin)
	}
	if f.Wallet != "" {
		store.AnyOf(&w, `b.wallet`, f.Wallet)
	}
	if len(f.Types) > 0 {
		list, args := store.In(f.Types)
		w.Add(`b.business_type IN `+list, args...)
	}
	return `
		SELECT a.name, b.opened_ms, ` + billTable.Fields.Columns("b.") + `
		FROM bills b JOIN accounts a ON a.id = b.account_id
		WHERE ` + w.String() + `
		ORDER BY b.created_ms, a.name, b.wallet, b.bill_id, b.id`, w.Args
}
