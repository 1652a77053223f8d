package tiers

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/agreed"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/months"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/agreements"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
	"rebatedesk/terms"
)

// Report says how far the next tier of each tiered agreement is in a month.
type Report struct {
	Query    query.Query
	Days     affiliate.Days // of the month, in the reporting zone
	Today    affiliate.Day  // of the requested state
	Coverage coverage.Coverage
	Tiers    []Tier
	Agreed   bool // there are terms, tiered or not
}

// Open reports whether the month is not over.
func (r *Report) Open() bool { return r.Today <= r.Days.Last }

// Tier is the next tier of one agreement in the month.
type Tier struct {
	terms.Ladder
	Who     affiliate.UID     // the sub-affiliate whose own volume decides; empty: the agreement is about records
	Figure  agreed.TierFigure // what was reached
	Current terms.Term        // that applies now; its rate is unknown if none does yet
	Next    *terms.Term       // nil: the highest tier is reached
	// Missing is what the figure lacks for the next tier.
	Missing affiliate.Number
	// ReachedOn is the day of the month on which the next tier is reached at the pace of its whole days so far;
	// 0: not in this month, or there is no pace yet.
	ReachedOn affiliate.Day
	// Worth is what the commission of the month would be more at the next rate, by the fees that are known
	// now, by coin. Fees to which a narrower agreement applies are left out. It is not known where no
	// rate is agreed below the next tier. That of a sub-affiliate is negative, as more would be due to it.
	Worth  []affiliate.Amount
	Valued figures.Valuation // of Worth, at the prices of today
	// NoCoin is Worth of a sub-affiliate whose agreement names no coin: the exchange gives its fees without one.
	NoCoin affiliate.Number
}

// ID is the number of the term that applies, or of the next one if none does.
func (t *Tier) ID() int64 {
	if t.Current.ID == 0 && t.Next != nil {
		return t.Next.ID
	}
	return t.Current.ID
}

// Within reports whether the next tier is reached in the month at the present pace.
func (t *Tier) Within() bool { return t.Next != nil && t.ReachedOn != 0 }

// Accepted are the parameters of the report.
var Accepted = query.AcceptedParams{Taken: []string{"month", "account", "as_of"}, Usual: query.MonthTo, Months: true}

// Make answers the query for the tiers of a month. It takes [Accepted].
func Make(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	r := Report{Query: q.Query, Today: affiliate.DayOf(q.Now, q.Zone)}
	r.Days = months.DaysOf(r.Today)
	if q.Month != "" {
		r.Days = months.DaysOf(q.Days.First)
	}
	list, err := agreements.TermsAt(ctx, q.Tx, q.AsOfMillis())
	if err != nil {
		return r, err
	}
	r.Agreed = len(list) > 0
	cover, err := q.ReadCoverage(ctx, affiliate.Commissions, r.Days)
	if err != nil {
		return r, err
	}
	r.Coverage = cover.Summary(r.Days)
	book := terms.NewBook(list)
	for _, ladder := range book.Ladders(min(r.Today, r.Days.Last)) {
		if q.Account != "" && ladder.Account != "" && ladder.Account != q.Account {
			continue
		}
		if ladder.Scope == terms.ScopeSubAffiliate {
			err = r.addSubAffiliates(ctx, q, ladder)
		} else {
			err = r.add(ctx, q, ladder, "")
		}
		if err != nil {
			return r, err
		}
	}
	if err := r.value(ctx, q, book); err != nil {
		return r, err
	}
	return r, nil
}

