package drivers

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// Report says what moved the commission of one coin from the compared period to the range.
type Report struct {
	Query          query.Query
	Several        bool              // the query is about several accounts, so an invitee is named with its account
	Coverage       coverage.Coverage // of the range
	Compared       affiliate.Days
	ComparedCover  coverage.Coverage
	Open           bool // the range extends beyond the instant of the query
	Options        snapshot.Options
	UnknownCode    int64              // see [snapshot.Snapshot.UnknownCode]
	Empty          coverage.EmptyKind // not "" if the range has nothing to explain
	Incomparable   coverage.EmptyKind // not "" if nothing of the compared period is known: then there are no drivers
	Coin           affiliate.Coin     // the requested one, otherwise the one with most records
	Coins          []CoinChange       // of both periods, the one with most records in the range first
	Valued         figures.ValuedFigure
	Before, Now    figures.Factors // of the coin
	Effects        figures.Effects
	By             Dimension
	Contributions  Contributions      // all along By
	Invitees       Contributions      // all by invitee, whatever By is; shared with Contributions if By is that
	Codes          *snapshot.CodeBook // if By is the invite code
	UndividedCells int                // products and sources without volume or fee in one period: their change is the rest
}

// CoinChange is the commission of one coin in both periods.
type CoinChange struct {
	Coin        affiliate.Coin
	Before, Now decimal.Decimal
	// Worth is the change in [figures.ValuedIn]: each period at the prices of its own days. It
	// is meaningful only if Priced.
	Worth  decimal.Decimal
	Priced bool
}

// Change returns by how much the commission of the coin changed.
func (c CoinChange) Change() decimal.Decimal { return c.Now.Sub(c.Before) }

// Change returns by how much commission changed in the coin of the report.
func (r Report) Change() decimal.Decimal { return r.Now.Commission.Sub(r.Before.Commission) }

// Known reports whether there is a change to explain.
func (r Report) Known() bool { return r.Empty == "" && r.Incomparable == "" }

// Complete reports whether both periods are collected completely.
func (r Report) Complete() bool { return r.Coverage.Complete() && r.ComparedCover.Complete() }

// Effect is a cause of a change, see [figures.Effects].
type Effect string

// Effects, in the order in which they are applied, with their names in JSON.
const (
	VolumeEffect Effect = "volume"
	FeeEffect    Effect = "fee_rate"
	ShareEffect  Effect = "rebate_rate"
	RestEffect   Effect = "rest"
)

// EffectAmount is one effect with its amount.
type EffectAmount struct {
	Effect Effect
	Amount decimal.Decimal
}

// EffectList lists the effects in their order. They add up to the change.
func (r Report) EffectList() []EffectAmount {
	return []EffectAmount{{VolumeEffect, r.Effects.Volume}, {FeeEffect, r.Effects.FeePerVolume}, {ShareEffect, r.Effects.ShareOfFees}, {RestEffect, r.Effects.Rest}}
}

// Presences adds up the contributions of each presence, without those that no contribution
// has. They add up to the change.
func (r Report) Presences() map[figures.Presence]Moved {
	of := map[figures.Presence]Moved{}
	for _, c := range r.Contributions {
		m := of[c.Presence]
		m.add(c)
		of[c.Presence] = m
	}
	return of
}

// Make answers the query, which takes [Accepted], for what moved the
// commission since the compared period.
func Make(ctx context.Context, q *snapshot.Snapshot) (r Report, err error) {
	r.Query, r.By, r.Open, r.Several = q.Query, Dimension(q.By), q.Open(), len(q.Accounts) > 1
	if r.Options, err = q.Options(ctx); err != nil {
		return r, err
	}
	if r.UnknownCode, err = q.UnknownCode(ctx); err != nil {
		return r, err
	}
	if _, r.Coverage, err = q.Covered(ctx); err != nil {
		return r, err
	}
	now, err := sums.ByDay(ctx, q.Tx, q.Filter())
	if err != nil {
		return r, err
	}
	ref, err := q.Compared(ctx)
	if err != nil {
		return r, err
	}
	if !ref.Asked {
		return r, fmt.Errorf("what moved the figure: the query compares with nothing")
	}
	r.Compared, r.ComparedCover = ref.Days, ref.Cover.Summary(ref.Days)
	r.Coin = figures.MainCoin(q.Coin, nil)
	if err := r.states(ctx, q, len(now) > 0, len(ref.Sums) > 0); err != nil || !r.Known() {
		return r, err
	}
	if r.Valued, err = q.Valued(ctx, now, ref); err != nil {
		return r, err
	}
	r.coins(q.Coin, figures.TotalsOf(now), figures.TotalsOf(ref.Sums))
	r.effects(now, ref.Sums)
	if r.By == ByCode {
		if r.Codes, err = q.InviteeCodes(ctx); err != nil {
			return r, err
		}
	}
	return r, r.contributions(ctx, q, now, ref.Sums)
}

