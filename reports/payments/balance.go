package payments

import (
	"cmp"
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/payments"
)

// Balance says what the exchange owes on balance, and why, over the periods that are due. Its Query is
// in UTC.
type Balance struct {
	Query   query.Query
	Now     affiliate.Millis  // of the requested state
	Earned  coverage.Coverage // of the commissions of the range
	Paid    coverage.Coverage // of the bills of both wallets in the range
	Refused []payments.Refusal
	Empty   coverage.EmptyKind // not "" when there are no rows
	Rows    []BalanceRow       // by account, then by coin
	Coins   []BalanceRow       // the rows of each coin together, without an account
	// Unruled are the accounts of the query whose payout rule is not known. Nothing of them is known to be due, so they have no rows.
	Unruled []affiliate.Account
	// Owed is what the exchange owes on balance, and Claim what it owes before Excess is taken off, converted at
	// the prices of today.
	Owed, Claim, Excess figures.Valuation
	Prices              figures.Prices
	Options             snapshot.Options
}

// BalanceRow is the balance of one account in one coin.
type BalanceRow struct {
	Account affiliate.Account
	Coin    affiliate.Coin
	books.Balance
	Lines     map[Part]int     // in which a part is not zero
	Accepted  affiliate.Sum    // of what is owed, that of lines that a user has accepted; of either sign
	OldestDue affiliate.Millis // of the lines for which something is owed; unknown if there is none
	Tolerance affiliate.Number // the setting BALANCE_TOLERANCE for the coin; unknown without one
}

// Settled reports whether nothing is owed on balance, or no more than the tolerance, in either direction.
func (r *BalanceRow) Settled() bool {
	owed, most := r.Owed(), affiliate.Sum{}
	if r.Tolerance.Known() {
		most.Add(r.Tolerance)
	}
	least := most.Negated()
	return owed.Cmp(&most) <= 0 && owed.Cmp(&least) >= 0
}

// Claim returns what the exchange owes before what it paid too much is taken off.
func (r *BalanceRow) Claim() (sum affiliate.Sum) {
	sum = r.Owed()
	sum.AddSum(r.Excess)
	return sum
}

// add adds a line to the row.
func (r *BalanceRow) add(line *PaymentLine) {
	b := line.Balance()
	r.Balance.Add(b)
	for _, part := range Parts() {
		if line.hasPart(part) {
			r.count(part, 1)
		}
	}
	var zero affiliate.Sum
	owed := b.Owed()
	if line.Verdict() == payments.Accepted {
		r.Accepted.AddSum(owed)
	}
	if owed.Cmp(&zero) > 0 && (!r.OldestDue.Known() || line.Due < r.OldestDue) {
		r.OldestDue = line.Due
	}
}

func (r *BalanceRow) count(part Part, n int) {
	if r.Lines == nil {
		r.Lines = map[Part]int{}
	}
	r.Lines[part] += n
}

// join adds another row of the coin.
func (r *BalanceRow) join(o *BalanceRow) {
	r.Balance.Add(o.Balance)
	r.Accepted.AddSum(o.Accepted)
	for part, n := range o.Lines {
		r.count(part, n)
	}
	if o.OldestDue.Known() && (!r.OldestDue.Known() || o.OldestDue < r.OldestDue) {
		r.OldestDue = o.OldestDue
	}
}

// AcceptedOfBalance are the parameters of the balance and of its files.
var AcceptedOfBalance = query.AcceptedParams{Taken: []string{"range", "from", "to", "account", "coin", "kind", "as_of"}, Usual: query.AllTime, Own: Accepted.Own[:1]}

// Part is a part of a balance, as the parameter "part" of the list of lines names it.
type Part string

const (
	MissingPart   Part = "missing"
	UnderpaidPart Part = "underpaid"
	RestatedPart  Part = "restated"
	ExcessPart    Part = "excess" // it is taken off
)

// Parts lists the parts of a balance.
func Parts() []Part { return []Part{MissingPart, UnderpaidPart, RestatedPart, ExcessPart} }

// Of returns the part of a balance.
func (p Part) Of(b *books.Balance) affiliate.Sum {
	switch p {
	case MissingPart:
		return b.Missing
	case UnderpaidPart:
		return b.Underpaid
	case RestatedPart:
		return b.Restated
	}
	return b.Excess
}

