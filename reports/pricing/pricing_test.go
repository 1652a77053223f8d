package pricing_test

import (
	"fmt"
	"math/big"
	"net/url"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/pricing"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/audit"
	"rebatedesk/store/prices"
)

var by = audit.Line{Actor: "ann", Via: "browser"}

// earner is a fixture with commission in coins on some days, which it adds up by other arithmetic.
type earner struct {
	*reporttest.Fixture
	earned []affiliate.Commission
}

func (d *earner) imports(lines ...string) prices.Imported {
	d.Helper()
	d.Now = d.Now.Add(time.Minute)
	file, err := prices.ParseFile(d.Context(), []byte("date,coin,price_usdt\n"+strings.Join(lines, "\n")+"\n"))
	if err != nil {
		d.Fatal(err)
	}
	done, _, err := prices.Import(d.Context(), d.DB, file, "prices.csv", by)
	if err != nil {
		d.Fatal(err)
	}
	return done
}

// worth is the sum of what was earned, each day at the price that the test gives it: "BTC 2026-09-10" or
// "BTC" for all its other days.
func (d *earner) worth(price map[string]string) *big.Rat {
	d.Helper()
	total := new(big.Rat)
	for _, c := range d.earned {
		of := "1"
		if c.Coin != "USDT" {
			day := affiliate.DayOf(c.DealTime.Time(), d.Zone)
			var ok bool
			if of, ok = price[fmt.Sprintf("%s %s", c.Coin, day)]; !ok {
				of = price[string(c.Coin)]
			}
		}
		amount, ok := new(big.Rat).SetString(string(c.Commission))
		rate, known := new(big.Rat).SetString(of)
		if !ok || !known {
			d.Fatalf("%s at %q", c.Commission, of)
		}
		total.Add(total, amount.Mul(amount, rate))
	}
	return total
}

func (d *earner) check(when, query string, price map[string]string) figures.Valuation {
	d.Helper()
	valued := d.Overview(query).Valued.Valuation
	got, ok := new(big.Rat).SetString(valued.Total.String())
	if want := d.worth(price); !ok || got.Cmp(want) != 0 {
		d.Errorf("%s the total is %s, want %s", when, valued.Total, want.FloatString(20))
	}
	return valued
}

// Converted totals equal other arithmetic with no import, with one, with one that replaces it in part, after
// both were undone, and as of each earlier instant, in zones with other days than UTC.
func TestTotalsAtImportedPrices(t *testing.T) {
	for _, zone := range []string{"UTC", "Asia/Kathmandu", "America/Los_Angeles"} {
		t.Run(zone, func(t *testing.T) {
			d := &earner{Fixture: reporttest.NewFixture(t, zone)}
			day := func(n int) string { return (reporttest.Today + affiliate.Day(n)).String() }
			for i, coin := range []affiliate.Coin{"BTC", "BTC", "ETH", "BTC", "USDT", "BTC", "BTC"} {
				c := d.Earned(reporttest.Today+affiliate.Day(i-8), coin, affiliate.Number(fmt.Sprintf("0.%d23456789", i+1)))
				c.DealTime = affiliate.MillisOf((reporttest.Today + affiliate.Day(i-8)).Start(d.Zone).Add(7 * time.Hour))
				d.earned = append(d.earned, c)
			}
			d.Now = (reporttest.Today - 3).Start(d.Zone).Add(5 * time.Hour)
			d.Sample("BTC", "60000") // the price of day -3, and of day -2
			d.Now = reporttest.Noon
			d.Read("main", reporttest.Spot, reporttest.Days(-9, 0), d.earned...)
			d.Read("main", reporttest.Futures, reporttest.Days(-9, 0))
			const all = "range=14d"
			none := map[string]string{"BTC": "60000", "ETH": "0"}
			if v := d.check("before any import", all, none); len(v.Missing) != 1 || v.Missing[0].Coin != "ETH" {
				t.Errorf("before any import %v is missing", v.Missing)
			}
			before := affiliate.MillisOf(d.Now)

			first := d.imports(day(-7)+",BTC,50000.25", day(-6)+",ETH,3000.125", day(-3)+",BTC,1")
			one := map[string]string{"BTC " + day(-8): "50000.25", "BTC " + day(-7): "50000.25", "BTC " + day(-5): "50000.25", "BTC": "60000", "ETH": "3000.125"}
			v := d.check("with an import", all, one)
			if got, want := kinds(v, "BTC"), "-8 first imported, -7 imported imported, -5 earlier imported, -3 own, -2 earlier"; got != want {
				t.Errorf("BTC is valued by %s, want %s", got, want)
			}
			said := phrase.Valuation(v, d.Zone)
			on := affiliate.DayOf(d.Now, d.Zone).Format("2 Jan 2006")
			for _, want := range []string{"imported by ann on " + on, "spot ticker", "so the imported price is used", "so the first known price is used"} {
				if !strings.Contains(said, want) {
					t.Errorf("the valuation does not say %q:\n%s", want, said)
				}
			}
			if words := phrase.OtherPrices(v, d.Zone); !strings.Contains(words, ", 4 days at imported prices, 1 day at first known prices") {
				t.Errorf("the sentence says %q", words)
			}
			then := affiliate.MillisOf(d.Now)

			second := d.imports(day(-7)+",BTC,51000", day(-5)+",BTC,55000.5")
			two := map[string]string{"BTC " + day(-8): "51000", "BTC " + day(-7): "51000", "BTC " + day(-5): "55000.5", "BTC": "60000", "ETH": "3000.125"}
			d.check("with a second import", all, two)
			replaced := affiliate.MillisOf(d.Now)
			for _, undo := range []struct {
				id    int64
				price map[string]string
			}{{second.ID, one}, {first.ID, none}} {
				d.Now = d.Now.Add(time.Minute)
				if _, err := prices.Undo(t.Context(), d.DB, undo.id, by); err != nil {
					t.Fatal(err)
				}
				d.check(fmt.Sprintf("after import %d was undone", undo.id), all, undo.price)
			}
			for at, price := range map[affiliate.Millis]map[string]string{before: none, then: one, replaced: two} {
				d.check("as of "+at.String(), all+"&as_of="+url.QueryEscape(at.String()), price)
			}
		})
	}
}

