package forecast

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/estimate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// Ending is where the commission of one coin, or of all coins converted, will end.
type Ending struct {
	Coin      affiliate.Coin // of the amounts
	Converted bool           // all coins, each day at its own price
	Days      affiliate.Days
	State     State
	// Estimate has the exact amount earned. The rest holds if Lack has no kind. A range that is
	// over ended at what was earned.
	Estimate estimate.Estimate
	Lack     Lack
	Trials   []Trial           // what the method would have said of earlier ranges; newest first
	Earned   figures.Valuation // of a converted figure: the prices of what was earned
	// Unpriced are the coins without a price that a converted figure leaves out, with what they
	// earned in all days that the forecast knows.
	Unpriced []affiliate.Amount
}

// Known reports whether there is a number.
func (f Ending) Known() bool { return f.Lack.Kind == "" }

// Tested counts the trials that had a range.
func (f Ending) Tested() (n int) {
	for _, t := range f.Trials {
		if t.Estimate.Ranged() {
			n++
		}
	}
	return n
}

// Hits counts the trials in which the range held.
func (f Ending) Hits() (n int) {
	for _, t := range f.Trials {
		if t.Held() {
			n++
		}
	}
	return n
}

// State says whether a range has begun, and whether it is over.
type State string

// States of a range.
const (
	SpanOpen  State = "open"
	SpanOver  State = "over"
	SpanAhead State = "ahead" // has not begun
)

// Lack is the reason why there is no forecast.
type Lack struct {
	Kind   LackKind // empty: there is one
	Days   []affiliate.Days
	Gaps   []coverage.Gap // the streams that are missing
	Before bool           // some of the days lie before all that was ever to be collected
	Have   int            // complete days, or days ahead
	Need   int            // how many are needed, or possible
}

// LackKind is a reason why there is no forecast.
type LackKind string

// Reasons why there is no forecast.
const (
	LackDays     LackKind = "days"     // some days are not completely collected
	LackInvitees LackKind = "invitees" // the invitees are not, so codes are not all known
	LackHistory  LackKind = "history"  // it is too short
	LackFar      LackKind = "far"      // the range ends too far ahead
)

// farthest is how many days ahead a forecast reaches: a quarter, and some days.
const farthest = 100

// Trial is a forecast of an earlier range, as of the same day, and what came. It uses the
// records as they are known at the instant of the question.
type Trial struct {
	On       affiliate.Day // at the beginning of this day
	Estimate estimate.Estimate
	Came     decimal.Decimal
}

// Held reports whether what came lies within the range.
func (t Trial) Held() bool {
	return t.Estimate.Held(t.Came)
}

// mostTrials is how many earlier ranges are tested.
const mostTrials = 12

// Report is the forecast of a range.
type Report struct {
	Query     query.Query
	Options   snapshot.Options
	Days      affiliate.Days
	State     State
	Coin      affiliate.Coin // the one that the page draws: the requested one, or the main one
	Coins     []Ending       // by coin, the one with most records first
	Converted *Ending        // nil: there is only one coin, or no price is known
	Coverage  coverage.Coverage
	Empty     coverage.EmptyKind // there is no commission at all
	// UnknownCode counts records in the range that a filter by code leaves out because their
	// code is not known.
	UnknownCode int64
	Course      Course // of Coin
}

// Main returns the figure of Coin.
func (r Report) Main() *Ending {
	for i := range r.Coins {
		if r.Coins[i].Coin == r.Coin {
			return &r.Coins[i]
		}
	}
	return nil
}

// Headline is the line that answers where the range will end: of all coins, converted, where none was
// asked for and each of them has a price, and else of Coin; nil if there is none.
func (r Report) Headline() *Ending {
	if r.Query.Coin == "" && r.Converted != nil && r.Converted.Known() && len(r.Converted.Unpriced) == 0 {
		return r.Converted
	}
	return r.Main()
}

