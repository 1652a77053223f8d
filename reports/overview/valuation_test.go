package overview_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/records"
)

// kinds returns the kinds of a coin's days as one line.
func kinds(v figures.Valuation, coin affiliate.Coin) string {
	text := ""
	for _, c := range v.Coins {
		if c.Sum.Coin == coin {
			for _, day := range c.Days {
				text += fmt.Sprintf("%d:%s@%s ", day.Day-reporttest.Today, day.Kind, day.Price)
			}
		}
	}
	return text
}

// A day uses its own rate. A day without samples uses the day before, and days before all
// samples use the oldest.
func TestRatesOfValuedDays(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Now = reporttest.Noon.AddDate(0, 0, -3)
	d.Sample("BTC", "60000")
	d.Now = d.Now.Add(time.Hour)
	d.Sample("BTC", "61000") // the last sample of this day
	d.Now = reporttest.Noon.Add(-time.Hour)
	d.Sample("BTC", "64000") // two days later; the day in between has none
	d.Now = reporttest.Noon
	d.Read("main", reporttest.Spot, reporttest.Days(-6, 0), d.Earned(reporttest.Today-5, "BTC", "1"), d.Earned(reporttest.Today-3, "BTC", "1"),
		d.Earned(reporttest.Today-2, "BTC", "1"), d.Earned(reporttest.Today-1, "BTC", "0"), d.Earned(reporttest.Today, "BTC", "1"), d.Earned(reporttest.Today, "USDT", "0.5"))
	d.Read("main", reporttest.Futures, reporttest.Days(-6, 0))
	view := d.Overview("range=7d").Valued
	if got, want := kinds(view.Valuation, "BTC"), "-5:first@60000 -3:own@61000 -2:earlier@61000 0:own@64000 "; got != want {
		t.Errorf("the days are valued by\n%s, want\n%s", got, want)
	}
	if got := view.Total.String(); got != "246000.5" {
		t.Errorf("the total is %s", got)
	}
	span := view.Coins[0].Span()
	if span.Count != 3 || span.Low.Price != "60000" || span.High.Price != "64000" || span.Newest.Price != "64000" || span.Newest.Symbol != "BTCUSDT_SPBL" {
		t.Errorf("the summary of the rates is %+v", span)
	}
	if len(view.Coins) != 2 || view.Coins[1].Sum.Coin != "USDT" || len(view.Coins[1].Days) > 0 || view.Coins[1].Span().Count != 0 {
		t.Errorf("USDT is valued by %+v", view.Coins)
	}
}

// The newest sample is the rate of the running day as long as it is fresh.
func TestRateOfTheRunningDay(t *testing.T) {
	for name, c := range map[string]struct {
		now  time.Duration // after midnight
		want figures.RateKind
	}{"just begun": {30 * time.Minute, figures.RateOwn}, "samples missing": {3 * time.Hour, figures.RateEarlier}} {
		d := reporttest.NewFixture(t, "UTC")
		midnight := reporttest.Today.Start(time.UTC)
		d.Now = midnight.Add(-20 * time.Minute)
		d.Sample("ETH", "3000")
		d.Now = midnight.Add(c.now)
		record := d.Earned(reporttest.Today, "ETH", "1")
		record.DealTime = affiliate.MillisOf(midnight)
		d.Read("main", reporttest.Spot, reporttest.Days(0, 0), record)
		coins := d.Overview("range=today").Valued.Coins
		if len(coins) != 1 || len(coins[0].Days) != 1 || coins[0].Days[0].Kind != c.want {
			t.Errorf("%s: valued by %+v, want kind %s", name, coins, c.want)
		}
	}
}

func TestNothingToConvert(t *testing.T) {
	for name, c := range map[string]struct {
		records []affiliate.Number
		coin    affiliate.Coin
		rate    bool
		known   bool
		missing int
	}{
		"no rate at all":    {[]affiliate.Number{"1"}, "BTC", false, false, 1},
		"only the quote":    {nil, "BTC", true, false, 0},
		"worth nothing":     {[]affiliate.Number{"0", "-0.00"}, "XYZ", false, false, 0},
		"of unknown amount": {[]affiliate.Number{""}, "XYZ", false, false, 0},
		"with a rate":       {[]affiliate.Number{"1"}, "BTC", true, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := reporttest.NewFixture(t, "UTC")
			if c.rate {
				d.Sample(c.coin, "2")
			}
			records := []affiliate.Commission{d.Earned(reporttest.Today, "USDT", "7")}
			for _, n := range c.records {
				records = append(records, d.Earned(reporttest.Today, c.coin, n))
			}
			d.Read("main", reporttest.Spot, reporttest.Days(0, 0), records...)
			valued := d.Overview("range=today").Valued
			if valued.Known() != c.known || len(valued.Missing) != c.missing {
				t.Errorf("known %t, missing %v", valued.Known(), valued.Missing)
			}
			list, err := reports.Ask(d.Context(), d.Service, d.Ask("range=today"), commissions.Make)
			if err != nil || !list.Valued.Total.Equal(valued.Total) || list.Valued.Known() != c.known {
				t.Errorf("the table says %+v, the overview %+v (%v)", list.Valued, valued, err)
			}
		})
	}
}