// states determines whether there is something to explain.
func (r *Report) states(ctx context.Context, q *snapshot.Snapshot, some, before bool) (err error) {
	switch {
	case !some && (!before || r.Coverage.Collected == 0):
		r.Empty, err = q.WhyEmpty(ctx, r.Coverage)
	case !before && r.ComparedCover.Collected == 0:
		past := *q
		past.Days = r.Compared
		r.Incomparable, err = past.WhyNothing(ctx, r.ComparedCover)
	}
	return err
}

// coins lists the coins of both periods, and picks the one that the report is about.
func (r *Report) coins(asked affiliate.Coin, now, before []figures.Totals) {
	for _, t := range now {
		r.Coins = append(r.Coins, CoinChange{Coin: t.Coin, Now: t.Commission, Before: figures.TotalIn(before, t.Coin).Commission})
	}
	for _, t := range before {
		if !slices.ContainsFunc(now, func(n figures.Totals) bool { return n.Coin == t.Coin }) {
			r.Coins = append(r.Coins, CoinChange{Coin: t.Coin, Before: t.Commission})
		}
	}
	for i := range r.Coins {
		r.Coins[i].Worth, r.Coins[i].Priced = r.worth(r.Coins[i].Coin)
	}
	if r.Coin = figures.MainCoin(asked, now); len(now) == 0 {
		r.Coin = figures.MainCoin(asked, before)
	}
	r.Now, r.Before = figures.FactorsOf(figures.TotalIn(now, r.Coin)), figures.FactorsOf(figures.TotalIn(before, r.Coin))
}

// worth returns the converted change of a coin, or false if it has no price.
func (r *Report) worth(coin affiliate.Coin) (change decimal.Decimal, ok bool) {
	in := func(v figures.Valuation) (decimal.Decimal, bool) {
		if slices.ContainsFunc(v.Missing, func(a affiliate.Amount) bool { return a.Coin == coin }) {
			return decimal.Zero, false
		}
		for _, c := range v.Coins {
			if c.Sum.Coin == coin {
				return c.Value, true
			}
		}
		return decimal.Zero, true // it earned nothing in that period
	}
	now, ok := in(r.Valued.Valuation)
	before, okBefore := in(r.Valued.Reference)
	return now.Sub(before), ok && okBefore
}

// cell is a part of the records that is traded and paid under its own terms.
type cell struct {
	product affiliate.Product
	source  affiliate.Source
}

// effects divides the change in each product and source, and adds the effects up. So a shift
// between products with different fees is volume of the one and of the other, and changes
// neither the fees per volume nor the share of fees.
func (r *Report) effects(now, before []sums.DaySums) {
	type both struct{ now, before figures.Factors }
	cells := map[cell]both{}
	for of, list := range map[bool][]sums.DaySums{true: now, false: before} {
		totals := map[cell]*figures.CoinSums{}
		for _, d := range list {
			if d.Coin != r.Coin {
				continue
			}
			key := cell{d.Product, d.Source}
			if totals[key] == nil {
				totals[key] = new(figures.CoinSums)
			}
			totals[key].Add(d.Coin, d.Sums)
		}
		for key, t := range totals {
			one := cells[key]
			if factors := figures.FactorsOf(figures.TotalIn(t.Totals(), r.Coin)); of {
				one.now = factors
			} else {
				one.before = factors
			}
			cells[key] = one
		}
	}
	order := func(a, b cell) int { return cmp.Or(cmp.Compare(a.product, b.product), cmp.Compare(a.source, b.source)) }
	for _, key := range slices.SortedFunc(maps.Keys(cells), order) {
		effects, divided := figures.EffectsOf(cells[key].before, cells[key].now)
		if !divided {
			r.UndividedCells++
		}
		r.Effects = r.Effects.Add(effects)
	}
}
