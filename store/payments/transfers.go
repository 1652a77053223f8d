package payments

import (
	"context"
	"iter"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

var transferTable = records.RowTable[affiliate.Transfer]{
	Name: "transfers", Key: affiliate.Transfer.Key,
	Fields: records.Fields[affiliate.Transfer]{
		{Column: "time_ms", Target: func(t *affiliate.Transfer) any { return (*int64)(&t.Time) }},
		{Column: "coin", Target: func(t *affiliate.Transfer) any { return (*string)(&t.Coin) }},
		{Column: "status", Target: func(t *affiliate.Transfer) any { return &t.Status }},
		{Column: "from_type", Target: func(t *affiliate.Transfer) any { return &t.FromType }},
		{Column: "from_symbol", Target: func(t *affiliate.Transfer) any { return &t.FromSymbol }},
		{Column: "to_type", Target: func(t *affiliate.Transfer) any { return &t.ToType }},
		{Column: "to_symbol", Target: func(t *affiliate.Transfer) any { return &t.ToSymbol }},
		{Column: "amount", Kind: affiliate.AmountField, Target: func(t *affiliate.Transfer) any { return (*string)(&t.Amount) }},
	},
	Day:  func(t *affiliate.Transfer) affiliate.Day { return affiliate.DayOf(t.Time.Time(), time.UTC) },
	Fits: func(slice records.Slice, _ *affiliate.Transfer) bool { return slice.Stream.Kind == affiliate.Transfers },
	Of: func(slice records.Slice) (w store.Where) {
		during(&w, "time_ms", slice.Days)
		return w
	},
}

// ReplaceTransfers makes the open transfers of the slice equal to list, as multisets, like
// [records.ReplaceCommissions].
func ReplaceTransfers(ctx context.Context, s *store.Store, slice records.Slice, list []affiliate.Transfer) (records.Written, error) {
	return transferTable.Replace(ctx, s, slice, list)
}

// TransferFilter narrows transfers. Empty fields do not narrow.
type TransferFilter struct {
	Days    affiliate.Days // UTC days
	Account affiliate.Account
	Coin    affiliate.Coin
	AsOf    affiliate.Millis // the state known at that instant; unknown means now
}

// TransferRow is a transfer as stored.
type TransferRow struct {
	affiliate.Transfer
	Account   affiliate.Account
	FirstSeen affiliate.Millis // stamp of the write that opened it
}

// Transfers yields the transfers of the filter, oldest first; those of an instant by account,
// coin and the accounts between which they moved. The sequence ends with the first error.
func Transfers(ctx context.Context, r *store.Tx, f TransferFilter) iter.Seq2[TransferRow, error] {
	var w store.Where
	during(&w, "t.time_ms", f.Days)
	known(&w, "t.", f.AsOf)
	if f.Account != "" {
		w.Add(`t.account_id = (SELECT id FROM accounts WHERE name = ?)`, f.Account)
	}
	if f.Coin != "" {
		store.AnyOf(&w, `t.coin`, f.Coin)
	}
	return store.Sequence(ctx, r, "reading transfers", func(row *TransferRow) []any {
		return append([]any{(*string)(&row.Account), (*int64)(&row.FirstSeen)}, transferTable.Fields.Targets(&row.Transfer)...)
	}, `
		SELECT a.name, t.opened_ms, `+transferTable.Fields.Columns("t.")+`
		FROM transfers t JOIN accounts a ON a.id = t.account_id
		WHERE `+w.String()+`
		ORDER BY t.time_ms, a.name, t.coin, t.from_type, t.from_symbol, t.to_type, t.to_symbol, t.id`, w.Args...)
}