// The compared period is valued by its own rates. If one of them is missing, there is no
// comparison.
func TestValuedComparison(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Now = reporttest.Noon.AddDate(0, 0, -2)
	d.Sample("BTC", "50000")
	d.Now = reporttest.Noon.AddDate(0, 0, -1)
	d.Sample("BTC", "60000")
	d.Now = reporttest.Noon
	d.ReadEmpty(reporttest.Days(-9, 0))
	d.Read("main", reporttest.Spot, reporttest.Days(-3, 0), d.Earned(reporttest.Today-2, "BTC", "2"), d.Earned(reporttest.Today-1, "BTC", "2"), d.Earned(reporttest.Today-3, "XYZ", "1"))
	one := func(query string) figures.ValuedFigure { return d.Overview(query).Valued }
	day := func(n int) string { return (reporttest.Today + affiliate.Day(n)).String() }
	f := one("compare=previous&from=" + day(-1) + "&to=" + day(-1))
	if f.Total.String() != "120000" || f.Reference.Total.String() != "100000" || f.Change.Kind != figures.ChangeUp || f.Change.Percent.String() != "20" {
		t.Errorf("%s against %s is %+v", f.Total, f.Reference.Total, f.Change)
	}
	f = one("compare=previous&from=" + day(-2) + "&to=" + day(-2))
	if f.Comparable() || f.Change.Kind != figures.ChangeUnknown {
		t.Errorf("compared with a day without a rate it is %+v", f.Change)
	}
	if f = one("compare=year&from=" + day(-1) + "&to=" + day(-1)); f.Change.Kind != figures.ChangeUnknown || !f.Comparable() {
		t.Errorf("compared with a year that was never read it is %+v", f.Change)
	}
	if f = one("from=" + day(-1) + "&to=" + day(-1)); f.Change.Kind != figures.ChangeNone {
		t.Errorf("without a comparison it is %+v", f.Change)
	}
}

// For any records, samples, zones and instants, the total equals that of a scan of all
// records and samples.
func TestValuedTotals(t *testing.T) {
	for _, zone := range []string{"UTC", "Asia/Kathmandu", "America/Los_Angeles"} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			d, round := reporttest.NewFixture(t, zone), 0
			rapid.Check(t, func(t *rapid.T) {
				round++
				checkValued(t, d, fmt.Sprint(round))
			})
		})
	}
}

// checkValued replaces the records of the fixture. Samples cannot be removed, so each round
// uses separate coins: all names except USDT end with the mark.
func checkValued(rt *rapid.T, d *reporttest.Fixture, mark string) {
	m := &reporttest.Model{TB: d.TB, Zone: d.Zone}
	var samples []records.Rate
	d.Now = reporttest.Span.First.Start(time.UTC)
	for range rapid.IntRange(0, 8).Draw(rt, "samples") {
		d.Now = d.Now.Add(time.Duration(rapid.IntRange(60, 20*60).Draw(rt, "minutes")) * time.Minute)
		if d.Now.After(reporttest.Noon) {
			break
		}
		coin := rapid.SampledFrom([]affiliate.Coin{"BTC", "ETH"}).Draw(rt, "coin") + affiliate.Coin(mark)
		price := affiliate.Number(rapid.StringMatching(`[0-9]{1,6}\.[0-9]{1,17}[1-9]`).Draw(rt, "price"))
		d.Sample(coin, price)
		samples = append(samples, records.Rate{Coin: coin, Price: price, At: affiliate.MillisOf(d.Now)})
	}
	d.Now = reporttest.Noon
	m.Records = rapid.SliceOfN(rapid.Custom(reporttest.DrawRecord), 0, 20).Draw(rt, "records")
	for i, r := range m.Records {
		if r.Coin != figures.ValuedIn {
			m.Records[i].Coin += affiliate.Coin(mark)
		}
	}
	for _, stream := range []affiliate.Stream{reporttest.Spot, reporttest.Futures} {
		var list []affiliate.Commission
		for _, r := range m.Records {
			if r.Product == stream.Product {
				list = append(list, r.Commission)
			}
		}
		d.Read("main", stream, reporttest.Span, list...)
	}
	q := d.Ask("range=7d")
	if rapid.Bool().Draw(rt, "as of the end") {
		q.AsOf = reporttest.Noon.Add(time.Minute)
	}
	view, err := reports.Ask(d.Context(), d.Service, q, overview.Make)
	if err != nil {
		rt.Fatal(err)
	}
	want, missing := m.Valued(samples)
	var without []affiliate.Coin
	for _, amount := range view.Valued.Missing {
		without = append(without, amount.Coin)
	}
	if reporttest.Exact(m, view.Valued.Total).Cmp(want) != 0 || !slices.Equal(without, missing) {
		rt.Fatalf("valued at %s without %v, want %s without %v", view.Valued.Total, without, want.FloatString(40), missing)
	}
}

// The value as of an instant stays the same after any later samples.
func TestValuedAsOf(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Now = reporttest.Noon.Add(-3 * time.Hour)
	d.Read("main", reporttest.Spot, reporttest.Days(0, 0), d.Earned(reporttest.Today, "BTC", "1"))
	for i, price := range []affiliate.Number{"60000", "61000", "62000"} {
		d.Now = reporttest.Noon.Add(time.Duration(i-2) * time.Hour)
		d.Sample("BTC", price)
	}
	d.Now = reporttest.Noon.Add(time.Minute)
	for _, c := range []struct {
		ago  time.Duration
		want string
	}{{150 * time.Minute, ""}, {90 * time.Minute, "60000"}, {30 * time.Minute, "61000"}, {0, "62000"}} {
		q := d.Ask("range=today")
		q.AsOf = reporttest.Noon.Add(-c.ago)
		view, err := reports.Ask(d.Context(), d.Service, q, overview.Make)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if view.Valued.Known() {
			got = view.Valued.Total.String()
		}
		if got != c.want {
			t.Errorf("%s ago it was %q, want %q", c.ago, got, c.want)
		}
	}
}
