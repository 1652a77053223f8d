package payments

import (
	"cmp"
	"context"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/payments"
)

// Overview is what the overview, the findings and mails say about payments. Its Query is in
// UTC, and its sums of the range are those of the [Report] of the same query.
type Overview struct {
	Query   query.Query
	Now     affiliate.Millis
	Earned  coverage.Coverage // of the commissions of the range
	Paid    coverage.Coverage // of the bills of both wallets in the range
	Refused []payments.Refusal
	Rules   []RuleInUse
	InRange []CoinBalance // of the lines of the range, by coin; the one with most open lines first
	AllTime []CoinBalance // of all lines; in the same order
	// Owed is what the exchange owes on balance, by coin, of all lines that are due; see [Balance].
	Owed      []BalanceRow
	OwedWorth figures.Valuation // of Owed, together
	// Faults are the lines of all time that are neither matched nor pending, oldest first.
	// Lines that a user has accepted are left out, and so are those of Unruled.
	Faults []PaymentLine
	// Unruled counts the payments of accounts without a rule, which belong to no period only
	// because none is known.
	Unruled     map[affiliate.Account]int
	PaidWorth   figures.Valuation // of what was paid for the periods of the range
	UnpaidWorth figures.Valuation // of what is outstanding, of all time
	ExcessWorth figures.Valuation // of what was paid too much, of all time

	// Awaited is what is still to be paid for the lines of the range: what is outstanding, and
	// what is pending. Overdue is the part of it that is outstanding.
	Awaited, Overdue           []affiliate.Amount
	AwaitedWorth, OverdueWorth figures.Valuation
	// TooMuch is what was paid twice, too much or for no period, of the lines of the range.
	TooMuch      []affiliate.Amount
	TooMuchWorth figures.Valuation
}

// AcceptedOfOverview are the parameters by which payments can be narrowed on a page about
// earnings. The exchange pays all products, pairs and invitees in one sum.
var AcceptedOfOverview = query.AcceptedParams{Taken: []string{"range", "from", "to", "account", "coin", "as_of"}}

// MakeOverview returns what was paid, what is outstanding, and which payments are not as
// they should be.
func MakeOverview(ctx context.Context, q *snapshot.Snapshot) (Overview, error) {
	days := q
	view := Overview{Now: affiliate.MillisOf(q.Now), Unruled: map[affiliate.Account]int{}}
	q, err := q.InUTC(ctx)
	if err != nil {
		return view, err
	}
	view.Query = q.Query
	ledger, err := openLedger(ctx, q)
	if err != nil {
		return view, err
	}
	if view.Earned, view.Paid, err = sides(ctx, q); err != nil {
		return view, err
	}
	if view.Refused, err = refused(ctx, q); err != nil {
		return view, err
	}
	view.Rules = ledger.rulesOf(q.Accounts)
	var all, ranged []*PaymentLine
	narrow, within := narrowTo(q.Query), rangeOf(q)
	for i := range ledger.lines {
		line := &ledger.lines[i]
		if !narrow(line) {
			continue
		}
		all = append(all, line)
		if within.touches(line) {
			ranged = append(ranged, line)
		}
		switch {
		case line.State == books.Unexplained && !ledger.ruled(line.Account):
			view.Unruled[line.Account]++
		case line.faulty():
			view.Faults = append(view.Faults, *line)
		}
	}
	view.AllTime, view.InRange = ledger.balancesOf(all, view.Now), ledger.balancesOf(ranged, view.Now)
	view.Owed = byCoinOf(ledger.balanceRows(q, all))
	prices, err := days.Prices(ctx, ledger.coins)
	if err != nil {
		return view, err
	}
	view.OwedWorth = prices.Worth(view.OwedAmounts()...)
	view.PaidWorth = prices.Worth(Amounts(view.InRange, func(b *CoinBalance) affiliate.Sum { return b.Paid })...)
	view.Awaited = Amounts(view.InRange, func(b *CoinBalance) affiliate.Sum {
		var sum affiliate.Sum
		sum.AddSum(b.Outstanding)
		sum.AddSum(b.Pending)
		return sum
	})
	view.Overdue, view.TooMuch = Amounts(view.InRange, NotPaid), Amounts(view.InRange, Excess)
	view.AwaitedWorth, view.OverdueWorth, view.TooMuchWorth = prices.Worth(view.Awaited...), prices.Worth(view.Overdue...), prices.Worth(view.TooMuch...)
	view.UnpaidWorth, view.ExcessWorth = prices.Worth(Amounts(view.AllTime, NotPaid)...), prices.Worth(Amounts(view.AllTime, Excess)...)
	return view, nil
}

// OwedAmounts returns what the exchange owes on balance, by coin; coins of which nothing is owed are left out.
func (s *Overview) OwedAmounts() []affiliate.Amount { return owedAmounts(s.Owed) }

// NotPaid returns what a coin lacks, for [Amounts].
func NotPaid(b *CoinBalance) affiliate.Sum { return b.Outstanding }

// Excess returns what was paid too much of a coin, for [Amounts].
func Excess(b *CoinBalance) affiliate.Sum { return b.Excess }

// Amounts returns one sum of each balance; those that are zero are left out.
func Amounts(balances []CoinBalance, of func(*CoinBalance) affiliate.Sum) (list []affiliate.Amount) {
	for i := range balances {
		if sum := of(&balances[i]); sum.Cmp(new(affiliate.Sum)) != 0 {
			list = append(list, affiliate.Amount{Value: sum.Decimal(), Coin: balances[i].Coin})
		}
	}
	return list
}

