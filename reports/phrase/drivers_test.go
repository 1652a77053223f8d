package phrase

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
)

// factors are volume, fee and commission of a period.
func factors(volume, fee, commission string) figures.Factors {
	return figures.Factors{Volume: decimal.RequireFromString(volume), Fee: decimal.RequireFromString(fee), Commission: decimal.RequireFromString(commission)}
}

// moved makes a report of one product in which each invitee changed by the given amount. An
// amount with a presence reads "3 new".
func moved(before, now figures.Factors, changes ...string) drivers.Report {
	whole := coverage.Coverage{Wanted: 30, Collected: 30, Through: 1}
	r := drivers.Report{Coin: "USDT", Coverage: whole, ComparedCover: whole, Before: before, Now: now}
	r.Query.Days = affiliate.Days{First: affiliate.NewDay(2026, 9, 1), Last: affiliate.NewDay(2026, 9, 30)}
	r.Compared = affiliate.Days{First: affiliate.NewDay(2026, 8, 2), Last: affiliate.NewDay(2026, 8, 31)}
	r.Effects, _ = figures.EffectsOf(before, now)
	for _, change := range changes {
		amount, presence, _ := strings.Cut(change, " ")
		c := drivers.Contribution{Now: decimal.RequireFromString(amount), Presence: figures.Presence(presence)}
		if c.Now.IsNegative() {
			c.Now, c.Before = decimal.Zero, c.Now.Neg()
		}
		r.Invitees = append(r.Invitees, c)
	}
	return r
}

