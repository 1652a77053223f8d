package overview_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/reporttest"
)

// steady returns a programme that earns the same every day up to the given day: volume
// 1000, fee 1, commission 0.1.
func steady(d *reporttest.Fixture, last affiliate.Day, change func(affiliate.Day, *affiliate.Commission)) {
	d.Helper()
	span := affiliate.Days{First: reporttest.Today - 70, Last: last}
	d.Want("main", span.First)
	var records []affiliate.Commission
	for day := span.First; day <= span.Last; day++ {
		c := reporttest.Trade(day, reporttest.Spot, 1, "0.1")
		c.TakerAmount, c.MakerAmount, c.Fee = "600", "400", "1"
		if change != nil {
			change(day, &c)
		}
		records = append(records, c)
	}
	d.Read("main", reporttest.Spot, affiliate.Days{First: span.First, Last: reporttest.Today}, records...)
	d.Read("main", reporttest.Futures, affiliate.Days{First: span.First, Last: reporttest.Today})
}

func effects(w overview.Why) map[overview.FactorName]string {
	found := map[overview.FactorName]string{}
	for _, f := range w.Factors() {
		found[f.Name] = f.Effect.String()
	}
	return found
}

// Each cause is distinguished from the others, with its worth.
func TestWhyDistinguishesFactors(t *testing.T) {
	day := reporttest.Today - 2
	for name, c := range map[string]struct {
		change func(*affiliate.Commission)
		want   map[overview.FactorName]string
	}{
		"as usual": {func(*affiliate.Commission) {}, map[overview.FactorName]string{"volume": "0", "fee per volume": "0", "share of fees": "0"}},
		"half volume": {func(c *affiliate.Commission) {
			c.TakerAmount, c.MakerAmount, c.Fee, c.Commission = "500", "0", "0.5", "0.05"
		}, map[overview.FactorName]string{"volume": "-0.05", "fee per volume": "0", "share of fees": "0"}},
		"lower fees":   {func(c *affiliate.Commission) { c.Fee, c.Commission = "0.4", "0.04" }, map[overview.FactorName]string{"volume": "0", "fee per volume": "-0.06", "share of fees": "0"}},
		"smaller rate": {func(c *affiliate.Commission) { c.Commission = "0.07" }, map[overview.FactorName]string{"volume": "0", "fee per volume": "0", "share of fees": "-0.03"}},
	} {
		d := reporttest.NewFixture(t, "UTC")
		steady(d, reporttest.Today-1, func(on affiliate.Day, r *affiliate.Commission) {
			if on == day {
				c.change(r)
			}
		})
		w := d.Why("from=" + day.String() + "&to=" + day.String())
		if !w.UsualKnown || w.UsualDays != 8 || w.Over != 1 || len(w.Missing) > 0 || w.Lag {
			t.Errorf("%s: %+v", name, w)
		}
		for factor, want := range c.want {
			if got := effects(w)[factor]; got != want {
				t.Errorf("%s: the effect of %s is %s, want %s", name, factor, got, want)
			}
		}
	}
}

// The effects of the factors add up to the whole difference, with any changes.
func TestWhyEffectsAddUp(t *testing.T) {
	d := reporttest.NewFixture(t, "Asia/Kathmandu")
	steady(d, reporttest.Today-1, func(on affiliate.Day, r *affiliate.Commission) {
		if on >= reporttest.Today-6 {
			r.TakerAmount, r.Fee, r.Commission = "77.7", "0.31", "0.0217"
		}
	})
	w := d.Why("from=" + (reporttest.Today - 5).String() + "&to=" + (reporttest.Today - 2).String() + "&uid=4667776801")
	sum := decimal.Zero
	for _, f := range w.Factors() {
		sum = sum.Add(f.Effect)
	}
	whole := w.Now.Commission.Sub(w.Usual.Commission)
	if len(w.Factors()) != 3 || !whole.IsNegative() || sum.Sub(whole).Abs().GreaterThan(decimal.New(1, -8)) {
		t.Errorf("the effects add up to %s, the difference is %s: %+v", sum, whole, w.Factors())
	}
}

// Trades without a fee and fees without commission are counted separately, with their
// worth.
func TestWhyCountsTheUnpaid(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	steady(d, reporttest.Today-1, func(on affiliate.Day, r *affiliate.Commission) {
		switch on {
		case reporttest.Today - 2:
			r.Fee, r.Commission = "0.000", "0"
		case reporttest.Today - 3:
			r.Fee, r.Commission = "2.50", "0.00"
		case reporttest.Today - 4:
			r.Fee, r.Commission = "", "" // both unknown
		}
	})
	w := d.Why("range=7d&uid=4667776801")
	if w.ZeroFee != 1 || w.ZeroFeeVolume.String() != "1000" || w.ZeroCommission != 1 || w.UnpaidFee.String() != "2.5" {
		t.Errorf("%+v", w)
	}
	if !w.Lag {
		t.Error("today is in the range, and the delay of the last hour is not mentioned")
	}
}

// Commission that follows its trade after midnight is assigned correctly.
func TestWhyLagsBeyondTheEndOfTheDay(t *testing.T) {
	for hours, want := range map[time.Duration]bool{-1: true, 1: true, 3: false, 20: false} {
		d := reporttest.NewFixture(t, "Asia/Kathmandu")
		last := reporttest.Today - 1
		end := (last + 1).Start(d.Zone)
		d.Now = end.Add(hours * time.Hour)
		steady(d, reporttest.Today-3, nil)
		if w := d.Why("from=" + last.String() + "&to=" + last.String()); w.Lag != want {
			t.Errorf("%d hours after the end of the day the lag is %t, want %t", hours, w.Lag, want)
		}
	}
	d := reporttest.NewFixture(t, "UTC")
	steady(d, reporttest.Today-1, nil)
	then := (reporttest.Today - 1).Start(time.UTC).Add(time.Hour)
	if w := d.Why("from=" + (reporttest.Today - 2).String() + "&to=" + (reporttest.Today - 2).String() + "&as_of=" + then.Format(time.RFC3339)); !w.Lag {
		t.Error("as of an hour after the day the delay of its last hour is not mentioned")
	}
}

// Days that are not collected are neither compared nor used as the usual level.
func TestWhyNamesMissingDays(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	steady(d, reporttest.Today-1, nil)
	d.Now = reporttest.Noon.Add(48 * time.Hour)
	w := d.Why("from=" + (reporttest.Today + 1).String() + "&to=" + (reporttest.Today + 1).String())
	if len(w.Missing) == 0 || w.Over != 0 || w.UsualKnown || w.Coin != "USDT" {
		t.Errorf("a day without a reading: %+v", w)
	}
	fresh := reporttest.NewFixture(t, "UTC")
	fresh.Want("main", reporttest.Today-3)
	fresh.Read("main", reporttest.Spot, reporttest.Days(-3, 0), reporttest.Trade(reporttest.Today-2, reporttest.Spot, 1, "0.1"))
	fresh.Read("main", reporttest.Futures, reporttest.Days(-3, 0))
	if w := fresh.Why("range=yesterday"); w.UsualKnown || w.UsualDays != 0 || w.Over != 1 || len(w.Factors()) != 0 {
		t.Errorf("without an earlier period: %+v", w)
	}
}

func TestWhyable(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-300)
	for query, want := range map[string]bool{
		"range=yesterday": true, "range=7d": false, "range=7d&coin=USDT": true, "range=90d&coin=USDT": false,
		"range=all&uid=1": true,
	} {
		if got := d.Ask(query).Whyable(); got != want {
			t.Errorf("%s: %v", query, got)
		}
	}
}
