package losses

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/estimate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
)

// Report lists what is at risk, in all coins. It concerns the time of the query, whatever range
// a page shows.
type Report struct {
	Query query.Query
	Coins []CoinRisk // most worth first
	// Together is the sum over coins, converted at today's prices; nil unless there are several
	// coins with a price.
	Together *LikelyLoss
	Worth    figures.Valuation // of Together.Usual
}

// CoinRisk is what is at risk in one coin.
type CoinRisk struct {
	Coin affiliate.Coin
	LikelyLoss
	Silent, Slowing []RiskyInvitee // those who brought most first
	Worth           figures.Valuation
}

// RiskyInvitee is silent or slowing by the rule of [invitees.State].
type RiskyInvitee struct {
	Account  affiliate.Account
	UID      affiliate.UID
	Last     affiliate.Day // last day with a trade
	Days     int           // since then
	UsualGap figures.HalfDays
	Usual    decimal.Decimal // mean commission in [invitees.PresentDays], while it traded
}

// LikelyLoss is what some invitees used to bring in [invitees.PresentDays], and how much of it
// is likely lost in as many days from now on.
type LikelyLoss struct {
	Usual decimal.Decimal
	Loss  estimate.Loss      // an estimate; it holds if Few is nil
	Few   *estimate.FewError // why there is none
	// Trials are those of earlier months; of all coins together, those of each coin added up.
	Trials invitees.LossTrials
}

// Known reports whether there is an estimate of the loss.
func (l LikelyLoss) Known() bool { return l.Few == nil && l.Loss.Cases > 0 }

// Make answers the query for the revenue at risk. It uses the account, the coin and the
// instant of the query.
func Make(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	view := Report{Query: q.Query}
	present := *q
	present.Query = query.Query{Account: q.Account, Coin: q.Coin, Segment: q.Segment, Members: q.Members, AsOf: q.AsOf, Zone: q.Zone, Today: q.Today, Page: 1, Per: query.DefaultPer}
	snapshot, err := invitees.ReadSnapshot(ctx, &present)
	if err != nil {
		return view, err
	}
	risks, err := invitees.ReadRisks(ctx, &present, snapshot)
	if err != nil {
		return view, err
	}
	byCoin := map[affiliate.Coin]*CoinRisk{}
	today := affiliate.DayOf(q.Now, q.Zone)
	for i := range snapshot.Lines {
		line := &snapshot.Lines[i]
		if q.Account != "" && line.Account != q.Account {
			continue
		}
		add := func(amounts []affiliate.Amount, to func(*CoinRisk) *[]RiskyInvitee) {
			for _, amount := range amounts {
				if !risks.Matters(amount) {
					continue
				}
				if byCoin[amount.Coin] == nil {
					byCoin[amount.Coin] = &CoinRisk{Coin: amount.Coin}
				}
				list := to(byCoin[amount.Coin])
				*list = append(*list, RiskyInvitee{Account: line.Account, UID: line.UID, Last: line.LastTradeDay, Days: int(today - line.LastTradeDay), UsualGap: line.UsualGap, Usual: amount.Value})
			}
		}
		add(risks.Of(line), func(c *CoinRisk) *[]RiskyInvitee { return &c.Silent })
		add(risks.Slowing(line), func(c *CoinRisk) *[]RiskyInvitee { return &c.Slowing })
	}
	past, err := invitees.ReadPastAbsences(ctx, &present)
	if err != nil {
		return view, err
	}
	var together []affiliate.Amount
	for _, coin := range slices.Sorted(maps.Keys(byCoin)) {
		c := byCoin[coin]
		for _, list := range [][]RiskyInvitee{c.Silent, c.Slowing} {
			slices.SortFunc(list, func(a, b RiskyInvitee) int {
				return cmp.Or(b.Usual.Cmp(a.Usual), cmp.Compare(a.Account, b.Account), cmp.Compare(a.UID, b.UID))
			})
		}
		if c.LikelyLoss, err = Likely(past, coin, slices.Concat(c.Silent, c.Slowing)); err != nil {
			return view, err
		}
		amount := affiliate.Amount{Value: c.Usual, Coin: coin}
		c.Worth = risks.Prices.Worth(amount)
		together = append(together, amount)
		view.Coins = append(view.Coins, *c)
	}
	slices.SortStableFunc(view.Coins, func(a, b CoinRisk) int {
		return cmp.Or(b.Worth.Total.Cmp(a.Worth.Total), b.Usual.Cmp(a.Usual))
	})
	view.Worth = risks.Prices.Worth(together...)
	view.Together, err = converted(past, view, risks.Prices)
	return view, err
}

// Likely estimates how much is lost of what some invitees used to bring in a coin.
func Likely(past *invitees.PastAbsences, coin affiliate.Coin, list []RiskyInvitee) (l LikelyLoss, err error) {
	var absent []estimate.Absence
	for _, one := range list {
		l.Usual = l.Usual.Add(one.Usual)
		absent = append(absent, one.absence())
	}
	l.Loss, err = estimate.Lose(past.OutcomesIn(coin), absent)
	l.Trials = past.TrialsIn(coin)
	return l.checked(err)
}

// converted estimates the loss in all coins that have a price.
func converted(past *invitees.PastAbsences, view Report, prices figures.Prices) (*LikelyLoss, error) {
	if len(view.Worth.Coins) < 2 {
		return nil, nil
	}
	l, err := Together(past, view.Coins, prices)
	return &l, err
}

// Together estimates how much is lost in all coins that have a price, in the coin of the prices.
func Together(past *invitees.PastAbsences, coins []CoinRisk, prices figures.Prices) (l LikelyLoss, err error) {
	var absent []estimate.Absence
	var outcomes []estimate.PastAbsence
	for _, c := range coins {
		if len(prices.Worth(affiliate.Amount{Value: c.Usual, Coin: c.Coin}).Coins) == 0 {
			continue
		}
		for _, one := range slices.Concat(c.Silent, c.Slowing) {
			a := one.absence()
			a.Usual = prices.Worth(affiliate.Amount{Value: one.Usual, Coin: c.Coin}).Total
			l.Usual = l.Usual.Add(a.Usual)
			absent = append(absent, a)
		}
		outcomes = append(outcomes, past.OutcomesIn(c.Coin)...)
		l.Trials.Tested, l.Trials.Hits = l.Trials.Tested+c.Trials.Tested, l.Trials.Hits+c.Trials.Hits
	}
	l.Loss, err = estimate.Lose(outcomes, absent)
	return l.checked(err)
}

// checked notes that there is no estimate.
func (l LikelyLoss) checked(err error) (LikelyLoss, error) {
	if few, ok := errors.AsType[*estimate.FewError](err); ok {
		l.Few, err = few, nil
	}
	return l, err
}

func (r RiskyInvitee) absence() estimate.Absence {
	return estimate.Absence{Silent: r.Days, HalfDays: int(r.UsualGap), Usual: r.Usual}
}
