package demo

import (
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/exchange/weex/simulator"
)

// The bills pay what the records say, before and after the rates were lowered: only the planned
// faults differ.
func TestBillsFollowLoweredRates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 20, 13, 0, 0, 0, time.UTC)
	cfg := config.Config{Now: func() time.Time { return now }}
	sim, err := OpenExchange(t.TempDir(), &cfg)
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]int{}
	for _, p := range sim.Payments() {
		states[p.State]++
	}
	if err := sim.Close(); err != nil {
		t.Error(err)
	}
	if states["matched"] < 1000 || states["over"] > 0 || states["unexplained"] > 0 || states["short"] != 1 || states["missing"] != 1 || states["late"] != 1 {
		t.Errorf("the payments are %v", states)
	}
}

// One invitee and one sub-affiliate have a lower rate since some weeks ago, and have it again
// after a restart.
func TestLoweredRates(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Date(2026, 5, 20, 13, 0, 0, 0, time.UTC)
	open := func(now time.Time) simulator.Ledger {
		cfg := config.Config{Now: func() time.Time { return now }}
		sim, err := OpenExchange(dir, &cfg)
		if err != nil {
			t.Fatal(err)
		}
		ledger := sim.Ledger()
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
		return ledger
	}
	ledger, later := open(now), open(now.Add(3*time.Hour))
	known := func(c affiliate.Commission) bool { return c.DealTime.Time().Before(now.Add(-time.Hour)) }
	was := slices.DeleteFunc(ledger.Commissions, func(c affiliate.Commission) bool { return !known(c) })
	is := slices.DeleteFunc(later.Commissions, func(c affiliate.Commission) bool { return !known(c) })
	if !slices.Equal(was, is) {
		t.Error("a restart changes the records")
	}
	from := time.Date(2026, 4, 23, 0, 0, 0, 0, time.UTC)
	type rates struct{ before, after map[affiliate.Number]bool }
	of, number := map[affiliate.UID]rates{}, map[affiliate.UID]int{}
	for _, c := range was {
		if c.Source != affiliate.Direct || c.DealTime.Time().Before(from.AddDate(0, 0, -30)) {
			continue
		}
		if of[c.UID].before == nil {
			of[c.UID] = rates{map[affiliate.Number]bool{}, map[affiliate.Number]bool{}}
		}
		number[c.UID]++
		if c.DealTime.Time().Before(from) {
			of[c.UID].before[c.Rate] = true
		} else {
			of[c.UID].after[c.Rate] = true
		}
	}
	var lowered []affiliate.UID
	for uid, r := range of {
		if len(r.before) != 1 || len(r.after) != 1 || number[uid] < 50 {
			continue
		}
		for before := range r.before {
			for after := range r.after {
				if after.Decimal().Mul(affiliate.Number("1.25").Decimal()).Equal(before.Decimal()) {
					lowered = append(lowered, uid)
				}
			}
		}
	}
	if len(lowered) != 1 {
		t.Errorf("the invitees %v have four fifths of their rate", lowered)
	}
	subs := map[affiliate.UID]bool{}
	for i, d := range ledger.SubAffiliateDays {
		if d.Date.Start(time.UTC).Before(from) || i == 0 {
			continue
		}
		for _, e := range ledger.SubAffiliateDays[:i] {
			if e.UID == d.UID && e.Date.Start(time.UTC).Before(from) &&
				d.PaidCommission.Decimal().Mul(e.NetTradingFee.Decimal()).LessThan(e.PaidCommission.Decimal().Mul(d.NetTradingFee.Decimal())) {
				subs[d.UID] = true
			}
		}
	}
	if len(subs) != 1 {
		t.Errorf("the sub-affiliates %v are paid less than before", subs)
	}
}