// kinds returns the kinds of a coin's days.
func kinds(v figures.Valuation, coin affiliate.Coin) string {
	var words []string
	for _, c := range v.Coins {
		for _, day := range c.Days {
			if c.Sum.Coin != coin {
				continue
			}
			word := fmt.Sprintf("%d %s", day.Day-reporttest.Today, day.Kind)
			if day.Imported {
				word += " imported"
			}
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// The report counts the days by where their price comes from, and lists those without one, which a file
// then fills.
func TestLackingPrices(t *testing.T) {
	d := &earner{Fixture: reporttest.NewFixture(t, "UTC")}
	d.Sample("BTC", "60000")
	d.Read("main", reporttest.Spot, reporttest.Days(-9, 0), d.Earned(reporttest.Today-4, "BTC", "1"), d.Earned(reporttest.Today-3, "BTC", "1"), d.Earned(reporttest.Today, "BTC", "1"),
		d.Earned(reporttest.Today-2, "XYZ", "1"), d.Earned(reporttest.Today, "XYZ", "1"), d.Earned(reporttest.Today-2, "USDT", "1"))
	words := func() string {
		report, err := reports.Fresh(t.Context(), d.Service, d.QueryOf("", pricing.Accepted), pricing.Make)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, c := range report.Coins {
			list = append(list, fmt.Sprintf("%s: %d of %d collected, %d imported, %d other", c.Coin, c.Collected, c.Days, c.Imported, len(c.Other)))
		}
		for _, p := range report.Lacking {
			list = append(list, fmt.Sprintf("%s %d", p.Coin, p.Day-reporttest.Today))
		}
		return strings.Join(list, "; ")
	}
	if got, want := words(), "BTC: 1 of 3 collected, 0 imported, 2 other; XYZ: 0 of 2 collected, 0 imported, 2 other; BTC -4; BTC -3; XYZ -2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	d.imports((reporttest.Today-4).String()+",BTC,5", (reporttest.Today-2).String()+",XYZ,6")
	if got, want := words(), "BTC: 1 of 3 collected, 1 imported, 1 other; XYZ: 0 of 2 collected, 1 imported, 1 other; BTC -3"; got != want {
		t.Errorf("after an import: %s, want %s", got, want)
	}
}
