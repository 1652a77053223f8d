package collector_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange/weex/simulator"
)

// Accounts that are set during a run apply to the next one, and the run ends with those
// with which it began.
func TestAccountsAreTakenAtTheNextRun(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 3, Days: 20, Invitees: 20, Records: 200})
	second, market := d.dial(nil), d.dial(nil)
	var once sync.Once
	d.answers(func(http.ResponseWriter, *http.Request) bool {
		once.Do(func() {
			d.Use([]collector.Target{{Name: "second", Source: second}}, market)
		})
		return false
	})
	d.run(collector.RunRequest{})
	if second.Usage().Requests != 0 || d.client.Usage().Requests == 0 {
		t.Errorf("the run at work went over to the new account: %+v and %+v", d.client.Usage(), second.Usage())
	}
	before := d.client.Usage()
	report := d.run(collector.RunRequest{})
	if d.client.Usage() != before || second.Usage().Requests == 0 || report.Records == 0 {
		t.Errorf("the next run requested %+v", second.Usage())
	}
	accounts, err := d.reader().Accounts(t.Context())
	if err != nil || !slices.Equal(accounts, []affiliate.Account{"main", "second"}) {
		t.Errorf("stored for %q: %v", accounts, err)
	}
	if market.Usage().Requests == 0 {
		t.Error("the new market was never requested")
	}
	d.Use(nil, nil)
	if report := d.run(collector.RunRequest{}); report.Requests != 0 || !report.Complete {
		t.Errorf("without accounts: %+v", report)
	}
}

// Accounts may come and go at any moment of a collector that serves.
func TestAccountsChangeWhileItServes(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 3, Days: 5, Invitees: 5, Records: 20})
	c := collector.New(collector.Options{Store: d.store, History: 5 * day, Now: d.clock.now, Every: day})
	ctx, stop := context.WithCancel(t.Context())
	seen := make(chan struct{})
	var once sync.Once
	d.answers(func(http.ResponseWriter, *http.Request) bool { once.Do(func() { close(seen) }); return false })
	var work sync.WaitGroup
	work.Go(func() { c.Serve(ctx) })
	for range 50 {
		c.Use([]collector.Target{{Name: "late", Source: d.client}}, d.client)
		c.Use(nil, nil)
	}
	c.Use([]collector.Target{{Name: "late", Source: d.client}}, d.client)
	c.Wake()
	<-seen
	stop()
	work.Wait()
	if d.client.Usage().Requests == 0 {
		t.Error("an account that was added later was never requested")
	}
}
