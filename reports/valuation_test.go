package reports_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/store/records"
)

// sample stores the present price of a coin.
func (d *fixture) sample(coin affiliate.Coin, price affiliate.Number) {
	d.Helper()
	rate := records.Rate{
		Coin: coin, Quote: figures.ValuedIn, Price: price, At: affiliate.MillisOf(d.now),
		Source: "spot ticker", Symbol: string(coin) + "USDT_SPBL",
	}
	if _, err := records.AddRates(d.Context(), d.store, []records.Rate{rate}); err != nil {
		d.Fatal(err)
	}
}

// earned returns a record in a coin, in the middle of a day in the zone of the fixture.
func (d *fixture) earned(day affiliate.Day, coin affiliate.Coin, commission affiliate.Number) affiliate.Commission {
	c := trade(day, spot, 1, commission)
	c.DealTime, c.Coin = affiliate.MillisOf(day.Start(d.zone).Add(11*time.Hour)), coin
	return c
}

// kinds returns the kinds of a coin's days as one line.
func kinds(v figures.Valuation, coin affiliate.Coin) string {
	text := ""
	for _, c := range v.Coins {
		if c.Sum.Coin == coin {
			for _, day := range c.Days {
				text += fmt.Sprintf("%d:%s@%s ", day.Day-today, day.Kind, day.Price)
			}
		}
	}
	return text
}

// A day uses its own rate. A day without samples uses the day before, and days before all
// samples use the oldest.
func TestRatesOfValuedDays(t *testing.T) {
	d := newFixture(t, "UTC")
	d.now = noon.AddDate(0, 0, -3)
	d.sample("BTC", "60000")
	d.now = d.now.Add(time.Hour)
	d.sample("BTC", "61000") // the last sample of this day
	d.now = noon.Add(-time.Hour)
	d.sample("BTC", "64000") // two days later; the day in between has none
	d.now = noon
	d.read("main", spot, days(-6, 0), d.earned(today-5, "BTC", "1"), d.earned(today-3, "BTC", "1"),
		d.earned(today-2, "BTC", "1"), d.earned(today-1, "BTC", "0"), d.earned(today, "BTC", "1"), d.earned(today, "USDT", "0.5"))
	d.read("main", futures, days(-6, 0))
	view := d.overview("range=7d").Valued
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
		d := newFixture(t, "UTC")
		midnight := today.Start(time.UTC)
		d.now = midnight.Add(-20 * time.Minute)
		d.sample("ETH", "3000")
		d.now = midnight.Add(c.now)
		record := d.earned(today, "ETH", "1")
		record.DealTime = affiliate.MillisOf(midnight)
		d.read("main", spot, days(0, 0), record)
		coins := d.overview("range=today").Valued.Coins
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
			d := newFixture(t, "UTC")
			if c.rate {
				d.sample(c.coin, "2")
			}
			records := []affiliate.Commission{d.earned(today, "USDT", "7")}
			for _, n := range c.records {
				records = append(records, d.earned(today, c.coin, n))
			}
			d.read("main", spot, days(0, 0), records...)
			valued := d.overview("range=today").Valued
			if valued.Known() != c.known || len(valued.Missing) != c.missing {
				t.Errorf("known %t, missing %v", valued.Known(), valued.Missing)
			}
			list, err := reports.Ask(d.Context(), d.Service, d.ask("range=today"), commissions.Make)
			if err != nil || !list.Valued.Total.Equal(valued.Total) || list.Valued.Known() != c.known {
				t.Errorf("the table says %+v, the overview %+v (%v)", list.Valued, valued, err)
			}
		})
	}
}

// The compared period is valued by its own rates. If one of them is missing, there is no
// comparison.
func TestValuedComparison(t *testing.T) {
	d := newFixture(t, "UTC")
	d.now = noon.AddDate(0, 0, -2)
	d.sample("BTC", "50000")
	d.now = noon.AddDate(0, 0, -1)
	d.sample("BTC", "60000")
	d.now = noon
	d.readEmpty(days(-9, 0))
	d.read("main", spot, days(-3, 0), d.earned(today-2, "BTC", "2"), d.earned(today-1, "BTC", "2"), d.earned(today-3, "XYZ", "1"))
	one := func(query string) figures.ValuedFigure { return d.overview(query).Valued }
	day := func(n int) string { return (today + affiliate.Day(n)).String() }
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
			d, round := newFixture(t, zone), 0
			rapid.Check(t, func(t *rapid.T) {
				round++
				checkValued(t, d, fmt.Sprint(round))
			})
		})
	}
}