// addSubAffiliates adds a ladder for each sub-affiliate of the month to which it applies.
func (r *Report) addSubAffiliates(ctx context.Context, q *snapshot.Snapshot, ladder terms.Ladder) error {
	fees := map[affiliate.UID]*affiliate.Sum{}
	of := records.SubAffiliateFilter{Days: r.Days, Account: ladder.Account, Product: ladder.Product, UID: affiliate.UID(ladder.Value), AsOf: q.AsOfMillis()}
	for row, err := range records.SubAffiliateDays(ctx, q.Tx, of) {
		if err != nil {
			return err
		}
		if fees[row.UID] == nil {
			fees[row.UID] = new(affiliate.Sum)
		}
		if row.NetTradingFee.Known() {
			fees[row.UID].Add(row.NetTradingFee)
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(fees)) {
		if err := r.add(ctx, q, ladder, uid); err != nil {
			return err
		}
		if t := &r.Tiers[len(r.Tiers)-1]; t.Next != nil && t.Current.Rate.Known() {
			more := t.Next.Rate.Decimal().Sub(t.Current.Rate.Decimal())
			worth := affiliate.Times(fees[uid].Decimal(), more).Neg()
			if t.Next.Coin != "" {
				t.Worth = []affiliate.Amount{{Value: worth, Coin: t.Next.Coin}}
			} else {
				t.NoCoin = affiliate.Number(worth.String())
			}
		}
	}
	return nil
}

// add measures the figure of a ladder, and finds its next tier.
func (r *Report) add(ctx context.Context, q *snapshot.Snapshot, ladder terms.Ladder, who affiliate.UID) error {
	t := Tier{Ladder: ladder, Who: who, Current: ladder.Base}
	asked := terms.TierMonth{By: ladder.By, Account: ladder.Account, Scope: ladder.Scope, Value: ladder.Value, Product: ladder.Product, Source: ladder.Source, Month: r.Days.First}
	if who != "" {
		asked.Value = string(who)
	}
	var err error
	if t.Figure, err = agreed.Measured(ctx, q, asked); err != nil {
		return err
	}
	for i := range ladder.Steps {
		step := ladder.Steps[i]
		if t.Figure.Figure.Known() && t.Figure.Figure.Cmp(step.TierFrom) >= 0 {
			t.Current = step
			continue
		}
		t.Next = &step
		break
	}
	if t.Next != nil {
		missing := t.Next.TierFrom.Decimal().Sub(t.Figure.Figure.Decimal())
		t.Missing = affiliate.Number(missing.String())
		t.ReachedOn = r.reachedOn(t.Figure.Figure.Decimal(), missing)
	}
	r.Tiers = append(r.Tiers, t)
	return nil
}

// reachedOn returns the day of the month on which what is missing is reached at the pace of the whole days so
// far, or 0.
func (r *Report) reachedOn(reached, missing decimal.Decimal) affiliate.Day {
	whole := int64(r.Today - r.Days.First) // days that are over
	if !r.Open() || whole <= 0 || !reached.IsPositive() {
		return 0
	}
	days := missing.Mul(decimal.NewFromInt(whole)).DivRound(reached, 8).Ceil().IntPart()
	if left := int64(r.Days.Last - r.Today); days > left {
		return 0
	}
	return r.Today + affiliate.Day(days)
}

// value finds what the next tiers are worth, in their coins and in USDT.
func (r *Report) value(ctx context.Context, q *snapshot.Snapshot, book *terms.Book) error {
	if err := r.addWorth(ctx, q, book); err != nil {
		return err
	}
	coins := map[affiliate.Coin]bool{}
	for i := range r.Tiers {
		for _, a := range r.Tiers[i].Worth {
			coins[a.Coin] = true
		}
	}
	if len(coins) == 0 {
		return nil
	}
	prices, err := q.Prices(ctx, slices.Sorted(maps.Keys(coins)))
	if err != nil {
		return err
	}
	for i := range r.Tiers {
		t := &r.Tiers[i]
		slices.SortFunc(t.Worth, func(a, b affiliate.Amount) int {
			return cmp.Or(figures.CompareCoins(a.Coin, b.Coin), cmp.Compare(a.Coin, b.Coin))
		})
		t.Valued = prices.Worth(t.Worth...)
	}
	return nil
}

// addWorth adds the worth of tiers about records, by the fees of the month to which each agreement applies.
func (r *Report) addWorth(ctx context.Context, q *snapshot.Snapshot, book *terms.Book) error {
	wanted := map[terms.Key]*Tier{}
	for i := range r.Tiers {
		if t := &r.Tiers[i]; t.Who == "" && t.Next != nil && t.Current.Rate.Known() {
			wanted[t.Key] = t
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	codes, err := q.InviteeCodes(ctx)
	if err != nil {
		return err
	}
	figure := map[terms.TierMonth]affiliate.Number{}
	for i := range r.Tiers {
		figure[r.Tiers[i].Figure.TierMonth] = r.Tiers[i].Figure.Figure
	}
	measure := func(asked terms.TierMonth) affiliate.Number { return figure[asked] }
	of := q.Everywhere()
	if q.Account != "" {
		of = q.OfAccount(q.Account)
	}
	of.Days = r.Days
	type place struct {
		key  terms.Key
		coin affiliate.Coin
	}
	fees := map[place]*affiliate.Sum{}
	var lock sync.Mutex // of the two halves
	err = sums.EachInviteeDay(ctx, q.Tx, of.Filter(), func() func(*sums.InviteeDay) error {
		return func(line *sums.InviteeDay) error {
			earning := terms.Earning{Account: line.Account, UID: line.UID, Code: codes.Of(line.InviteeKey), Product: line.Product, Source: line.Source, Day: line.Day}
			lock.Lock()
			defer lock.Unlock()
			applies, ok := book.Of(earning, measure)
			if !ok || wanted[applies.Key().Agreement()] == nil {
				return nil
			}
			at := place{applies.Key().Agreement(), line.Coin}
			if fees[at] == nil {
				fees[at] = new(affiliate.Sum)
			}
			fees[at].AddSum(line.Fee)
			return nil
		}
	})
	if err != nil {
		return err
	}
	for at, fee := range fees {
		t := wanted[at.key]
		worth := affiliate.Times(fee.Decimal(), t.Next.Rate.Decimal().Sub(t.Current.Rate.Decimal()))
		t.Worth = append(t.Worth, affiliate.Amount{Value: worth, Coin: at.coin})
	}
	return nil
}