var partParam = query.Declare(query.Own{Name: "part", Words: "Only lines with this part of the balance: without a payment, paid less than was known to be earned when it was paid, restated since it was paid, or paid too much.",
	Filters: true, Label: "Part of the balance", Choices: partNames()})

func partNames() (names []string) {
	for _, part := range Parts() {
		names = append(names, string(part))
	}
	return names
}

// hasPart reports whether a part of the line's balance is not zero.
func (l *PaymentLine) hasPart(part Part) bool {
	b := l.Balance()
	of := part.Of(&b)
	return of.Cmp(new(affiliate.Sum)) != 0
}

// MakeBalance returns what the exchange owes on balance, of the lines of the query that are due.
func MakeBalance(ctx context.Context, q *snapshot.Snapshot) (Balance, error) {
	view := Balance{Now: affiliate.MillisOf(q.Now)}
	if err := q.Refuse(Foreign, "cannot be used here: payments have no such field"); err != nil {
		return view, err
	}
	days := q
	q, err := q.InUTC(ctx)
	if err != nil {
		return view, err
	}
	view.Query = q.Query
	ledger, err := openLedger(ctx, q)
	if err != nil {
		return view, err
	}
	view.Options = optionsOf(q, ledger.coins)
	if view.Prices, err = days.Prices(ctx, ledger.coins); err != nil {
		return view, err
	}
	if view.Earned, view.Paid, err = sides(ctx, q); err != nil {
		return view, err
	}
	if view.Refused, err = refused(ctx, q); err != nil {
		return view, err
	}
	for _, account := range q.Accounts {
		if account != "" && !ledger.ruled(account) {
			view.Unruled = append(view.Unruled, account)
		}
	}
	view.Rows = ledger.balanceRows(q, ledger.selected(q))
	view.addUp()
	if len(view.Rows) == 0 {
		view.Empty, err = ledger.whyEmpty(ctx, q, view.Earned.With(view.Paid))
	}
	return view, err
}

// balanceRows returns the balances of those of some lines that are due, by account and coin. Accounts
// without a rule are left out.
func (l *ledger) balanceRows(q *snapshot.Snapshot, lines []*PaymentLine) []BalanceRow {
	type key struct {
		account affiliate.Account
		coin    affiliate.Coin
	}
	at := map[key]*BalanceRow{}
	for _, line := range lines {
		if line.State == books.Pending || !l.ruled(line.Account) {
			continue
		}
		of := key{line.Account, line.Coin}
		if at[of] == nil {
			at[of] = &BalanceRow{Account: line.Account, Coin: line.Coin, Tolerance: q.BalanceTolerance[affiliate.Coin(affiliate.Folded(string(line.Coin)))]}
		}
		at[of].add(line)
	}
	list := make([]BalanceRow, 0, len(at))
	for _, row := range at {
		list = append(list, *row)
	}
	slices.SortFunc(list, func(a, b BalanceRow) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), figures.CompareCoins(a.Coin, b.Coin), cmp.Compare(a.Coin, b.Coin))
	})
	return list
}

// byCoinOf adds up rows by coin.
func byCoinOf(rows []BalanceRow) (coins []BalanceRow) {
	at := map[affiliate.Coin]*BalanceRow{}
	for i := range rows {
		row := &rows[i]
		if at[row.Coin] == nil {
			at[row.Coin] = &BalanceRow{Coin: row.Coin, Tolerance: row.Tolerance}
		}
		at[row.Coin].join(row)
	}
	for _, row := range at {
		coins = append(coins, *row)
	}
	slices.SortFunc(coins, func(a, b BalanceRow) int {
		return cmp.Or(figures.CompareCoins(a.Coin, b.Coin), cmp.Compare(a.Coin, b.Coin))
	})
	return coins
}

// addUp adds up the rows by coin, and converts what is owed.
func (b *Balance) addUp() {
	b.Coins = byCoinOf(b.Rows)
	var owed, claim, excess []affiliate.Amount
	for i := range b.Coins {
		row := &b.Coins[i]
		for _, one := range []struct {
			sum affiliate.Sum
			to  *[]affiliate.Amount
		}{{row.Owed(), &owed}, {row.Claim(), &claim}, {row.Excess, &excess}} {
			if one.sum.Cmp(new(affiliate.Sum)) != 0 {
				*one.to = append(*one.to, affiliate.Amount{Value: one.sum.Decimal(), Coin: row.Coin})
			}
		}
	}
	b.Owed, b.Claim, b.Excess = b.Prices.Worth(owed...), b.Prices.Worth(claim...), b.Prices.Worth(excess...)
}

