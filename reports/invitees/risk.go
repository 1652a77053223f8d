package invitees

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/question"
	"rebatedesk/store/sums"
)

// ChoiceAtRisk is the value of Query.State that selects the invitees of silent findings: of
// one coin if one is requested, otherwise of any.
const ChoiceAtRisk = "at-risk"

// risk computes the commission of an invitee per coin in [PresentDays] while it traded:
// between the first and the last of its days with commission in the last [RhythmDays].
// Nothing is at risk unless the invitee is silent by its own usual gap; of one that is slowing
// the amounts are kept apart.
func (l *SnapshotLine) risk(active sums.Activity, today affiliate.Day) {
	if !l.UsualGap.Known() {
		return
	}
	amounts := &l.atRisk
	switch stateOf(tradingDays{lastTrade: l.LastTradeDay, usualGap: l.UsualGap}, today) {
	case StateSilent:
	case StateSlowing:
		amounts = &l.slows
	default:
		return
	}
	span := affiliate.Days{First: active.Days[0], Last: active.Days[len(active.Days)-1]}
	slices.SortFunc(active.Coins, func(a, b sums.CoinFigures) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Coin, b.Coin))
	})
	for _, t := range active.Coins {
		if commission := t.Commission.Decimal(); commission.IsPositive() {
			*amounts = append(*amounts, affiliate.Amount{Value: inPresentDays(commission, span), Coin: t.Coin})
		}
	}
}

// risks computes how much commission is at risk, and whether it is worth a look.
type risks struct {
	coin      affiliate.Coin // the requested coin
	collected affiliate.Day  // since this day all commission up to yesterday is collected
	Prices    figures.Prices // of today
}

// ReadRisks reads the coverage and the prices that risks depend on.
func ReadRisks(ctx context.Context, q *question.Question, snapshot *Snapshot) (r risks, err error) {
	today := affiliate.DayOf(q.Now, q.Zone)
	wide := *q
	wide.Product = "" // an invitee who trades another product is not silent
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
		for _, amount := range slices.Concat(snapshot.Lines[i].atRisk, snapshot.Lines[i].slows) {
			coins[amount.Coin] = true
		}
	}
	r.Prices, err = q.Prices(ctx, slices.Sorted(maps.Keys(coins)))
	return r, err
}

// Of returns the amounts at risk with one invitee. If a day since its last trade is not
// collected, it may have traded on that day, and nothing is at risk.
func (r risks) Of(line *SnapshotLine) (amounts []affiliate.Amount) {
	if line.LastTradeDay+1 < r.collected {
		return nil
	}
	return r.asked(line.atRisk)
}

// Slowing is [risks.Of] for an invitee that is slowing.
func (r risks) Slowing(line *SnapshotLine) (amounts []affiliate.Amount) {
	if line.LastTradeDay+1 < r.collected {
		return nil
	}
	return r.asked(line.slows)
}

func (r risks) asked(all []affiliate.Amount) (amounts []affiliate.Amount) {
	for _, amount := range all {
		if r.coin == "" || amount.Coin == r.coin {
			amounts = append(amounts, amount)
		}
	}
	return amounts
}

// Matters reports whether an amount is worth a look.
func (r risks) Matters(amount affiliate.Amount) bool {
	return r.Prices.Matters(amount.Value, amount.Coin)
}

// matter reports whether any of the amounts is worth a look.
func (r risks) matter(amounts []affiliate.Amount) bool {
	return slices.ContainsFunc(amounts, r.Matters)
}

// PresentDays is the length of the present: long enough for a month's rhythm, short enough
// to act on.
const PresentDays = 30
