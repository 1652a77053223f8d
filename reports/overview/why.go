package overview

import (
	"context"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Why explains the commission of a few days: the missing days, the trades without a fee or
// commission, and which of volume, fee and rate differs from the usual.
//
// Commission is volume × fee per volume × commission per fee, so a change in commission
// requires a change in one of the three.
type Why struct {
	Coin  affiliate.Coin
	Days  affiliate.Days
	Now   WhyFigures // of the days of the range that are over and collected
	Over  int        // number of those days
	Usual WhyFigures // of as many usual days; see UsualDays
	// UsualDays are the collected days from which Usual is taken, out of the eight
	// preceding weeks: all of them or, for a single day, those of the same weekday. If
	// there are too few, no usual is given.
	UsualDays  int
	UsualKnown bool

	Missing []coverage.Gap // not collected
	Lag     bool           // the last hours are not published yet

	ZeroFee        int64 // records of trades without a fee
	ZeroFeeVolume  decimal.Decimal
	ZeroCommission int64 // records with a fee and no commission
	UnpaidFee      decimal.Decimal
}

// WhyFigures holds the factors of commission, and how many records they are of.
type WhyFigures struct {
	Records decimal.Decimal // a mean for the usual, so not always whole
	figures.Factors
}

const (
	UsualDays  = 56 // eight weeks before the range
	leastUsual = 14 // minimum number of them that must be collected
	LeastSame  = 3  // the same for one weekday, for a single day
)

// MakeWhy answers the query, which must be [query.Query.Whyable], for its main coin.
func MakeWhy(ctx context.Context, q *snapshot.Snapshot) (Why, error) {
	wide := *q
	wide.Days.First -= UsualDays
	totals, err := sums.ByDay(ctx, q.Tx, wide.Filter())
	if err != nil {
		return Why{}, err
	}
	cover, err := q.ReadCoverage(ctx, affiliate.Commissions, wide.Days)
	if err != nil {
		return Why{}, err
	}
	why := Why{Coin: figures.MainCoin(q.Coin, figures.TotalsOf(figures.SumsWithin(totals, q.Days))), Days: q.Days, Lag: lags(q)}
	if why.Coin == "" {
		why.Coin = figures.MainCoin(q.Coin, figures.TotalsOf(totals)) // it brought nothing now, but did before
	}
	why.Missing = cover.Summary(q.Days).Gaps
	why.compare(totals, cover)
	return why, why.unpaid(ctx, q)
}

// lags reports whether the newest commission of the range may not be published yet: it
// trails the trade, so that a day that is over still grows.
func lags(q *snapshot.Snapshot) bool {
	span := q.Days.Range(q.Zone)
	return q.Now.After(span.From) && q.Now.Before(span.To.Add(records.Settles))
}

// compare compares the days of the range with those before it. A day that is running or not
// collected would look low for that reason alone, so it is left out.
func (w *Why) compare(list []sums.DaySums, cover *coverage.Map) {
	collected := func(days affiliate.Days, wanted func(affiliate.Day) bool) map[affiliate.Day]bool {
		taken := map[affiliate.Day]bool{}
		for day := days.First; day <= days.Last; day++ {
			if wanted(day) && cover.State(day) == coverage.DayCollected {
				taken[day] = true
			}
		}
		return taken
	}
	single := w.Days.Len() == 1
	own := collected(w.Days, func(affiliate.Day) bool { return true })
	before := collected(affiliate.Days{First: w.Days.First - UsualDays, Last: w.Days.First - 1},
		func(day affiliate.Day) bool { return !single || day.Weekday() == w.Days.First.Weekday() })
	w.Now, w.Over, w.UsualDays = whyFigures(list, w.Coin, own), len(own), len(before)
	w.UsualKnown = len(own) > 0 && (len(before) >= leastUsual || single && len(before) >= LeastSame)
	if !w.UsualKnown {
		return
	}
	whole := whyFigures(list, w.Coin, before)
	times, over := decimal.NewFromInt(int64(len(own))), decimal.NewFromInt(int64(len(before)))
	mean := func(sum decimal.Decimal) decimal.Decimal {
		return sum.Mul(times).DivRound(over, figures.FractionDigits)
	}
	w.Usual = WhyFigures{mean(whole.Records), figures.Factors{Volume: mean(whole.Volume), Fee: mean(whole.Fee), Commission: mean(whole.Commission)}}
}

func (w *Why) unpaid(ctx context.Context, q *snapshot.Snapshot) error {
	list, err := snapshot.OfDaysOnce(ctx, q, "records without commission", q.Filter(), sums.UnpaidOfDays, sums.JoinUnpaid)
	for _, u := range list {
		if u.Coin == w.Coin {
			w.ZeroFee, w.ZeroFeeVolume = u.ZeroFee, u.ZeroFeeVolume.Decimal()
			w.ZeroCommission, w.UnpaidFee = u.ZeroCommission, u.UnpaidFee.Decimal()
		}
	}
	return err
}

func whyFigures(sumsList []sums.DaySums, coin affiliate.Coin, days map[affiliate.Day]bool) WhyFigures {
	var t figures.CoinSums
	for _, d := range sumsList {
		if d.Coin == coin && days[d.Day] {
			t.Add(coin, d.Sums)
		}
	}
	for _, total := range t.Totals() {
		return WhyFigures{decimal.NewFromInt(total.Records), figures.FactorsOf(total)}
	}
	return WhyFigures{}
}

// Factor is one of the three factors of commission, compared with its usual value.
type Factor struct {
	Name   FactorName
	Now    decimal.Decimal
	Usual  decimal.Decimal
	Change figures.Change
	// Effect is how much commission the factor cost or brought, see [figures.EffectsOf]. The
	// effects add up to the whole difference: the last one has what is lost by rounding.
	Effect decimal.Decimal
}

// FactorName names a factor of commission.
type FactorName string

// Factors, in the order of multiplication.
const (
	FactorVolume FactorName = "volume"         // as the exchange reports it
	FactorFee    FactorName = "fee per volume" // a fraction
	FactorShare  FactorName = "share of fees"  // a fraction: commission per fee
)

// Factors compares the factors with their usual values. It is empty if no usual value is
// known, or if there is no volume or fee to divide by.
func (w Why) Factors() []Factor {
	effects, ok := figures.EffectsOf(w.Usual.Factors, w.Now.Factors)
	if !w.UsualKnown || !ok {
		return nil
	}
	factor := func(name FactorName, of func(figures.Factors) (decimal.Decimal, bool), effect decimal.Decimal) Factor {
		now, _ := of(w.Now.Factors) // known, as the effects are
		usual, _ := of(w.Usual.Factors)
		return Factor{Name: name, Now: now, Usual: usual, Change: figures.ChangeOf("", now, usual), Effect: effect}
	}
	volume := func(f figures.Factors) (decimal.Decimal, bool) { return f.Volume, true }
	return []Factor{
		factor(FactorVolume, volume, effects.Volume),
		factor(FactorFee, figures.Factors.FeePerVolume, effects.FeePerVolume),
		factor(FactorShare, figures.Factors.ShareOfFees, effects.ShareOfFees.Add(effects.Rest)),
	}
}