// checkValued replaces the records of the fixture. Samples cannot be removed, so each round
// uses separate coins: all names except USDT end with the mark.
func checkValued(rt *rapid.T, d *fixture, mark string) {
	m := &model{TB: d.TB, zone: d.zone}
	var samples []records.Rate
	d.now = span.First.Start(time.UTC)
	for range rapid.IntRange(0, 8).Draw(rt, "samples") {
		d.now = d.now.Add(time.Duration(rapid.IntRange(60, 20*60).Draw(rt, "minutes")) * time.Minute)
		if d.now.After(noon) {
			break
		}
		coin := rapid.SampledFrom([]affiliate.Coin{"BTC", "ETH"}).Draw(rt, "coin") + affiliate.Coin(mark)
		price := affiliate.Number(rapid.StringMatching(`[0-9]{1,6}\.[0-9]{1,17}[1-9]`).Draw(rt, "price"))
		d.sample(coin, price)
		samples = append(samples, records.Rate{Coin: coin, Price: price, At: affiliate.MillisOf(d.now)})
	}
	d.now = noon
	m.records = rapid.SliceOfN(rapid.Custom(drawRecord), 0, 20).Draw(rt, "records")
	for i, r := range m.records {
		if r.Coin != figures.ValuedIn {
			m.records[i].Coin += affiliate.Coin(mark)
		}
	}
	for _, stream := range []affiliate.Stream{spot, futures} {
		var list []affiliate.Commission
		for _, r := range m.records {
			if r.Product == stream.Product {
				list = append(list, r.Commission)
			}
		}
		d.read("main", stream, span, list...)
	}
	q := d.ask("range=7d")
	if rapid.Bool().Draw(rt, "as of the end") {
		q.AsOf = noon.Add(time.Minute)
	}
	view, err := reports.Ask(d.Context(), d.Service, q, overview.Make)
	if err != nil {
		rt.Fatal(err)
	}
	want, missing := m.valued(samples)
	var without []affiliate.Coin
	for _, amount := range view.Valued.Missing {
		without = append(without, amount.Coin)
	}
	if exact(m, view.Valued.Total).Cmp(want) != 0 || !slices.Equal(without, missing) {
		rt.Fatalf("valued at %s without %v, want %s without %v", view.Valued.Total, without, want.FloatString(40), missing)
	}
}

// valued scans each record, with arithmetic independent of the program.
func (m *model) valued(samples []records.Rate) (*big.Rat, []affiliate.Coin) {
	total, byDay := new(big.Rat), map[affiliate.Coin]map[affiliate.Day]*big.Rat{}
	for _, r := range m.records {
		day := affiliate.DayOf(r.DealTime.Time(), m.zone)
		if byDay[r.Coin] == nil {
			byDay[r.Coin] = map[affiliate.Day]*big.Rat{}
		}
		if byDay[r.Coin][day] == nil {
			byDay[r.Coin][day] = new(big.Rat)
		}
		byDay[r.Coin][day].Add(byDay[r.Coin][day], rat(m, string(r.Commission.Commission)))
	}
	var missing []affiliate.Coin
	for coin, days := range byDay {
		for day, sum := range days {
			rate := m.rateOf(coin, day, samples)
			switch {
			case rate != nil:
				total.Add(total, atScale(new(big.Rat).Mul(sum, rate)))
			case sum.Sign() != 0 && !slices.Contains(missing, coin):
				missing = append(missing, coin)
			}
		}
	}
	slices.Sort(missing)
	return total, missing
}

func (m *model) rateOf(coin affiliate.Coin, day affiliate.Day, samples []records.Rate) *big.Rat {
	var first, newest affiliate.Number
	for _, s := range samples {
		if s.Coin == coin && first == "" {
			first = s.Price
		}
		if s.Coin == coin && affiliate.DayOf(s.At.Time(), m.zone) <= day {
			newest = s.Price
		}
	}
	switch {
	case coin == "USDT":
		return big.NewRat(1, 1)
	case newest != "":
		return rat(m, string(newest))
	case first != "":
		return rat(m, string(first))
	}
	return nil
}

// The value as of an instant stays the same after any later samples.
func TestValuedAsOf(t *testing.T) {
	d := newFixture(t, "UTC")
	d.now = noon.Add(-3 * time.Hour)
	d.read("main", spot, days(0, 0), d.earned(today, "BTC", "1"))
	for i, price := range []affiliate.Number{"60000", "61000", "62000"} {
		d.now = noon.Add(time.Duration(i-2) * time.Hour)
		d.sample("BTC", price)
	}
	d.now = noon.Add(time.Minute)
	for _, c := range []struct {
		ago  time.Duration
		want string
	}{{150 * time.Minute, ""}, {90 * time.Minute, "60000"}, {30 * time.Minute, "61000"}, {0, "62000"}} {
		q := d.ask("range=today")
		q.AsOf = noon.Add(-c.ago)
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
