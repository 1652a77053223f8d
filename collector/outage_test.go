package collector_test

import (
	"context"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/store"
)

// serveUntil lets Serve run, with its pauses passing at once, until the exchange has
// received that many requests; seen gets the time of each request and may answer it.
func (d *fixture) serveUntil(requests int, seen func(n int, at time.Time, w http.ResponseWriter) (answered bool)) {
	d.Helper()
	ctx, cancel := context.WithCancel(d.Context())
	defer cancel()
	var mu sync.Mutex
	n := 0
	d.answers(func(w http.ResponseWriter, _ *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		n++
		if n > requests {
			return false
		}
		if n == requests {
			defer cancel()
		}
		return seen(n, d.clock.now(), w)
	})
	d.Serve(ctx)
	d.answers(nil)
	mu.Lock() // the last request may outlive the client's patience
	defer mu.Unlock()
}

// While the exchange is down it is called once in 30 seconds at most, ever less often, and
// everything continues as soon as it is up again.
func TestServeSparesAnExchangeThatIsDown(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 60, Invitees: 100, Records: sized(2000)})
	d.run(collector.RunRequest{}) // all is known, so that each attempt costs a call
	const detected, back = 3 * 5, 30
	var calls []time.Time
	d.serveUntil(back+60, func(n int, at time.Time, w http.ResponseWriter) bool {
		if n > detected && n <= back {
			calls = append(calls, at)
		}
		return n < back && fail(w)
	})
	for i := 1; i < len(calls); i++ {
		pause := calls[i].Sub(calls[i-1])
		if pause < 30*time.Second || pause > 15*time.Minute {
			t.Errorf("call %d comes %s after the one before", i, pause)
		}
		if i > 1 && pause < calls[i-1].Sub(calls[i-2]) {
			t.Errorf("call %d comes %s after the one before: the pauses shrink", i, pause)
		}
	}
	if len(calls) < 10 || calls[1].Sub(calls[0]) > 2*time.Minute || calls[9].Sub(calls[8]) != 15*time.Minute {
		t.Errorf("calls at %v", calls)
	}
	if run := d.lastRun(); run.Failed > 0 && run.Slices == 0 {
		t.Errorf("the exchange is back, the last run is %+v", run)
	}
	d.run(collector.RunRequest{})
	d.holdsTheTruth()
}

// A stream that stays broken when the rest is up again delays nothing else.
func TestOneBrokenStreamAfterAnOutage(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 20, Invitees: 50, Records: 300})
	d.answers(func(w http.ResponseWriter, _ *http.Request) bool { return fail(w) })
	if _, err := d.Collect(t.Context(), collector.RunRequest{}); exchange.ClassOf(err) != exchange.ClassUpstream {
		t.Fatalf("the run ended with %v", err)
	}
	d.answers(func(w http.ResponseWriter, r *http.Request) bool {
		spot := r.URL.Path == commissionPath && r.URL.Query().Get("productType") == string(affiliate.Spot)
		return spot && fail(w)
	})
	for range 6 {
		_, _ = d.Collect(t.Context(), collector.RunRequest{Scheduled: true}) // what it comes to is seen below
	}
	read := map[string]int{}
	for _, c := range d.coverage() {
		if c.Through.Known() {
			read[c.Stream.String()]++
		}
	}
	if len(read) != len(affiliate.Streams())-1 || read["commissions SPOT"] != 0 || read["commissions FUTURES"] != 21 || read["invitees"] != 21 {
		t.Errorf("days read: %v", read)
	}
	d.answers(nil)
	d.run(collector.RunRequest{})
	d.holdsTheTruth()
}

// A key without permission is no outage: the pause is the ordinary one.
func TestServeRetriesARefusedKeyInItsPeriod(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 20, Invitees: 50, Records: 200, NotAffiliate: true})
	d.run(collector.RunRequest{Kinds: []affiliate.StreamKind{"none"}}) // learns the time
	var calls []time.Time
	d.serveUntil(6, func(_ int, at time.Time, _ http.ResponseWriter) bool {
		calls = append(calls, at)
		return false
	})
	for i := 1; i < len(calls); i++ {
		if pause := calls[i].Sub(calls[i-1]); pause != 15*time.Minute {
			t.Errorf("call %d comes %s after the one before", i, pause)
		}
	}
}

