package collector_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/internal/crashtest"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
)

// over returns a collector of the same programme, which reaches a database at a place.
func (k *killing) over(place string) *collector.Collector {
	k.Helper()
	return k.collector(storetest.OpenAt(k, place, store.Options{Now: k.clock.now}), k.client)
}

// everything reads all days, whatever is covered.
func (k *killing) everything() collector.RunRequest { return collector.RunRequest{Since: k.since()} }

// completes reads everything with a collector, after which all of it has to be stored and
// covered.
func (k *killing) completes(c *collector.Collector) {
	k.Helper()
	if report, err := c.Collect(k.Context(), k.everything()); err != nil || !report.Complete {
		k.Fatalf("the next run is not complete: %+v (%v)", report, err)
	}
	k.holdsTheTruth()
	k.isWhole(k.chronicle)
	k.logAddsUp()
	days := k.coverage()
	for _, day := range days {
		if day.Failed.Known() || day.LastRead != affiliate.MillisOf(k.clock.now()) {
			k.Errorf("%s %s was read at %s, and failed at %s: %s", day.Stream, day.Day, day.LastRead, day.Failed, day.Error)
		}
	}
	if want := len(affiliate.Streams()) * int(affiliate.DayOf(k.clock.now(), time.UTC)-k.since()+1); len(days) != want {
		k.Errorf("%d days of streams are covered, want %d", len(days), want)
	}
}

// changesNothing reads everything again.
func (k *killing) changesNothing(c *collector.Collector) {
	k.Helper()
	if report, err := c.Collect(k.Context(), k.everything()); err != nil || report.Opened != 0 || report.Closed != 0 || report.Slices == 0 {
		k.Errorf("reading everything again opened %d and closed %d in %d slices (%v)", report.Opened, report.Closed, report.Slices, err)
	}
}

// If the connection to the database is cut at any request of a run, each slice is stored as
// a whole or not at all, and the next run of the same process completes the data.
func TestConnectionIsCutInARun(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	k := newKilling(t, 21)
	place, cut := storetest.NewCut(t, k.path)
	c := k.over(place)
	k.completes(c)
	cuts, survived := 0, 0
	cut.Each(storetest.Every(9, 41), false, func() {
		k.goOn()
		if report, err := c.Collect(t.Context(), k.everything()); err == nil && report.Complete {
			survived++
		}
	}, func(at storetest.Break) {
		k.isWhole(k.chronicle)
		k.logAddsUp()
		k.completes(c)
		if cuts++; cuts%4 == 0 {
			k.changesNothing(c)
		}
		if t.Failed() {
			t.Fatal(at)
		}
	})
	k.verifies()
	if cuts < 25 || survived > cuts/2 {
		t.Errorf("%d cuts, and %d runs were complete all the same", cuts, survived)
	}
}

// If the server of the database is killed in the middle of a run, the run ends with an error
// or goes on by itself, and the next one completes the data.
func TestServerIsKilledInARun(t *testing.T) {
	t.Parallel()
	server := storetest.NewServer(t)
	k := newKilling(t, 22)
	place := server.Empty()
	c := k.over(place)
	k.store = storetest.OpenAt(t, place, store.Options{Now: k.clock.now})
	for _, kill := range []struct {
		request int  // of the exchange's answers, the one before which the server is killed
		back    bool // it is started again at once
	}{{1, false}, {4, true}, {7, false}} {
		k.goOn()
		requests, killed := 0, false
		k.answers(func(http.ResponseWriter, *http.Request) bool {
			if requests++; requests == kill.request {
				server.Kill()
				if killed = true; kill.back {
					server.Wake()
				}
			}
			return false
		})
		report, err := c.Collect(t.Context(), k.everything())
		k.answers(nil)
		if !killed || err == nil && !kill.back {
			t.Errorf("killed at request %d (%t), the run is %+v (%v)", kill.request, killed, report, err)
		}
		if !kill.back {
			server.Wake()
		}
		k.isWhole(k.chronicle)
		k.completes(c)
		k.changesNothing(c)
	}
	k.verifies()
}

// If the process that collects is killed with a window in hand or at a request to the
// database, another process completes the data as soon as the lease of the dead one ends.
func TestCollectorIsKilledOnPostgres(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	k := newKilling(t, 23)
	place, cut := storetest.NewCut(t, k.path)
	work := func(at crashtest.Aim) task {
		k.goOn()
		return task{Path: place, URL: k.url, Zone: "UTC", Now: k.clock.now().UnixMilli(), History: k.history, Since: k.since(), Aim: at}
	}
	if startChild(k, work(crashtest.Aim{})).killed() {
		t.Fatal("a child ended before it was killed")
	}
	before := cut.Requests()
	if startChild(k, work(crashtest.Aim{})).killed() {
		t.Fatal("a child ended before it was killed")
	}
	requests := cut.Requests() - before
	c := k.over(k.path)
	for _, tenth := range []int{0, 2, 4, 7} { // of the requests; 0: with a window in hand
		if tenth == 0 {
			if !startChild(k, work(crashtest.Aim{Point: crashpoint.WindowRead, N: 2})).killed() {
				t.Error("not killed with the second window")
			}
		} else {
			started := make(chan *child, 1)
			cut.Call(requests*tenth/10, func() {
				dies := <-started
				_ = dies.Process.Kill() // it is killed, or has ended
			})
			dies := startChild(k, work(crashtest.Aim{}))
			started <- dies
			if killed := dies.killed(); !killed || !cut.Happened() {
				t.Errorf("not killed after %d tenths of %d requests", tenth, requests)
			}
		}
		k.isWhole(k.chronicle)
		for end := time.Now().Add(time.Minute); time.Now().Before(end); {
			if _, err := c.Collect(t.Context(), k.everything()); !errors.Is(err, store.ErrLocked) {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		k.completes(c)
	}
	k.verifies()
}
