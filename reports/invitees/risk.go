package invitees

import (
	"context"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/question"
)

// ChoiceAtRisk asks, as a value of Query.State, for those that a silent finding
// is about: of one coin where one is asked for, else of any.
const ChoiceAtRisk = "at-risk"

// risk notes what an invitee brought of each coin in [PresentDays] while it
// traded: from the first to the last of its days with commission in the last
// [RhythmDays]. None is at risk unless it is silent by its own usual gap.
func (l *SnapshotLine) risk(days []affiliate.Day, brought []figures.Totals, today affiliate.Day) {
	if !l.UsualGap.Known() || stateOf(tradingDays{lastTrade: l.LastTradeDay, usualGap: l.UsualGap}, today) != StateSilent {
		return
	}
	span := affiliate.Days{First: days[0], Last: days[len(days)-1]}
	for _, t := range brought {
		if t.Commission.IsPositive() {
			value := t.Commission.Mul(decimal.NewFromInt(PresentDays)).
				DivRound(decimal.NewFromInt(int64(max(span.Len(), PresentDays))), figures.FractionDigits)
			l.atRisk = append(l.atRisk, affiliate.Amount{Value: value, Coin: t.Coin})
		}
	}
}

// risks tells how much commission is at risk, and whether it is worth a look.
type risks struct {
	coin      affiliate.Coin // that is asked for
	collected affiliate.Day  // from here to yesterday all commission is collected
	prices    figures.Prices
}

// ReadRisks reads the coverage and the prices that risks depend on.
func ReadRisks(ctx context.Context, q *question.Question, snapshot *Snapshot) (r risks, err error) {
	today := affiliate.DayOf(q.Now, q.Zone)
	wide := *q
	wide.Product = "" // who trades another product is not silent
	days := affiliate.Days{First: today - RhythmDays + 1, Last: today}
	cover, err := wide.ReadCoverage(ctx, affiliate.Commissions, days)
	if err != nil {
		return r, err
	}
	r = risks{coin: q.Coin, collected: today}
	for r.collected > days.First && cover.State(r.collected-1) == coverage.DayCollected {
		r.collected--
	}
	coins := map[affiliate.Coin]bool{}
	for i := range snapshot.Lines {
		for _, amount := range snapshot.Lines[i].atRisk {
			coins[amount.Coin] = true
		}
	}
	r.prices, err = q.Prices(ctx, slices.Sorted(maps.Keys(coins)))
	return r, err
}

// Of lists the amounts at risk with one invitee. If a day since its last trade is not
// collected, it may have traded on that day, and nothing is at risk.
func (r risks) Of(line *SnapshotLine) (amounts []affiliate.Amount) {
	if line.LastTradeDay+1 < r.collected {
		return nil
	}
	for _, amount := range line.atRisk {
		if r.coin == "" || amount.Coin == r.coin {
			amounts = append(amounts, amount)
		}
	}
	return amounts
}

// matter reports whether any of the amounts is worth a look.
func (r risks) matter(amounts []affiliate.Amount) bool {
	return slices.ContainsFunc(amounts, func(a affiliate.Amount) bool { return r.prices.Matters(a.Value, a.Coin) })
}

// PresentDays is the present: long enough for a month's rhythm, short enough that
// something can still be done.
const PresentDays = 30