// The sentence names the amount, the few invitees that make most of it, the main effect, and
// what the share of fees did.
func TestDriversSentence(t *testing.T) {
	quarter := factors("10000", "20", "5")
	many := make([]string, 40)
	for i := range many {
		many[i] = "0.25 new"
	}
	spread := make([]string, 40)
	for i := range spread {
		spread[i] = "0.25 both"
	}
	incomparable := moved(quarter, quarter)
	incomparable.Incomparable = coverage.EmptyBefore
	empty := moved(quarter, quarter)
	empty.Empty = coverage.EmptyFuture
	one := moved(quarter, factors("5000", "10", "2.5"), "-2.5")
	one.Query.UID = "4667776801"
	other := moved(quarter, factors("20000", "40", "10"), "5")
	other.Coin = "BTC"
	// Futures, with a low share, grew, and the share of each product rose.
	mix := moved(factors("20000", "40", "10"), factors("40000", "80", "18"), "8")
	mix.Effects = figures.Effects{Volume: decimal.RequireFromString("7"), ShareOfFees: decimal.RequireFromString("1")}
	shift := moved(factors("20000", "40", "10"), factors("40000", "80", "9"), "-1")
	shift.Effects = figures.Effects{Volume: decimal.RequireFromString("-1")}
	for name, c := range map[string]struct {
		report drivers.Report
		want   string
	}{
		"down": {moved(factors("2264000", "4528", "2264"), factors("1851920", "3703.84", "1851.92"), "-1", "-2", "-37.58", "-100", "-121.5", "-150"),
			"Commission fell by 412.08 USDT (−18.2 %): 371.50 of it from three invitees, mostly because less was traded."},
		"up":         {moved(quarter, factors("20000", "40", "10"), "4", "1"), "Commission rose by 5.00 USDT (+100.0 %): 4.00 of it from one invitee, mostly because more was traded."},
		"no change":  {moved(quarter, quarter), "Commission did not change."},
		"balanced":   {moved(quarter, quarter, "3", "1", "-4"), "Commission did not change: 2 invitees brought 4.00 USDT more, and 1 brought as much less."},
		"new":        {moved(factors("0", "0", "0"), factors("10000", "20", "10"), many...), "Commission rose by 10.00 USDT from nothing: 10.00 of it from 40 new invitees."},
		"spread":     {moved(quarter, factors("30000", "60", "15"), spread...), "Commission rose by 10.00 USDT (+200.0 %): spread over 40 invitees, of whom none makes more than 0.25 of it, mostly because more was traded."},
		"from one":   {moved(factors("0", "0", "0"), factors("10000", "20", "10"), "10"), "Commission rose by 10.00 USDT from nothing: all of it from one invitee."},
		"to nothing": {moved(quarter, factors("0", "0", "0"), "-5"), "Commission fell by 5.00 USDT (−100.0 %): all of it from one invitee."},
		"mixed":      {moved(quarter, factors("9000", "18", "4.5"), "8", "-1", "-7.5"), "Commission fell by 0.50 USDT (−10.0 %): 2 invitees brought 8.50 less, and 1 brought 8.00 more, mostly because less was traded."},
		"outweighed": {moved(quarter, factors("20000", "40", "10"), "6", "-1"), "Commission rose by 5.00 USDT (+100.0 %): one invitee brought 6.00 more, and all others together 1.00 less, mostly because more was traded."},
		"by fees":    {moved(quarter, factors("10000", "40", "10"), "5"), "Commission rose by 5.00 USDT (+100.0 %): all of it from one invitee, mostly because fees per volume rose."},
		"by share":   {moved(quarter, factors("10000", "20", "2.5"), "-2.5"), "Commission fell by 2.50 USDT (−50.0 %): all of it from one invitee, mostly because the share of fees fell."},
		"by two":     {moved(quarter, factors("12000", "29", "9"), "4"), "Commission rose by 4.00 USDT (+80.0 %): all of it from one invitee, above all because the share of fees rose."},
		"although":   {moved(quarter, factors("5000", "15", "3.75"), "-1.25"), "Commission fell by 1.25 USDT (−25.0 %): all of it from one invitee, mostly because less was traded."},
		"some share": {moved(quarter, factors("20000", "40", "11"), "6"), "Commission rose by 6.00 USDT (+120.0 %): all of it from one invitee, mostly because more was traded."},
		"hardly":     {moved(quarter, factors("20000", "40", "10.001"), "5.001"), "Commission rose by 5.00 USDT (+100.0 %): all of it from one invitee, mostly because more was traded."},
		"factor":     {moved(factors("1", "0.002", "0.0005"), quarter, "4.9995"), "Commission rose by 5.00 USDT (× 10 k): all of it from one invitee, mostly because more was traded."},
		"reversed":   {moved(factors("10", "1", "-1"), factors("10", "1", "1"), "2"), "Commission rose by 2.00 USDT: all of it from one invitee, mostly because the share of fees rose."},
		"one":        {one, "Commission of 4667776801 fell by 2.50 USDT (−50.0 %), mostly because less was traded."},
		"mix":        {mix, "Commission rose by 8.00 USDT (+80.0 %): all of it from one invitee, mostly because more was traded."},
		"shift":      {shift, "Commission fell by 1.00 USDT (−10.0 %): all of it from one invitee, mostly because trading moved to products or sources that bring less."},
		"coin":       {other, "Commission rose by 5 BTC (+100.0 %): all of it from one invitee, mostly because more was traded."},
		"unknown":    {incomparable, "Nothing to compare with: 2–31 Aug 2026 is not known. Before the collected history."},
		"empty":      {empty, "These days have not begun."},
	} {
		if got := strings.ReplaceAll(Drivers(c.report, nil), Space, " "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// Missing days, an open range and unlike lengths are said.
func TestDriversMarks(t *testing.T) {
	r := moved(factors("1", "1", "1"), factors("1", "1", "2"), "1")
	if marks := DriversMarks(r); len(marks) != 0 {
		t.Errorf("nothing is wrong, and the marks are %q", marks)
	}
	r.Coverage.Collected, r.Coverage.Gaps, r.Open = 28, []coverage.Gap{{}}, true
	r.Compared.First--
	want := "Not all of the range is collected: 28 of 30 days are collected. What is missing counts as nothing earned, and so moves the drivers.\n" +
		"The range is not over, and is compared with whole days.\nThe periods have different lengths: 30 days against 31."
	if got := strings.Join(DriversMarks(r), "\n"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	r.Empty, r.Query = coverage.EmptyFuture, query.Query{}
	if marks := DriversMarks(r); len(marks) != 0 {
		t.Errorf("an empty report has the marks %q", marks)
	}
}

// What stands beside the main cause is told apart from it.
func TestDriversBesides(t *testing.T) {
	quarter := factors("10000", "20", "5")
	for want, r := range map[string]drivers.Report{
		"Against that, fees per volume rose; the share of fees did not change.": moved(quarter, factors("5000", "15", "3.75"), "-1.25"),
		"Also, fees per volume rose.":                                           moved(quarter, factors("12000", "29", "9"), "4"),
		"The share of fees rose (+1.00).":                                       moved(quarter, factors("20000", "40", "11"), "6"),
		"":                                                                      moved(quarter, quarter),
	} {
		if got := DriversBesides(r); got != want {
			t.Errorf("beside %q stands %q, want %q", Drivers(r, nil), got, want)
		}
	}
}