// Course is how a range went and will go on, day by day, added up.
type Course struct {
	Days   []affiliate.Day
	Earned []decimal.Decimal       // one for each day that has begun
	Ahead  []estimate.EstimatedDay // the days that are estimated, the running one first
}

// Accepted are the parameters of the report.
var Accepted = query.AcceptedParams{
	Taken: []string{"month", "from", "to", "account", "product", "coin", "uid", "symbol", "source", "code", "tag", "segment", "as_of"},
	Usual: query.MonthTo, Months: true, Tags: true,
}

// SpanOf returns the range that a query names: a month, or two days; otherwise the month of
// its instant.
func SpanOf(q *snapshot.Snapshot) affiliate.Days {
	if q.Month != "" || q.Range == query.Custom {
		return q.Days
	}
	return MonthOf(affiliate.DayOf(q.Now, q.Zone))
}

// MonthOf returns the month of a day.
func MonthOf(day affiliate.Day) affiliate.Days {
	year, month, _ := day.Date()
	return affiliate.Days{First: affiliate.NewDay(year, month, 1), Last: affiliate.NewDay(year, month+1, 1) - 1}
}

// Make answers the query for where its month or its range will end. It takes
// [Accepted].
func Make(ctx context.Context, q *snapshot.Snapshot) (r Report, err error) {
	r.Query, r.Days = q.Query, SpanOf(q)
	if r.Options, err = q.Options(ctx); err != nil {
		return r, err
	}
	g, err := lay(ctx, q, r.Days)
	if err != nil {
		return r, err
	}
	r.Coverage, r.State = g.covered, g.state()
	within := *q
	within.Days, within.Range = r.Days, query.Custom
	if r.UnknownCode, err = within.UnknownCode(ctx); err != nil {
		return r, err
	}
	totals := figures.TotalsOf(g.recent())
	r.Coin = figures.MainCoin(q.Coin, totals)
	if len(totals) == 0 {
		r.Empty, err = within.WhyEmpty(ctx, r.Coverage)
		return r, err
	}
	for _, t := range totals {
		f, err := g.figure(t.Coin, g.amounts[t.Coin])
		if err != nil {
			return r, err
		}
		r.Coins = append(r.Coins, f)
	}
	if r.Course, err = g.course(g.amounts[r.Coin], r.Main()); err != nil {
		return r, err
	}
	if err := g.price(ctx, q); err != nil {
		return r, err
	}
	if g.prices.Known() {
		f, err := g.worth(ctx, q)
		if err != nil {
			return r, err
		}
		r.Converted = &f
	}
	return r, nil
}

// Earnings is the commission of which a forecast is made. Empty fields do not narrow it.
type Earnings struct {
	Coin    affiliate.Coin // empty: all coins, converted
	Account affiliate.Account
	Code    string
	Tag     string
	Members affiliate.Members // no limit: all that the caller may see
}

// MakeEnding makes one forecast. Of the question only its state counts.
func MakeEnding(ctx context.Context, q *snapshot.Snapshot, s Earnings, days affiliate.Days) (Ending, error) {
	of := q.Everywhere()
	if s.Account != "" {
		of = q.OfAccount(s.Account)
	}
	of.Query = of.WithoutFilters()
	of.Account, of.Coin, of.Code, of.Tag, of.Members = s.Account, s.Coin, s.Code, s.Tag, q.Visible.And(s.Members)
	g, err := lay(ctx, of, days)
	if err != nil {
		return Ending{}, err
	}
	if s.Coin != "" {
		return g.figure(s.Coin, g.amounts[s.Coin])
	}
	if err := g.price(ctx, of); err != nil {
		return Ending{}, err
	}
	return g.worth(ctx, of)
}

func (g *ground) state() State {
	switch {
	case g.next > g.span.Last:
		return SpanOver
	case g.today < g.span.First:
		return SpanAhead
	}
	return SpanOpen
}

