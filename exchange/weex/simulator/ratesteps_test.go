package simulator

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/programme"
)

// rated returns a programme with steps, whose records change in nothing but rate and
// commission.
func rated(t *testing.T, steps ...programme.RateStep) (before, after Ledger) {
	t.Helper()
	o := Options{Seed: 3, Days: 60, Invitees: 200, Records: 4000, Now: frozen}
	before = New(o).Ledger()
	o.Rates = steps
	after = New(o).Ledger()
	if len(before.Commissions) != len(after.Commissions) {
		t.Fatalf("%d records became %d", len(before.Commissions), len(after.Commissions))
	}
	for i, was := range before.Commissions {
		is := after.Commissions[i]
		if !is.Fee.Decimal().Mul(is.Rate.Decimal()).Equal(is.Commission.Decimal()) {
			t.Fatalf("%+v: fee times rate is not the commission", is)
		}
		is.Rate, is.Commission = was.Rate, was.Commission
		if is != was {
			t.Fatalf("%+v became %+v", was, after.Commissions[i])
		}
	}
	return before, after
}

// busiest returns the invited user with the most fees, and the code.
func busiest(l Ledger) (affiliate.UID, string) {
	fees, codes := map[affiliate.UID]decimal.Decimal{}, map[affiliate.UID]string{}
	for _, u := range l.Invitees {
		codes[u.UID] = u.InviteCode
	}
	uids := []affiliate.UID{}
	for _, c := range l.Commissions {
		if codes[c.UID] != "" {
			uids = append(uids, c.UID)
			fees[c.UID] = fees[c.UID].Add(c.Fee.Decimal())
		}
	}
	most := slices.MaxFunc(uids, func(a, b affiliate.UID) int {
		return cmp.Or(fees[a].Cmp(fees[b]), cmp.Compare(a, b))
	})
	return most, codes[most]
}

func TestRateSteps(t *testing.T) {
	t.Parallel()
	usual, _ := rated(t)
	uid, code := busiest(usual)
	codes := map[affiliate.UID]string{}
	for _, u := range usual.Invitees {
		codes[u.UID] = u.InviteCode
	}
	from := instant.AddDate(0, 0, -20).Truncate(24 * time.Hour)
	for name, test := range map[string]struct {
		step    programme.RateStep
		matches func(affiliate.Commission) bool
	}{
		"an invitee":   {programme.RateStep{UID: uid}, func(c affiliate.Commission) bool { return c.UID == uid }},
		"a code":       {programme.RateStep{Code: code}, func(c affiliate.Commission) bool { return codes[c.UID] == code }},
		"a product":    {programme.RateStep{Product: affiliate.Spot}, func(c affiliate.Commission) bool { return c.Product == affiliate.Spot }},
		"everything":   {programme.RateStep{}, func(affiliate.Commission) bool { return true }},
		"both limited": {programme.RateStep{UID: uid, Product: affiliate.Futures}, func(c affiliate.Commission) bool { return c.UID == uid && c.Product == affiliate.Futures }},
	} {
		test.step.From, test.step.Rate = from, 1234
		before, after := rated(t, test.step)
		stepped := 0
		for i, c := range after.Commissions {
			want := before.Commissions[i].Rate
			if !c.DealTime.Time().Before(from) && test.matches(c) {
				want = "0.1234"
				stepped++
			}
			if c.Rate != want {
				t.Fatalf("%s: %+v has not the rate %s", name, c, want)
			}
		}
		if stepped == 0 {
			t.Errorf("%s: no record has the rate", name)
		}
	}
}