// ruled reports whether a rule of the account is known.
func (l *ledger) ruled(account affiliate.Account) bool {
	return slices.ContainsFunc(l.rules, func(r RuleInUse) bool { return r.Account == account && r.Known })
}

// faulty reports whether the line is not as it should be, and nobody has accepted that.
func (l *PaymentLine) faulty() bool {
	return l.State != books.Matched && l.State != books.Pending && l.Verdict() != payments.Accepted
}

// Noticed returns since when the state of the line can be known: since the payment is due, or
// since the newest bill that it has.
func (l *PaymentLine) Noticed() affiliate.Millis {
	if l.State == books.Missing || l.State == books.Short {
		return l.Due
	}
	return l.LastPaid()
}

// Ruled reports whether a rule is known by which one of the accounts is paid.
func (s *Overview) Ruled() bool {
	return slices.ContainsFunc(s.Rules, func(r RuleInUse) bool { return r.Known })
}

// Single reports whether the report is about one account, which need not be named.
func (s *Overview) Single() bool {
	return !slices.ContainsFunc(s.Rules, func(r RuleInUse) bool { return r.Account != s.Rules[0].Account })
}

// Known reports whether anything can be said of payments: a rule is known, or there are bills
// that look like payments.
func (s *Overview) Known() bool {
	return s.Ruled() || len(s.Unruled) > 0
}

// Unread returns the accounts of a list whose bills the exchange refuses, of one wallet or of
// both, sorted.
func (s *Overview) Unread() (accounts []affiliate.Account) {
	for _, r := range s.Refused {
		if r.Stream.Wallet() != "" && !r.Partial() {
			accounts = append(accounts, r.Account)
		}
	}
	slices.Sort(accounts)
	return slices.Compact(accounts)
}

// Outstanding is what is due and was not paid in one coin.
type Outstanding struct {
	Coin   affiliate.Coin
	Sum    affiliate.Sum
	Lines  int
	Excess affiliate.Sum // what was paid twice, too much or for no period
	Oldest *PaymentLine  // nil: nothing is outstanding
	// Since is the instant from which more than the limit has been outstanding without a
	// break; unknown if no more is outstanding.
	Since affiliate.Millis
}

// MakeOutstanding adds up what the coin of the query lacks, and finds since when that is more
// than a limit.
func MakeOutstanding(ctx context.Context, q *snapshot.Snapshot, limit affiliate.Number) (Outstanding, error) {
	view := Outstanding{Coin: q.Coin}
	q, err := q.InUTC(ctx)
	if err != nil {
		return view, err
	}
	ledger, err := openLedger(ctx, q)
	if err != nil {
		return view, err
	}
	now, narrow := affiliate.MillisOf(q.Now), narrowTo(q.Query)
	var lines []*PaymentLine
	var steps []step
	for i := range ledger.lines {
		if line := &ledger.lines[i]; narrow(line) {
			lines = append(lines, line)
			steps = append(steps, line.steps(now)...)
		}
	}
	balance := ledger.balanceOf(q.Coin, lines, now)
	view.Excess = balance.Excess
	view.Sum, view.Lines, view.Oldest = balance.Outstanding, balance.Open, balance.Oldest
	view.Since = above(steps, limit)
	return view, nil
}

// step is a change of what is outstanding.
type step struct {
	at affiliate.Millis
	by affiliate.Sum
}

// steps returns what was outstanding of the line over time: from when it was due until it was
// paid or accepted.
func (l *PaymentLine) steps(now affiliate.Millis) (list []step) {
	if l.From == l.To || l.State == books.Pending || l.Due > now {
		return nil
	}
	var zero affiliate.Sum
	left := l.Earned
	for _, bill := range l.Bills {
		if bill.Created <= l.Due {
			left.Sub(bill.Amount)
		}
	}
	if left.Cmp(&zero) <= 0 {
		return nil
	}
	list = append(list, step{l.Due, left})
	reduce := func(at affiliate.Millis, by affiliate.Sum) {
		if by.Cmp(&left) > 0 {
			by = left
		}
		left.AddSum(by.Negated())
		list = append(list, step{at, by.Negated()})
	}
	for _, bill := range l.Bills {
		if bill.Created > l.Due {
			var paid affiliate.Sum
			paid.Add(bill.Amount)
			reduce(bill.Created, paid)
		}
	}
	unpaid := l.Unpaid()
	switch {
	case unpaid.Cmp(&zero) == 0 && left.Cmp(&zero) > 0:
		return nil // what it lacks is not due
	case l.Verdict() == payments.Accepted:
		i := slices.IndexFunc(l.Notes, func(n payments.Note) bool { return n.Verdict == payments.Accepted })
		reduce(max(l.Due, l.Notes[i].Created), left)
	}
	return list
}

// above returns since when the sum of the steps has been above a limit, or 0 if it is not.
func above(steps []step, limit affiliate.Number) (since affiliate.Millis) {
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	var sum, most affiliate.Sum
	most.Add(limit)
	for i, one := range steps {
		sum.AddSum(one.by)
		switch {
		case i+1 < len(steps) && steps[i+1].at == one.at: // what happens at once counts together
		case sum.Cmp(&most) <= 0:
			since = 0
		case since == 0:
			since = one.at
		}
	}
	return since
}

// Within reports whether the line came to be known as it is within UTC days.
func (l *PaymentLine) Within(days affiliate.Days) bool {
	return days.Contains(affiliate.DayOf(l.Noticed().Time(), time.UTC))
}
