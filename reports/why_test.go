package reports_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/overview"
)

// steady is a programme that brings the same every day: volume 1000, fee 1,
// commission 0.1, up to the day given.
func steady(d *desk, last affiliate.Day, change func(affiliate.Day, *affiliate.Commission)) {
	d.Helper()
	span := affiliate.Days{First: today - 70, Last: last}
	d.want("main", span.First)
	var records []affiliate.Commission
	for day := span.First; day <= span.Last; day++ {
		c := trade(day, spot, 1, "0.1")
		c.TakerAmount, c.MakerAmount, c.Fee = "600", "400", "1"
		if change != nil {
			change(day, &c)
		}
		records = append(records, c)
	}
	d.read("main", spot, affiliate.Days{First: span.First, Last: today}, records...)
	d.read("main", futures, affiliate.Days{First: span.First, Last: today})
}

func (d *desk) why(query string) overview.Why {
	d.Helper()
	q := d.ask(query)
	if !q.Whyable() {
		d.Fatalf("%s has no one cause", query)
	}
	w, err := d.Why(d.Context(), q)
	if err != nil {
		d.Fatal(err)
	}
	return w
}

func effects(w overview.Why) map[overview.FactorName]string {
	found := map[overview.FactorName]string{}
	for _, f := range w.Factors() {
		found[f.Name] = f.Effect.String()
	}
	return found
}

// Each cause is distinguished from the others, with its worth.
func TestWhyTellsTheFactorsApart(t *testing.T) {
	day := today - 2
	for name, c := range map[string]struct {
		change func(*affiliate.Commission)
		want   map[overview.FactorName]string
	}{
		"as usual": {func(*affiliate.Commission) {}, map[overview.FactorName]string{"volume": "0", "fee per volume": "0", "rebate rate": "0"}},
		"half volume": {func(c *affiliate.Commission) {
			c.TakerAmount, c.MakerAmount, c.Fee, c.Commission = "500", "0", "0.5", "0.05"
		}, map[overview.FactorName]string{"volume": "-0.05", "fee per volume": "0", "rebate rate": "0"}},
		"lower fees":   {func(c *affiliate.Commission) { c.Fee, c.Commission = "0.4", "0.04" }, map[overview.FactorName]string{"volume": "0", "fee per volume": "-0.06", "rebate rate": "0"}},
		"smaller rate": {func(c *affiliate.Commission) { c.Commission = "0.07" }, map[overview.FactorName]string{"volume": "0", "fee per volume": "0", "rebate rate": "-0.03"}},
	} {
		d := newDesk(t, "UTC")
		steady(d, today-1, func(on affiliate.Day, r *affiliate.Commission) {
			if on == day {
				c.change(r)
			}
		})
		w := d.why("from=" + day.String() + "&to=" + day.String())
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

// The effects of the factors make up the whole difference, whatever moved.
func TestWhyEffectsAddUp(t *testing.T) {
	d := newDesk(t, "Asia/Kathmandu")
	steady(d, today-1, func(on affiliate.Day, r *affiliate.Commission) {
		if on >= today-6 {
			r.TakerAmount, r.Fee, r.Commission = "77.7", "0.31", "0.0217"
		}
	})
	w := d.why("from=" + (today - 5).String() + "&to=" + (today - 2).String() + "&uid=4667776801")
	sum := decimal.Zero
	for _, f := range w.Factors() {
		sum = sum.Add(f.Effect)
	}
	whole := w.Now.Commission.Sub(w.Usual.Commission)
	if len(w.Factors()) != 3 || !whole.IsNegative() || sum.Sub(whole).Abs().GreaterThan(decimal.New(1, -8)) {
		t.Errorf("the effects add up to %s, the difference is %s: %+v", sum, whole, w.Factors())
	}
}

// Trades without a fee and fees without commission are counted with what they
// are worth; neither is taken for the other.
func TestWhyCountsTheUnpaid(t *testing.T) {
	d := newDesk(t, "UTC")
	steady(d, today-1, func(on affiliate.Day, r *affiliate.Commission) {
		switch on {
		case today - 2:
			r.Fee, r.Commission = "0.000", "0"
		case today - 3:
			r.Fee, r.Commission = "2.50", "0.00"
		case today - 4:
			r.Fee, r.Commission = "", "" // not said: neither
		}
	})
	w := d.why("range=7d&uid=4667776801")
	if w.ZeroFee != 1 || w.ZeroFeeVolume.String() != "1000" || w.ZeroCommission != 1 || w.UnpaidFee.String() != "2.5" {
		t.Errorf("%+v", w)
	}
	if !w.Lag {
		t.Error("today is in the range, and nothing said of the hour that is not published")
	}
}

// Commission trails the trade also across midnight.
func TestWhyLagsBeyondTheEndOfTheDay(t *testing.T) {
	for hours, want := range map[time.Duration]bool{-1: true, 1: true, 3: false, 20: false} {
		d := newDesk(t, "Asia/Kathmandu")
		last := today - 1
		end := (last + 1).Start(d.zone)
		d.now = end.Add(hours * time.Hour)
		steady(d, today-3, nil)
		if w := d.why("from=" + last.String() + "&to=" + last.String()); w.Lag != want {
			t.Errorf("%d hours after the end of the day the lag is %t, want %t", hours, w.Lag, want)
		}
	}
	d := newDesk(t, "UTC")
	steady(d, today-1, nil)
	then := (today - 1).Start(time.UTC).Add(time.Hour)
	if w := d.why("from=" + (today - 2).String() + "&to=" + (today - 2).String() + "&as_of=" + then.Format(time.RFC3339)); !w.Lag {
		t.Error("as of an hour after the day nothing is said of the hour that was not published then")
	}
}

// What is not collected is neither compared nor taken for usual.
func TestWhySaysWhatIsMissing(t *testing.T) {
	d := newDesk(t, "UTC")
	steady(d, today-1, nil)
	d.now = noon.Add(48 * time.Hour)
	w := d.why("from=" + (today + 1).String() + "&to=" + (today + 1).String())
	if len(w.Missing) == 0 || w.Over != 0 || w.UsualKnown || w.Coin != "USDT" {
		t.Errorf("a day that was not read: %+v", w)
	}
	fresh := newDesk(t, "UTC")
	fresh.want("main", today-3)
	fresh.read("main", spot, days(-3, 0), trade(today-2, spot, 1, "0.1"))
	fresh.read("main", futures, days(-3, 0))
	if w := fresh.why("range=yesterday"); w.UsualKnown || w.UsualDays != 0 || w.Over != 1 || len(w.Factors()) != 0 {
		t.Errorf("with nothing before: %+v", w)
	}
}

func TestWhyable(t *testing.T) {
	d := newDesk(t, "UTC")
	d.want("main", today-300)
	for query, want := range map[string]bool{
		"range=yesterday": true, "range=7d": false, "range=7d&coin=USDT": true, "range=90d&coin=USDT": false,
		"range=all&uid=1": true,
	} {
		if got := d.ask(query).Whyable(); got != want {
			t.Errorf("%s: %v", query, got)
		}
	}
}
