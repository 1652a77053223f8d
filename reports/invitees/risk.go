package invitees

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// ChoiceAtRisk is the value of Query.State that selects the invitees of silent findings: of
// one coin if one is requested, otherwise of any.
const ChoiceAtRisk = "at-risk"

// risk computes the commission of an invitee per coin in [PresentDays] while it traded:
// between the first and the last of its days with commission in the last [RhythmDays].
// It is at risk if the invitee is silent or slowing by its own usual gap, or if the exchange
// soon ends its tie by the inactivity limit. Otherwise the amounts are not computed.
func (l *SnapshotLine) risk(active sums.Activity, today affiliate.Day, limit int) {
	if l.UsualGap.Known() {
		switch state := stateOf(tradingDays{lastTrade: l.LastTradeDay, usualGap: l.UsualGap}, today); state {
		case StateSilent, StateSlowing:
			l.absence = state
		}
	}
	if l.absence == "" && !TieEndsSoon(limit, l.LastTradeDay, today) || len(active.Days) == 0 {
		return
	}
	span := affiliate.Days{First: active.Days[0], Last: active.Days[len(active.Days)-1]}
	slices.SortFunc(active.Coins, func(a, b sums.CoinFigures) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Coin, b.Coin))
	})
	for _, t := range active.Coins {
		if commission := t.Commission.Decimal(); commission.IsPositive() {
			l.usual = append(l.usual, affiliate.Amount{Value: inPresentDays(commission, span), Coin: t.Coin})
		}
	}
}

// TieDays is how many days before the exchange ends the tie to an invitee it is worth a call.
const TieDays = 7

// TieLeft returns the days left before the exchange ends the tie to an invitee, which it does
// after the given number of days without a trade. It is negative if that is over. It is not known
// without a limit or a trade.
func TieLeft(limit int, lastTrade, today affiliate.Day) (days int, known bool) {
	if limit == 0 || lastTrade == 0 {
		return 0, false
	}
	return limit - int(today-lastTrade), true
}

// TieEndsSoon reports whether the exchange ends the tie within [TieDays].
func TieEndsSoon(limit int, lastTrade, today affiliate.Day) bool {
	left, known := TieLeft(limit, lastTrade, today)
	return known && left >= 0 && left <= TieDays
}

// risks computes how much commission is at risk, and whether it is worth a look.
type risks struct {
	coin      affiliate.Coin // the requested coin
	collected affiliate.Day  // since this day all commission up to yesterday is collected
	Prices    figures.Prices // of today
}

// ReadRisks reads the coverage and the prices that risks depend on.
func ReadRisks(ctx context.Context, q *snapshot.Snapshot, snapshot *Snapshot) (r risks, err error) {
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
		for _, amount := range snapshot.Lines[i].usual {
			coins[amount.Coin] = true
		}
	}
	r.Prices, err = q.Prices(ctx, slices.Sorted(maps.Keys(coins)))
	return r, err
}

// Of returns the amounts at risk with one invitee that is silent. If a day since its last trade
// is not collected, it may have traded on that day, and nothing is at risk.
func (r risks) Of(line *SnapshotLine) (amounts []affiliate.Amount) { return r.when(line, StateSilent) }

// Slowing is [risks.Of] for an invitee that is slowing.
func (r risks) Slowing(line *SnapshotLine) (amounts []affiliate.Amount) {
	return r.when(line, StateSlowing)
}

func (r risks) when(line *SnapshotLine, absence State) []affiliate.Amount {
	if line.absence != absence || !r.Collected(line.LastTradeDay) {
		return nil
	}
	return r.asked(line.usual)
}

// Usual returns what an invitee brought in [PresentDays] while it traded, if it is silent or
// slowing, or if the exchange soon ends its tie.
func (r risks) Usual(line *SnapshotLine) []affiliate.Amount { return r.asked(line.usual) }

// Collected reports whether all commission of the days after a day, up to yesterday, is collected.
func (r risks) Collected(since affiliate.Day) bool { return since+1 >= r.collected }

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