// recent returns the sums of the span; if there are none, those of the days that a forecast is
// made from.
func (g *ground) recent() []sums.DaySums {
	if within := figures.SumsWithin(g.sums, g.span); len(within) > 0 {
		return within
	}
	if g.next > g.span.Last {
		return nil
	}
	return figures.SumsWithin(g.sums, affiliate.Days{First: g.known, Last: g.today})
}

// figure makes the forecast of some amounts by day.
func (g *ground) figure(coin affiliate.Coin, amounts map[affiliate.Day]decimal.Decimal) (Ending, error) {
	f := Ending{Coin: coin, Days: g.span, State: g.state(), Lack: g.lack}
	past, begun := g.before(amounts)
	var err error
	if f.Lack.Kind == "" {
		f.Estimate, err = estimate.Make(past, begun, g.span)
	}
	if short, ok := errors.AsType[*estimate.ShortError](err); ok {
		f.Lack, err = Lack{Kind: LackHistory, Have: short.Have, Need: short.Need}, nil
	}
	if err != nil {
		return f, fmt.Errorf("forecast in %s: %w", coin, err)
	}
	f.Estimate.Days, f.Estimate.Earned = g.span, earned(amounts, g.span)
	if f.Lack.Kind == "" && f.State != SpanOver {
		f.Trials, err = g.trials(past)
	}
	return f, err
}

func earned(amounts map[affiliate.Day]decimal.Decimal, days affiliate.Days) decimal.Decimal {
	var sum affiliate.Sum
	for day, amount := range amounts {
		if days.Contains(day) {
			sum.AddDecimal(amount)
		}
	}
	return sum.Decimal()
}

// worth makes the forecast of all coins, converted.
func (g *ground) worth(ctx context.Context, q *snapshot.Snapshot) (Ending, error) {
	f, err := g.figure(figures.ValuedIn, g.prices.ByDay(g.amounts))
	if err != nil {
		return f, err
	}
	f.Converted, f.Unpriced = true, g.prices.Missing
	valued, err := q.Valued(ctx, figures.SumsWithin(g.sums, g.span), figures.Reference{})
	f.Earned = valued.Valuation
	return f, err
}

// trials forecasts earlier ranges of the same kind, each as of the day that corresponds to
// the present one. It ends with the oldest one that has enough days before it.
func (g *ground) trials(past estimate.PastDays) (list []Trial, err error) {
	for back := 1; len(list) < mostTrials; back++ {
		days := earlier(g.span, back)
		on := min(days.First+(g.next-g.span.First), days.Last)
		if days.Last >= g.next {
			continue
		}
		t := Trial{On: on, Came: past.Sum(days)}
		t.Estimate, err = estimate.Make(past.Until(on), estimate.Begun{}, days)
		if _, short := errors.AsType[*estimate.ShortError](err); short {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// earlier returns an earlier range of the same kind: as many whole months, or as many days,
// moved by whole weeks.
func earlier(span affiliate.Days, back int) affiliate.Days {
	if months := query.WholeMonths(span); months > 0 {
		year, month, _ := span.First.Date()
		at := func(month int) affiliate.Day { return affiliate.NewDay(year, time.Month(month), 1) }
		first := int(month) - back*months
		return affiliate.Days{First: at(first), Last: at(first+months) - 1}
	}
	moved := affiliate.Day(back * ((span.Len() + 6) / 7 * 7))
	return affiliate.Days{First: span.First - moved, Last: span.Last - moved}
}

// course adds up the days of a figure.
func (g *ground) course(amounts map[affiliate.Day]decimal.Decimal, f *Ending) (c Course, err error) {
	var sum decimal.Decimal
	for day := g.span.First; day <= g.span.Last; day++ {
		c.Days = append(c.Days, day)
		if day <= g.today {
			sum = sum.Add(amounts[day])
			c.Earned = append(c.Earned, sum)
		}
	}
	if f != nil && f.Known() && f.State != SpanOver {
		past, begun := g.before(amounts)
		c.Ahead, err = estimate.DayByDay(past, begun, g.span)
	}
	return c, err
}