// The columns of the export are fixed, because other programs read them.
var balanceColumns = []export.Column[BalanceRow]{
	export.TextColumn("account", func(r *BalanceRow) affiliate.Account { return r.Account }),
	export.CoinColumn("coin", func(r *BalanceRow) affiliate.Coin { return r.Coin }),
	export.AmountColumn("earned", func(r *BalanceRow) affiliate.Number { return number(r.Earned) }).Means("Commission of the periods that are due, in coin."),
	export.AmountColumn("paid", func(r *BalanceRow) affiliate.Number { return number(r.Paid) }).Means("What was paid for them or for no period, in coin."),
	export.AmountColumn("missing", func(r *BalanceRow) affiliate.Number { return number(r.Missing) }).Means("Due, and without a payment, in coin."),
	export.AmountColumn("underpaid", func(r *BalanceRow) affiliate.Number { return number(r.Underpaid) }).Means("Paid less than was known to be earned when it was paid, in coin."),
	export.AmountColumn("restated", func(r *BalanceRow) affiliate.Number { return number(r.Restated) }).Means("Earned as known now less earned as known when it was paid, in coin; of either sign."),
	export.AmountColumn("excess", func(r *BalanceRow) affiliate.Number { return number(r.Excess) }).Means("Paid twice, too much or for no period, in coin."),
	export.AmountColumn("balance", func(r *BalanceRow) affiliate.Number { return number(r.Owed()) }).Means("Earned − paid, which is missing + underpaid + restated − excess, in coin. Positive: the exchange owes."),
	export.TimeColumn("oldest_due_utc", func(r *BalanceRow) affiliate.Millis { return r.OldestDue }).Means("Since when the oldest open line is due, UTC."),
}

// BalanceFile is the file of what the exchange owes on balance.
var BalanceFile = &export.Kind{Name: "balance", Title: "Balance", Stream: affiliate.Commissions,
	About: "What the exchange owes on balance over the periods that are due, by account and coin, and why.",
	UTC:   true, Table: balanceTable, Columns: export.Infos(balanceColumns), Covered: covered, Foreign: Foreign, Options: Options,
}

func balanceTable(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	ledger, err := openLedger(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	return export.TableOf(balanceColumns, export.Each(ledger.balanceRows(q, ledger.selected(q)))), nil
}

// Owed is what the exchange owes on balance of the lines that touch some days, by coin.
type Owed struct {
	Days    affiliate.Days
	Coins   []BalanceRow      // those of the [Balance] of these days; empty: nothing of them is due
	Worth   figures.Valuation // of what is owed, together, at the prices of today
	Unruled bool              // no account of the query has a payout rule, so nothing is known to be due
}

// Amounts are what is owed of each coin; coins of which nothing is owed are left out.
func (o *Owed) Amounts() []affiliate.Amount { return owedAmounts(o.Coins) }

// Settled reports whether each coin is settled, see [BalanceRow.Settled].
func (o *Owed) Settled() bool {
	return !slices.ContainsFunc(o.Coins, func(r BalanceRow) bool { return !r.Settled() })
}

func owedAmounts(rows []BalanceRow) (list []affiliate.Amount) {
	for i := range rows {
		if owed := rows[i].Owed(); owed.Cmp(new(affiliate.Sum)) != 0 {
			list = append(list, affiliate.Amount{Value: owed.Decimal(), Coin: rows[i].Coin})
		}
	}
	return list
}

// OwedIn returns what the exchange owes on balance of each of some ranges of days, which are taken in UTC, as the
// balance of the query with these days would say.
func OwedIn(ctx context.Context, q *snapshot.Snapshot, ranges ...affiliate.Days) ([]Owed, error) {
	ledger, err := openLedger(ctx, q)
	if err != nil {
		return nil, err
	}
	prices, err := q.Prices(ctx, ledger.coins)
	if err != nil {
		return nil, err
	}
	unruled := !slices.ContainsFunc(q.Accounts, ledger.ruled)
	list := make([]Owed, 0, len(ranges))
	for _, days := range ranges {
		of := *q
		of.Range, of.Query.Days = query.Custom, days
		owed := Owed{Days: days, Coins: byCoinOf(ledger.balanceRows(&of, ledger.selected(&of))), Unruled: unruled}
		owed.Worth = prices.Worth(owed.Amounts()...)
		list = append(list, owed)
	}
	return list, nil
}
