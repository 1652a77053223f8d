package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

var rateStart = time.Date(2026, time.September, 1, 0, 0, 0, 0, time.UTC)

// rateAt returns a sample of BTC taken the given hours after the start. Its price is this
// number of hours.
func rateAt(hours float64) records.Rate {
	at := rateStart.Add(time.Duration(hours * float64(time.Hour)))
	return records.Rate{
		Coin: "BTC", Quote: "USDT", At: affiliate.MillisOf(at), Source: "spot ticker", Symbol: "BTCUSDT_SPBL",
		Price: affiliate.Number(fmt.Sprintf("%.2f", 60_000+hours)),
	}
}

// rateStore returns a database in a zone whose clock returns now.
func rateStore(t *testing.T, zone string, now *time.Time) *store.Store {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), storetest.Empty(t), store.Options{Zone: loc, Now: func() time.Time { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func addRates(t *testing.T, s *store.Store, want int, rates ...records.Rate) {
	t.Helper()
	if added, err := records.AddRates(t.Context(), s, rates); err != nil || added != want {
		t.Fatalf("%d rates were added (%v), want %d", added, err, want)
	}
}

func rateReader(t *testing.T, s *store.Store) *store.Tx {
	t.Helper()
	r, err := s.Read(context.Background()) // t.Context() ends before the clean-up functions run
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestOneRateAnHour(t *testing.T) { storetest.Engines(t, "what is unique", testOneRateAnHour) }

func testOneRateAnHour(t *testing.T) {
	now := rateStart
	s := rateStore(t, "UTC", &now)
	addRates(t, s, 1, rateAt(5.1))
	addRates(t, s, 0, rateAt(5.1), rateAt(5.9), rateAt(5))
	other := rateAt(5.5)
	other.Coin = "ETH"
	addRates(t, s, 2, rateAt(5.999), rateAt(6), other)
	lines, err := storetest.Lines(s, `SELECT coin, price FROM rates ORDER BY coin, hour`)
	if got := strings.Join(lines, ", "); err != nil || got != "BTC 60005.10, BTC 60006.00, ETH 60005.50" {
		t.Errorf("the stored rates are %s (%v)", got, err)
	}
}

func TestInvalidRates(t *testing.T) {
	now := rateStart
	s := rateStore(t, "UTC", &now)
	for _, change := range []func(*records.Rate){
		func(r *records.Rate) { r.Price = "" }, func(r *records.Rate) { r.Price = "0" }, func(r *records.Rate) { r.Price = "0.000" },
		func(r *records.Rate) { r.Price = "-1" }, func(r *records.Rate) { r.Price = "NaN" }, func(r *records.Rate) { r.Price = "1e9" },
		func(r *records.Rate) { r.Price = affiliate.Number(strings.Repeat("9", 41)) },
		func(r *records.Rate) { r.Coin = "" }, func(r *records.Rate) { r.Quote = "" }, func(r *records.Rate) { r.At = 0 },
	} {
		bad := rateAt(1)
		change(&bad)
		if added, err := records.AddRates(t.Context(), s, []records.Rate{rateAt(2), bad}); err == nil || added != 0 {
			t.Errorf("%+v was stored (%d added)", bad, added)
		}
	}
	if _, known, err := records.FirstRate(t.Context(), rateReader(t, s), "BTC", "USDT", 0); known || err != nil {
		t.Errorf("a rate was stored together with a bad one (%v)", err)
	}
}

// The rate of a day is its newest sample from before the end of the day in any zone, as a
// scan of all samples finds it.
func TestRatesOfDays(t *testing.T) { storetest.Engines(t, "statements about rates", testRatesOfDays) }

func testRatesOfDays(t *testing.T) {
	for _, zone := range []string{"UTC", "Asia/Kathmandu", "America/Los_Angeles", "Pacific/Apia"} {
		t.Run(zone, func(t *testing.T) {
			now := rateStart
			s := rateStore(t, zone, &now)
			var all []records.Rate
			for _, hours := range []float64{18.2, 18.24, 18.25, 19.5, 30, 41.9, 42.3, 60, 200, 201} {
				now = rateStart.Add(time.Duration(hours*60+5) * time.Minute) // stored five minutes after the sample
				if _, err := records.AddRates(t.Context(), s, []records.Rate{rateAt(hours)}); err != nil {
					t.Fatal(err)
				}
				all = append(all, rateAt(hours))
			}
			r := rateReader(t, s)
			var days []affiliate.Day
			first := affiliate.DayOf(rateStart, time.UTC)
			for day := first - 2; day < first+1200; day++ {
				days = append(days, day)
			}
			for _, asOf := range []affiliate.Millis{0, affiliate.MillisOf(rateStart.Add(43 * time.Hour)), affiliate.MillisOf(rateStart.Add(42*time.Hour + 20*time.Minute)), 1} {
				got, err := records.Rates(t.Context(), r, "BTC", "USDT", days, asOf)
				if err != nil {
					t.Fatal(err)
				}
				for _, day := range days {
					want := newestBefore(all, affiliate.MillisOf((day + 1).Start(s.Zone())), asOf)
					if got[day].Price != want {
						t.Errorf("%s as of %s: %q, want %q", day, asOf, got[day].Price, want)
					}
				}
			}
		})
	}
}

// newestBefore scans all samples. The first of each hour counts, and is known five
// minutes after its time.
func newestBefore(all []records.Rate, end, asOf affiliate.Millis) affiliate.Number {
	var price affiliate.Number
	hours := map[affiliate.Millis]bool{}
	for _, rate := range all {
		hour := rate.At / 3_600_000
		if !hours[hour] && rate.At < end && (asOf == 0 || rate.At+5*60_000 <= asOf) {
			price = rate.Price
		}
		hours[hour] = true
	}
	return price
}

func TestFirstRate(t *testing.T) { storetest.Engines(t, "the order of rows", testFirstRate) }

func testFirstRate(t *testing.T) {
	now := rateStart.Add(time.Hour)
	s := rateStore(t, "UTC", &now)
	addRates(t, s, 1, rateAt(8))
	now = rateStart.Add(2 * time.Hour)
	addRates(t, s, 1, rateAt(3)) // of an earlier time, stored later
	r := rateReader(t, s)
	for asOf, want := range map[affiliate.Millis]affiliate.Number{
		0: "60003.00", affiliate.MillisOf(rateStart.Add(90 * time.Minute)): "60008.00", affiliate.MillisOf(rateStart): "",
	} {
		rate, known, err := records.FirstRate(t.Context(), r, "BTC", "USDT", asOf)
		if err != nil || rate.Price != want || known != (want != "") {
			t.Errorf("as of %s the first rate is %q (%v)", asOf, rate.Price, err)
		}
	}
	if _, known, err := records.FirstRate(t.Context(), r, "BTC", "USDC", 0); known || err != nil {
		t.Errorf("BTC has a rate in a coin without samples (%v)", err)
	}
}

// The rate of a day is looked up in the primary key, with any number of samples.
func TestRatesAreLookedUp(t *testing.T) {
	now := rateStart
	s := rateStore(t, "UTC", &now)
	addRates(t, s, 1, rateAt(1))
	asked, err := store.Listen(s)
	if err != nil {
		t.Fatal(err)
	}
	r := rateReader(t, s)
	day := affiliate.DayOf(rateStart, time.UTC)
	if rates, err := records.Rates(t.Context(), r, "BTC", "USDT", []affiliate.Day{day, day + 1}, 0); err != nil || len(rates) != 2 {
		t.Fatalf("%d rates (%v)", len(rates), err)
	}
	plans, err := asked.Plans()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(plans, "\n")
	if !strings.Contains(text, "SEARCH r USING PRIMARY KEY (quote=? AND coin=? AND hour=?)") ||
		!strings.Contains(text, "SEARCH s USING PRIMARY KEY (quote=? AND coin=? AND hour<?)") || strings.Contains(text, "SCAN r") {
		t.Errorf("the query plan of the rates is:\n%s", text)
	}
}
