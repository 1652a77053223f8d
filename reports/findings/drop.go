package findings

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/recent"
)

var _ = register(Kind{
	Finding: Drop{},
	Check:   &Check{Place: 60, Of: "drops", Said: "yesterday and the last 7 days, 30 % below their usual", Bound: true, Segments: true, Find: findDrops},
	Alert: &Alert{
		Name: "drop", Place: 30, Title: "Low commission",
		When:     "A complete day brought less than a set percentage of what that weekday usually brings. Incomplete days never cause an alert.",
		Help:     "a day brings less than --below percent of the same weekdays",
		Percent:  50,
		Coin:     coinHint,
		Segments: true, Users: true,
		Words: func(w *Watched) string {
			return fmt.Sprintf("A day's %s is below %d\u00a0%% of usual", strings.TrimSpace(string(w.Coin)+" commission"), w.Percent)
		},
		Signals: dropSignals,
	},
	Headline: counted("a day with low commission", "day", " with low commission"),
})

// coinHint explains the coin of an alert that may be about all coins.
const coinHint = "Such as USDT. If empty, every coin is checked on its own."

const (
	// dropPercent is how far a day or a week must be below the usual. Weeks of the same
	// programme differ by a fifth without any cause.
	dropPercent = 30
	// dropTwins is how many of the preceding days or weeks may have been as low: a
	// programme that depends on few large trades is low most of the time.
	dropTwins = 1
	// dropDays is how long after its end a day that was collected late is still
	// reported.
	dropDays = 7
)

// Drop says that the last days brought much less than usual.
type Drop struct {
	Coin  affiliate.Coin
	Days  affiliate.Days // yesterday, or the seven days up to it
	Now   decimal.Decimal
	Usual decimal.Decimal   // mean of the collected same weekdays, or of whole weeks, within eight weeks before
	Of    int               // number of those
	Drop  figures.Ratio     // in percent of Usual
	Worth figures.Valuation // of the shortfall from Usual
}

// Severity is a warning, because the cause of a drop may be the market.
func (Drop) Severity() Severity { return SeverityWarning }

func (f Drop) stake(s *recent.Snapshot) stake { return stakeOf(s, f.Usual.Sub(f.Now), f.Coin) }

func (f Drop) words(a About) Statement {
	less := money(f.Usual.Sub(f.Now), f.Coin).String() // no percentage leads below zero
	if f.Drop.Known {
		less = phrase.Percent(f.Drop.Percent)
	}
	w := Statement{Title: "Yesterday brought " + less + " less than usual", Link: "Why is this low?", Href: a.within("/commissions", f.Days, "coin", string(f.Coin)) + "#why"}
	usual := "the mean of " + strconv.Itoa(f.Of) + " " + f.Days.First.Weekday().String() + "s before"
	if f.Days.Len() > 1 {
		w.Title = "The last 7 days brought " + less + " less than usual"
		usual = "the mean of " + strconv.Itoa(f.Of) + " weeks before"
	}
	w.Text = phrase.Say(money(f.Now, f.Coin), " on "+phrase.Days(f.Days)+"; usual is ", money(f.Usual, f.Coin), ", "+usual+". That is ",
		money(f.Usual.Sub(f.Now), f.Coin), a.worth(f.Worth, false), " less.")
	return w
}

// findDrops compares the last week and the last day with the usual commission.
func findDrops(_ context.Context, s *recent.Snapshot) ([]Finding, error) {
	var found []Finding
	for _, length := range []affiliate.Day{7, 1} {
		days := affiliate.Days{First: s.Today - length, Last: s.Today - 1}
		if f, ok := dropOf(s, days); ok {
			found = append(found, f)
		}
	}
	return found, nil
}

// dropOf compares days with those a whole number of weeks earlier, as far as they are
// collected.
func dropOf(s *recent.Snapshot, days affiliate.Days) (Drop, bool) {
	if s.Coin == "" || !s.Collected(days) {
		return Drop{}, false
	}
	brought := func(days affiliate.Days) decimal.Decimal {
		return figures.TotalIn(figures.TotalsOf(figures.SumsWithin(s.Sums, days)), s.Coin).Commission
	}
	f := Drop{Coin: s.Coin, Days: days, Now: brought(days)}
	var sum decimal.Decimal
	asLow := 0
	for back := affiliate.Day(7); back <= overview.UsualDays; back += 7 {
		before := affiliate.Days{First: days.First - back, Last: days.Last - back}
		if s.Collected(before) {
			then := brought(before)
			f.Of++
			sum = sum.Add(then)
			if then.LessThanOrEqual(f.Now) {
				asLow++
			}
		}
	}
	if f.Of < overview.LeastSame || asLow > dropTwins || !sum.IsPositive() {
		return Drop{}, false
	}
	f.Usual = sum.DivRound(decimal.NewFromInt(int64(f.Of)), figures.FractionDigits)
	lost := f.Usual.Sub(f.Now)
	f.Worth = s.Prices.Worth(affiliate.Amount{Value: lost, Coin: f.Coin})
	if !f.Now.IsNegative() {
		f.Drop = figures.QuotientOf(lost, f.Usual)
	}
	return f, recent.AtLeast(lost, f.Usual, dropPercent) && s.Matters(lost, f.Coin)
}

// dropSignals reports days that brought too little. Days that ended before the alert
// began are left out.
func dropSignals(ctx context.Context, w *Watched) (found []Signal, err error) {
	days, err := ask(ctx, w, w.inCoin(affiliate.Days{First: w.today() - dropDays, Last: w.today() - 1}), overview.MakeWeekdays)
	for _, d := range days {
		over := !d.Day.Range(w.Zone).To.After(w.Since.Time())
		if over || !d.Usual.IsPositive() || !d.Commission.Shift(2).LessThan(d.Usual.Mul(decimal.NewFromInt(int64(w.Percent)))) {
			continue
		}
		found = append(found, Signal{
			Key:    fmt.Sprintf("drop|%s|%s|%s", w.whose(), d.Coin, d.Day),
			Words:  weekday(d, w),
			Page:   withQuery("/", "from", d.Day.String(), "to", d.Day.String(), "coin", string(d.Coin), "account", string(w.Account), "segment", w.Segment),
			Detail: details("account", string(w.Account), "coin", string(d.Coin), "day", d.Day.String(), "commission", d.Commission.String(), "usual", d.Usual.String()),
		})
	}
	return found, err
}

// weekday compares a day's commission with the usual commission of its weekday. Less than nothing is no
// part of it.
func weekday(d overview.Weekday, w *Watched) string {
	part := "usual are"
	if share := figures.PortionsOf(d.Usual).Share(d.Commission); share.Known && d.Usual.IsPositive() {
		part = phrase.Percent(share.Percent) + " of the usual"
	}
	return fmt.Sprintf("%s (%s) brought %s: %s %s, the mean of %s before", d.Day.Format("Mon 2 Jan 2006"), w.Zone,
		money(d.Commission, d.Coin), part, money(d.Usual, d.Coin), phrase.Things(d.Of, d.Day.Weekday().String()))
}