// Of several steps the one that begins last holds; given together or one by one later, they
// make the same programme, also where it goes on.
func TestRateStepsLater(t *testing.T) {
	t.Parallel()
	steps := []programme.RateStep{
		{From: instant.Add(-48 * time.Hour), Rate: 500}, {From: instant.Add(-96 * time.Hour), Rate: 700, Product: affiliate.Spot},
		{From: instant.Add(90 * time.Minute), Rate: 900},
	}
	o := Options{Seed: 3, Days: 20, Invitees: 100, Records: 2000, Live: true, LiveSpeed: 50}
	one := newHarness(t, o)
	o.Rates = steps
	given := newHarness(t, o)
	one.s.Ledger()
	for _, d := range []*harness{one, given} {
		d.wait(2 * time.Hour)
		d.s.Ledger()
	}
	for _, step := range steps {
		one.s.SetRate(step)
	}
	for _, d := range []*harness{one, given} {
		d.wait(6 * time.Hour)
	}
	later, want := one.s.Ledger().Commissions, given.s.Ledger().Commissions
	if !slices.Equal(later, want) {
		t.Error("steps set later make another programme")
	}
	seen := map[affiliate.Number]int{}
	for _, c := range want {
		switch at := c.DealTime.Time(); {
		case !at.Before(steps[2].From):
			seen[c.Rate]++
			if c.Rate != "0.09" {
				t.Fatalf("%+v, want 0.09", c)
			}
		case !at.Before(steps[0].From):
			seen[c.Rate]++
			if c.Rate != "0.05" {
				t.Fatalf("%+v, want 0.05", c)
			}
		case !at.Before(steps[1].From) && c.Product == affiliate.Spot:
			seen[c.Rate]++
			if c.Rate != "0.07" {
				t.Fatalf("%+v, want 0.07", c)
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("records by rate: %v", seen)
	}
}

func TestRateStepOfSubAffiliate(t *testing.T) {
	t.Parallel()
	usual, _ := rated(t)
	from := affiliate.DayOf(instant.AddDate(0, 0, -20), time.UTC)
	sub := usual.SubAffiliateDays[len(usual.SubAffiliateDays)-1].UID
	step := programme.RateStep{SubAffiliate: sub, From: from.Start(time.UTC), Rate: 123}
	before, after := rated(t, step)
	set := New(Options{Seed: 3, Days: 60, Invitees: 200, Records: 4000, Now: frozen})
	set.SetRate(step)
	if !slices.Equal(set.Ledger().SubAffiliateDays, after.SubAffiliateDays) {
		t.Error("a step set later pays other amounts")
	}
	if !slices.Equal(before.Commissions, after.Commissions) {
		t.Error("a step of a sub-affiliate changes our commissions")
	}
	stepped := 0
	for i, d := range after.SubAffiliateDays {
		want := before.SubAffiliateDays[i]
		if d.UID == sub && d.Date >= from {
			want.PaidCommission = affiliate.Number(d.NetTradingFee.Decimal().Mul(decimal.RequireFromString("0.0123")).String())
			stepped++
		}
		if d != want {
			t.Fatalf("%+v, want %+v", d, want)
		}
	}
	if stepped == 0 {
		t.Error("no day has the rate")
	}
}

func TestParseRateStep(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]programme.RateStep{
		"2026-06-01 0.25":                           {From: day, Rate: 2500},
		"2026-06-01T02:00:00+02:00 0 uid=7":         {From: day, UID: "7"},
		"2026-06-01 1 code=a=b product=SPOT":        {From: day, Rate: 10_000, Code: "a=b", Product: affiliate.Spot},
		"2026-06-01 0.0001 sub-affiliate=8":         {From: day, Rate: 1, SubAffiliate: "8"},
		" 2026-06-01  0.5  uid=7  product=FUTURES ": {From: day, Rate: 5000, UID: "7", Product: affiliate.Futures},
	} {
		step, err := ParseRateStep(text)
		if step.From = step.From.UTC(); err != nil || step != want {
			t.Errorf("%q: %+v, %v", text, step, err)
		}
	}
	for _, text := range []string{"", "2026-06-01", "soon 0.1", "2026-06-01 x", "2026-06-01 1.1", "2026-06-01 -0.1", "2026-06-01 0.00001",
		"2026-06-01 0.1 uid", "2026-06-01 0.1 uid=", "2026-06-01 0.1 product=OPTIONS", "2026-06-01 0.1 colour=red", "2026-06-01 0.1 sub-affiliate=8 uid=7"} {
		if step, err := ParseRateStep(text); err == nil {
			t.Errorf("%q is read as %+v", text, step)
		}
	}
}
