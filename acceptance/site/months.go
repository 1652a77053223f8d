package site

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// closingSite is a site over a programme whose records the simulator can change.
type closingSite struct {
	*Site
	Exchange *Pipeline
}

// OpenClosing opens a site whose programme was collected over all of October.
func OpenClosing(t *testing.T) *closingSite {
	t.Helper()
	return OpenClosingOf(t, simulator.Options{Seed: 7, Days: 55, Invitees: 30, Records: 700})
}

// OpenClosingOf opens a site over any programme, collected up to now.
func OpenClosingOf(t *testing.T, options simulator.Options) *closingSite {
	t.Helper()
	path := Copied(t, fmt.Sprintf("closing %+v", options), func(t testing.TB, path string) {
		f, end := openPipelineAt(t, path, time.UTC, options)
		f.Collect()
		end()
	})
	return openChanging(t, path, time.UTC, options)
}

// OpenChanging opens a site in a zone over any programme, collected up to now, on the engine of the test.
func OpenChanging(t *testing.T, zone *time.Location, options simulator.Options) *closingSite {
	t.Helper()
	s := openChanging(t, storetest.Empty(t), zone, options)
	s.Exchange.Collect()
	return s
}

func openChanging(t *testing.T, place string, zone *time.Location, options simulator.Options) *closingSite {
	t.Helper()
	f, end := openPipelineAt(t, place, zone, options)
	t.Cleanup(end)
	o := &Site{TB: t, Clock: &Clock{At: Now}, Path: place}
	key := secret.NewKey()
	var err error
	if o.Store, err = store.Open(context.Background(), place, store.Options{AuditKey: key.Derive("audit"), Zone: zone, Now: o.Now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	o.Access = access.NewForTests(access.Options{Store: o.Store, Box: key.Box(), Now: o.Now})
	service := reports.New(o.Store, o.Now)
	o.Address, o.Server = Serve(t, web.Options{Reports: service, Desk: service, Access: o.Access, Collect: Nothing, Zone: zone})
	return &closingSite{o, f}
}

// Wait lets time pass for the site and the exchange, which pays what is due meanwhile.
func (s *closingSite) Wait(d time.Duration) {
	s.Pass(d)
	s.Exchange.Clock.Store(s.Now().UnixMilli())
}

// Restate lets the exchange list a record of October late, change one and take one back, and
// collects again an hour later.
func (s *closingSite) Restate() {
	s.Helper()
	sim := s.Exchange.Sim
	list := slices.DeleteFunc(sim.Ledger().Commissions, func(c affiliate.Commission) bool { return !InOctober(c) || c.Coin != "USDT" })
	late := list[0]
	late.DealTime, late.Fee, late.Commission = late.DealTime+60_000, "7.3", "1.000000000000000001"
	if !sim.Remove(list[1]) || sim.Revise(func(c affiliate.Commission) bool { return c == list[2] }, func(c *affiliate.Commission) { c.Commission = "0.000000000000000003" }) != 1 {
		s.Fatal("the exchange did not change")
	}
	sim.Insert(late)
	s.CollectAgain()
}

func (s *closingSite) CollectAgain() {
	s.Helper()
	s.Wait(time.Hour)
	s.Exchange.Collect()
	s.Wait(time.Minute)
}

func InOctober(c affiliate.Commission) bool {
	return closed.Contains(affiliate.DayOf(c.DealTime.Time(), time.UTC))
}

var closed = affiliate.Days{First: affiliate.NewDay(2026, 10, 1), Last: affiliate.NewDay(2026, 10, 31)}

// Earned adds up the commission that the exchange has for October, by coin.
func (s *closingSite) Earned() map[string]*big.Rat {
	s.Helper()
	sums := map[string]*big.Rat{}
	for _, c := range s.Exchange.Sim.Ledger().Commissions {
		if !InOctober(c) {
			continue
		}
		value, ok := new(big.Rat).SetString(string(c.Commission))
		if !ok {
			s.Fatalf("%q is no number", c.Commission)
		}
		if sums[string(c.Coin)] == nil {
			sums[string(c.Coin)] = new(big.Rat)
		}
		sums[string(c.Coin)].Add(sums[string(c.Coin)], value)
	}
	return sums
}

func (s *closingSite) File(v *Visitor, path string, into any) {
	s.Helper()
	a := v.Get(path)
	if err := json.Unmarshal([]byte(a.Body), into); err != nil || a.StatusCode != 200 {
		s.Fatalf("%s: status %d, %v: %.300s", path, a.StatusCode, err, a.Body)
	}
}
