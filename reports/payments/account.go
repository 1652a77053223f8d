package payments

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/export"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
)

// EntryKind says what an entry of a statement of account is.
type EntryKind string

// Kinds of entries, by their names in exports.
const (
	Opening EntryKind = "opening" // the balance before the first day
	Fell    EntryKind = "earned"  // the commission of a period fell due
	Payment EntryKind = "paid"    // a bill
	Closing EntryKind = "closing" // the balance after the last day
)

// Entry is a line of a statement of account: how the balance of one account and coin changed at an instant.
type Entry struct {
	Account affiliate.Account
	Coin    affiliate.Coin
	Kind    EntryKind
	At      affiliate.Millis // of an opening the start of the first day, of a closing the end of the last one
	// From and To are the period whose commission fell due, or for which was paid; equal if it is none.
	From, To affiliate.Millis
	Of       books.Kind // whose commissions; empty for balances
	Bill     *books.Bill
	Amount   affiliate.Sum // what the balance changed by: a payment is negative; 0 for balances
	Balance  affiliate.Sum // after the entry; positive: the exchange owes
}

// Account is the statement of account of some UTC days: by account and coin, in order of time. The commission
// of a period counts from the time when it was due, or from its first payment if that came before.
type Account struct {
	Query   query.Query
	Days    affiliate.Days
	Now     affiliate.Millis
	Entries []Entry
}

// MakeAccount makes the statement of account of the days of the query, as known at its instant. Its closing
// balance at the present is that of [Balance] of all time.
func MakeAccount(ctx context.Context, q *snapshot.Snapshot) (Account, error) {
	view := Account{Now: affiliate.MillisOf(q.Now)}
	if err := q.Refuse(Foreign, "cannot be used here: payments have no such field"); err != nil {
		return view, err
	}
	q, err := q.InUTC(ctx)
	if err != nil {
		return view, err
	}
	view.Query, view.Days = q.Query, q.Days
	ledger, err := openLedger(ctx, q)
	if err != nil {
		return view, err
	}
	view.Entries = ledger.entries(q, rangeOf(q))
	return view, nil
}

// entries returns the entries of the query's accounts within a span, with the balances at both of its ends.
func (l *ledger) entries(q *snapshot.Snapshot, within span) (list []Entry) {
	type key struct {
		account affiliate.Account
		coin    affiliate.Coin
	}
	all, narrow := map[key][]Entry{}, narrowTo(q.Query)
	for i := range l.lines {
		line := &l.lines[i]
		if line.State == books.Pending || !narrow(line) || !l.ruled(line.Account) {
			continue
		}
		of := key{line.Account, line.Coin}
		add := func(kind EntryKind, at affiliate.Millis, bill *books.Bill, amount affiliate.Sum) {
			if amount.Cmp(new(affiliate.Sum)) != 0 {
				all[of] = append(all[of], Entry{Account: line.Account, Coin: line.Coin, Kind: kind, At: at, From: line.From, To: line.To, Of: line.Kind, Bill: bill, Amount: amount})
			}
		}
		due := line.Due
		if paid := line.FirstPaid(); paid.Known() {
			due = min(due, paid)
		}
		add(Fell, due, nil, line.Earned)
		for n := range line.Bills {
			var amount affiliate.Sum
			amount.Sub(line.Bills[n].Amount)
			add(Payment, line.Bills[n].Created, &line.Bills[n], amount)
		}
	}
	keys := make([]key, 0, len(all))
	for of := range all {
		keys = append(keys, of)
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.account, b.account), figures.CompareCoins(a.coin, b.coin), cmp.Compare(a.coin, b.coin))
	})
	for _, of := range keys {
		list = append(list, course(all[of], within)...)
	}
	return list
}

// course puts the entries of one account and coin in order, with the balance after each.
func course(all []Entry, within span) (list []Entry) {
	slices.SortStableFunc(all, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.From, b.From), strings.Compare(string(a.Kind), string(b.Kind)))
	})
	var balance affiliate.Sum
	ends := func(kind EntryKind, at affiliate.Millis) Entry {
		return Entry{Account: all[0].Account, Coin: all[0].Coin, Kind: kind, At: at, From: at, To: at, Balance: balance}
	}
	opened := false
	for _, e := range all {
		if e.At >= within.To {
			break
		}
		if !opened && e.At >= within.From {
			list, opened = append(list, ends(Opening, within.From)), true
		}
		balance.AddSum(e.Amount)
		if e.Balance = balance; opened {
			list = append(list, e)
		}
	}
	if !opened {
		list = append(list, ends(Opening, within.From))
	}
	return append(list, ends(Closing, within.To))
}

var accountColumns = []export.Column[Entry]{
	export.TextColumn("account", func(e *Entry) affiliate.Account { return e.Account }),
	export.CoinColumn("coin", func(e *Entry) affiliate.Coin { return e.Coin }),
	export.TimeColumn("time_utc", func(e *Entry) affiliate.Millis { return e.At }).Means("When the commission fell due or the payment arrived, UTC."),
	export.TextColumn("entry", func(e *Entry) EntryKind { return e.Kind }).Means("opening, earned, paid or closing."),
	export.TextColumn("kind", func(e *Entry) books.Kind { return e.Of }).Means("direct, sub or all."),
	export.TimeColumn("period_from_utc", func(e *Entry) affiliate.Millis { return e.period().From }).Means("First instant of the period, UTC; empty for balances and payments for no period."),
	export.TimeColumn("period_to_utc", func(e *Entry) affiliate.Millis { return e.period().To }).Means("End of the period, UTC, not included."),
	export.TextColumn("bill_id", func(e *Entry) string {
		if e.Bill == nil {
			return ""
		}
		return e.Bill.ID
	}),
	export.AmountColumn("amount", func(e *Entry) affiliate.Number { return number(e.Amount) }).Means("By what the balance changed, in coin: a payment is negative."),
	export.DecimalColumn("balance", func(e *Entry) affiliate.Number { return number(e.Balance) }).Means("Balance after the entry, in coin. Positive: the exchange owes."),
}

// period returns the period of an entry, or unknown instants if it has none.
func (e *Entry) period() (p span) {
	if e.From != e.To {
		p = span{e.From, e.To}
	}
	return p
}

// AccountFile is the file of the statement of account.
var AccountFile = &export.Kind{Name: "account", Title: "Statement of account", Stream: affiliate.Commissions,
	About: "How the balance with the exchange changed: what fell due, what was paid, and the balance after each.",
	UTC:   true, Table: AccountTable, Columns: export.Infos(accountColumns), Covered: covered, Foreign: Foreign, Options: Options,
}

// AccountTable has a row for each entry of the statement of account.
func AccountTable(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	view, err := MakeAccount(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	return export.TableOf(accountColumns, export.Each(view.Entries)), nil
}
