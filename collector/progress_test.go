package collector_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange/weex/simulator"
)

func TestProgress(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 200, Invitees: 300, Records: sized(6000)})
	if p := d.Progress(); p.Running || p.Percent() != 0 || !p.Finished.IsZero() {
		t.Errorf("before any run: %+v", p)
	}
	var mu sync.Mutex
	var seen []collector.Progress
	d.answers(func(http.ResponseWriter, *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, d.Progress())
		d.clock.advance(100 * time.Millisecond)
		return false
	})
	report := d.run(collector.RunRequest{})
	if len(seen) < 20 {
		t.Fatalf("only %d looks", len(seen))
	}
	last := collector.Progress{}
	for i, p := range seen {
		if !p.Running || p.Account != "main" || len(p.Failures) > 0 || !p.Finished.IsZero() || p.Started.IsZero() {
			t.Fatalf("look %d: %+v", i, p)
		}
		if p.Done < last.Done || p.Done > p.Wanted || p.Records < last.Records || p.Requests < last.Requests || p.Requests > i || p.Percent() > 99 {
			t.Fatalf("look %d: %+v after %+v", i, p, last)
		}
		if i > 0 && (p.Wanted == 0 || p.Stream.Kind == "" || p.Window.Len() < 1) { // the first asks for the time
			t.Fatalf("look %d: %+v", i, p)
		}
		if told := p.Remaining > 0; told != (p.Done > 0 && p.Done*10 >= p.Wanted && p.Done < p.Wanted) {
			t.Fatalf("look %d estimates %s after %d of %d", i, p.Remaining, p.Done, p.Wanted)
		}
		last = p
	}
	p := d.Progress()
	if p.Running || p.Done != p.Wanted || p.Percent() != 100 || p.Finished.Before(p.Started) || p.Remaining != 0 {
		t.Errorf("after the run: %+v", p)
	}
	if p.Records != report.Records || int64(p.Requests) != report.Requests || int64(p.Weight) != report.Weight {
		t.Errorf("after the run %+v, the report is %+v", p, report)
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); !so(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// Serve collects at once, then on request, in runs of one period, and stops with its
// context.
func TestServe(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 60, Invitees: 100, Records: sized(1500)})
	c := collector.New(collector.Options{
		Store: d.store, History: d.history, Now: d.clock.now, Every: time.Hour,
		Accounts: []collector.Target{{Name: "main", Source: d.client}},
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Serve(ctx)
	}()
	finished := func(cause string) func() bool {
		return func() bool { r := d.lastRun(); return r.Cause == cause && r.Finished.Known() }
	}
	eventually(t, "the first run", finished("start"))
	d.holdsTheTruth()
	late := d.recent(5 * time.Hour)
	late.Fee = "12345.678"
	d.sim.Insert(late)
	c.Wake()
	c.Wake() // asking twice is asking once, or a second run that finds nothing
	eventually(t, "the run asked for", finished("button"))
	d.holdsTheTruth()
	cancel()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("Serve does not stop")
	}
}

// A backfill longer than the period is divided into runs that follow each other without a
// pause.
func TestServeGoesOnWithABackfill(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 300, Invitees: 100, Records: 1500})
	d.answers(func(http.ResponseWriter, *http.Request) bool {
		d.clock.advance(time.Minute)
		return false
	})
	c := collector.New(collector.Options{
		Store: d.store, History: d.history, Now: d.clock.now, Every: 10 * time.Minute,
		Accounts: []collector.Target{{Name: "main", Source: d.client}},
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Serve(ctx)
	}()
	days := int(d.history/day) + 1
	eventually(t, "the backfill", func() bool { return len(d.coverage()) >= len(affiliate.Streams())*days })
	cancel()
	<-done
	if run := d.lastRun(); run.ID < 3 {
		t.Errorf("the backfill took %d runs", run.ID)
	}
	equalCommissions(d)
}

func equalCommissions(d *fixture) {
	d.Helper()
	equal(d, "commissions", d.commissions(0), countOf(d.sim.Ledger().Commissions, affiliate.Commission.Key))
}

// A backfill that is divided into runs, with pauses of the exchange, is one progress bar:
// the percentage never falls. The remaining time grows only to at least twice the answer
// that stood for half a minute: the order of the answers decides whether that happens.
func TestProgressNeverGoesBack(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 300, Invitees: 100, Records: sized(3000)})
	var mu sync.Mutex
	var seen []collector.Progress
	var at []time.Time
	var c *collector.Collector
	d.answers(func(http.ResponseWriter, *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		seen, at = append(seen, c.Progress()), append(at, d.clock.now())
		if d.clock.advance(time.Second); len(seen)%17 == 3 {
			d.clock.advance(10 * time.Second) // as long as the exchange's pause
		}
		return false
	})
	c = collector.New(collector.Options{
		Store: d.store, History: d.history, Now: d.clock.now, Every: 20 * time.Second,
		Accounts: []collector.Target{{Name: "main", Source: d.client}},
	})
	runs := 0
	for postponed := true; postponed; runs++ {
		report, err := c.Collect(t.Context(), collector.RunRequest{Cause: "test", Within: 20 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		postponed = report.Postponed
	}
	if runs < 3 {
		t.Fatalf("only %d runs", runs)
	}
	last, stands := collector.Progress{}, time.Time{}
	for i, p := range seen {
		if p.Percent() < last.Percent() || p.Percent() > 99 {
			t.Errorf("look %d: %d %% after %d %%", i, p.Percent(), last.Percent())
		}
		if p.Remaining > 0 && p.Done*10 < p.Wanted {
			t.Errorf("look %d: %s left is estimated after %d of %d", i, p.Remaining, p.Done, p.Wanted)
		}
		if stood := at[i].Sub(stands); last.Remaining > 0 && p.Remaining > last.Remaining &&
			(p.Remaining < 2*last.Remaining || stood < 30*time.Second) {
			t.Errorf("look %d: %s left after %s, which stood for %s", i, p.Remaining, last.Remaining, stood)
		}
		if p.Remaining != last.Remaining {
			stands = at[i]
		}
		if p.Remaining == 0 && p.Done > 0 && p.Done*10 >= p.Wanted && p.Done < p.Wanted {
			t.Errorf("look %d: no time is estimated after %d of %d", i, p.Done, p.Wanted)
		}
		last = p
	}
	if p := c.Progress(); p.Running || p.Done != p.Wanted || p.Percent() != 100 || p.Remaining != 0 {
		t.Errorf("at the end %+v", p)
	}
}
