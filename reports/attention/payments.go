package attention

import (
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	stored "rebatedesk/store/payments"
)

// PaymentFinding says that payments in one coin are not as they should be. Missing and short
// ones are found as long as nobody accepts them, others for thirty days.
type PaymentFinding struct {
	State    books.State
	Coin     affiliate.Coin
	Lines    int
	Disputed int                  // of them
	Restated int                  // of them those whose commission changed after it was paid
	Sum      decimal.Decimal      // what is lacking, or for the other states what was paid too much or late; not negative
	Grown    decimal.Decimal      // the part of Sum that the exchange added after it had paid
	Excess   decimal.Decimal      // of a missing or short sum: what was paid twice, too much or for no period in the coin, of all time
	Days     affiliate.Days       // UTC days on which their periods begin, or on which payments without a period arrived
	Oldest   payments.PaymentLine // the one that was due first
	Age      int                  // days since Oldest was due
	Share    figures.Ratio        // Sum in percent of what was earned and due in the last thirty days
	Worth    figures.Valuation    // of Sum
	matters  bool
}

// Severity of unpaid commission rises with its age and its share. All else is an information,
// but a sum that matters and was paid twice or too much is a warning: the exchange may take it
// back.
func (f PaymentFinding) Severity() Severity {
	unpaid := f.State == books.Missing || f.State == books.Short
	share := func(percent int64) bool {
		return f.Share.Known && f.Share.Percent.GreaterThanOrEqual(decimal.NewFromInt(percent))
	}
	switch {
	case !f.matters:
		return SeverityInfo
	case unpaid && (share(paymentMuch) || share(paymentPercent) && f.Age > paymentDays):
		return SeverityAlert
	case unpaid, f.State == books.Twice, f.State == books.Over:
		return SeverityWarning
	}
	return SeverityInfo
}

// UnruledFinding says that the payments of an account follow no rule that is known, so that
// nobody can say which of them lacks something.
type UnruledFinding struct {
	Account affiliate.Account
	Bills   int // that look like payments
}

// Severity is the lowest: what was earned and paid in all is known.
func (UnruledFinding) Severity() Severity { return SeverityInfo }

// payments checks the books of all time.
func (w *watch) payments(ctx context.Context) ([]Finding, error) {
	recent := *w.Question
	recent.Query = query.Query{Account: w.Account, AsOf: w.AsOf, Zone: w.Zone, Today: w.Today, Days: w.last(invitees.PresentDays)}
	view, err := payments.MakeOverview(ctx, &recent)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, account := range w.Accounts {
		if n := view.Unruled[account]; n > 0 {
			found = append(found, UnruledFinding{Account: account, Bills: n})
		}
	}
	for _, state := range payments.States() {
		byCoin := map[affiliate.Coin]*PaymentFinding{}
		var coins []affiliate.Coin
		for i := range view.Faults {
			line := &view.Faults[i]
			if line.State != state || !w.still(line) {
				continue
			}
			if byCoin[line.Coin] == nil {
				byCoin[line.Coin] = &PaymentFinding{State: state, Coin: line.Coin}
				coins = append(coins, line.Coin)
			}
			byCoin[line.Coin].add(line)
		}
		slices.Sort(coins)
		for _, coin := range coins {
			f := byCoin[coin]
			f.Age = f.Oldest.Age(view.Now)
			f.Share = figures.QuotientOf(f.Sum, dueOf(view.InRange, coin))
			f.Excess = excessOf(view.AllTime, coin)
			f.Worth, f.matters = w.prices.Worth(affiliate.Amount{Value: f.Sum, Coin: coin}), w.matters(f.Sum, coin)
			found = append(found, *f)
		}
	}
	return found, nil
}

// still reports whether a line is to be found now.
func (w *watch) still(line *payments.PaymentLine) bool {
	return line.State == books.Missing || line.State == books.Short || w.Days.Contains(affiliate.DayOf(line.Noticed().Time(), w.Zone))
}

// dueOf returns what was earned in a coin and is due.
func dueOf(balances []payments.CoinBalance, coin affiliate.Coin) decimal.Decimal {
	for i := range balances {
		if b := &balances[i]; b.Coin == coin {
			return b.Earned.Decimal().Sub(b.Pending.Decimal())
		}
	}
	return decimal.Zero
}

// excessOf returns what was paid too much in a coin.
func excessOf(balances []payments.CoinBalance, coin affiliate.Coin) decimal.Decimal {
	for i := range balances {
		if balances[i].Coin == coin {
			return balances[i].Excess.Decimal()
		}
	}
	return decimal.Zero
}

func (f *PaymentFinding) add(line *payments.PaymentLine) {
	begins := affiliate.DayOf(line.From.Time(), time.UTC)
	if f.Lines == 0 {
		f.Days = affiliate.Days{First: begins, Last: begins}
	}
	f.Days = affiliate.Days{First: min(f.Days.First, begins), Last: max(f.Days.Last, begins)}
	if f.Lines == 0 || line.Due < f.Oldest.Due {
		f.Oldest = *line
	}
	f.Lines++
	if line.Verdict() == stored.Disputed {
		f.Disputed++
	}
	if restated := line.Restated(); restated.Cmp(new(affiliate.Sum)) != 0 {
		f.Restated++
	}
	grown := line.Grown()
	f.Grown = f.Grown.Add(grown.Decimal())
	sum := line.Difference()
	if line.State == books.Late {
		sum = line.Paid
	}
	f.Sum = f.Sum.Add(sum.Decimal().Abs())
}