// A command or a button during an outage waits its turn too, and says so.
func TestNobodyAsksTooSoonAfterAnOutage(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 20, Invitees: 50, Records: 200})
	d.answers(func(w http.ResponseWriter, _ *http.Request) bool { return fail(w) })
	if _, err := d.Collect(t.Context(), collector.RunRequest{}); exchange.ClassOf(err) != exchange.ClassUpstream {
		t.Fatalf("the run ended with %v", err)
	}
	d.answers(nil)
	d.clock.advance(10 * time.Second)
	var pause time.Duration
	waiting := ""
	d.SetAfter(func(p time.Duration) <-chan time.Time {
		pause, waiting = p, d.Progress().Waiting
		return d.clock.after(p)
	})
	d.run(collector.RunRequest{})
	d.holdsTheTruth()
	if pause != 20*time.Second || !strings.Contains(waiting, "10:30:30 UTC") {
		t.Errorf("a pause of %s, shown as %q", pause, waiting)
	}
	if p := d.Progress(); p.Waiting != "" {
		t.Errorf("after the run it waits for %q", p.Waiting)
	}
	if report := d.run(collector.RunRequest{}); report.Requests == 0 || pause != 20*time.Second {
		t.Errorf("the run after that paused %s", pause)
	}
}

// The reason for a wait is shown: the budget, or a pause that the exchange requests.
func TestProgressSaysWhatItWaitsFor(t *testing.T) {
	for name, c := range map[string]struct {
		budget *exchange.Budget
		status int
		want   string
	}{
		"budget": {exchange.NewBudget(20), 0, "the request budget is used up for a moment"},
		"ban":    {exchange.NewBudget(1000), http.StatusTooManyRequests, "the exchange asked for a pause until "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newFixture(t, simulator.Options{Seed: 1, Days: 20, Invitees: 50, Records: 200})
			d.Collector = d.collector(d.store, d.dial(func(cfg *exchange.Config) { cfg.Budget, cfg.BanWait = c.budget, time.Minute }))
			d.answers(func(w http.ResponseWriter, r *http.Request) bool {
				if c.status == 0 || r.URL.Path != commissionPath {
					return false
				}
				w.WriteHeader(c.status)
				return true
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var done sync.WaitGroup
			done.Go(func() { _, _ = d.Collect(ctx, collector.RunRequest{}) }) // is stopped while it waits
			eventually(t, "the wait", func() bool { return strings.HasPrefix(d.Progress().Waiting, c.want) })
			cancel()
			done.Wait()
			if p := d.Progress(); p.Running || p.Waiting != "" {
				t.Errorf("stopped, it still says %+v", p)
			}
		})
	}
}

// A machine with a wrong clock requests the same days as one with a right clock.
func TestClockOfTheMachineDoesNotMatter(t *testing.T) {
	asked := func(off time.Duration) string {
		d := newFixture(t, simulator.Options{Seed: 1, Days: 60, Invitees: 50, Records: 300})
		wrong := func() time.Time { return d.clock.now().Add(off) }
		s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "wrong.db"), store.Options{Now: wrong})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		c := collector.New(collector.Options{Store: s, History: d.history, Now: wrong, Accounts: []collector.Target{
			{Name: "main", Source: d.dial(func(cfg *exchange.Config) { cfg.Now = wrong })},
		}})
		var mu sync.Mutex
		var ranges []string
		d.answers(func(_ http.ResponseWriter, r *http.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			if q := r.URL.Query(); r.URL.Path == commissionPath || q.Has("startTime") {
				from, _ := strconv.ParseInt(q.Get("startTime"), 10, 64)
				to, _ := strconv.ParseInt(q.Get("endTime"), 10, 64)
				// In minutes: the clocks agree on no more than a second.
				ranges = append(ranges, r.URL.Path+" "+q.Get("productType")+" "+strconv.FormatInt(from/60_000, 10)+" "+strconv.FormatInt(to/60_000, 10)+" "+q.Get("page"))
			}
			return false
		})
		d.clock.advance(30 * time.Second) // the middle of a minute
		for _, pause := range []time.Duration{0, time.Hour, 26 * time.Hour, 3 * day, 40 * day} {
			d.clock.advance(pause)
			ranges = append(ranges, "run")
			if report, err := c.Collect(t.Context(), collector.RunRequest{Scheduled: true}); err != nil || !report.Complete {
				t.Fatalf("%+v (%v)", report, err)
			}
		}
		return strings.Join(ranges, "\n")
	}
	want := asked(0)
	if strings.Count(want, "\n") < 20 {
		t.Fatalf("only these were requested:\n%s", want)
	}
	for _, off := range []time.Duration{5 * time.Minute, -5 * time.Minute, 23 * time.Hour, -23 * time.Hour} {
		if got := asked(off); got != want {
			t.Errorf("with a clock %s off it asks\n%s\nwant\n%s", off, got, want)
		}
	}
}
