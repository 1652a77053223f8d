package okx_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/collector"
	"rebatedesk/collector/collectortest"
	"rebatedesk/exchange/okx"
	"rebatedesk/exchange/okx/simulator"
	"rebatedesk/exchange/simulated"
)

// odd is the simulated exchange with answers of invitees or bills that a test changes.
type odd struct {
	*simulator.Server
	change atomic.Pointer[func(r *http.Request, body string) string]
}

func (o *odd) Handler() http.Handler {
	inner := o.Server.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		change := o.change.Load()
		if change == nil || !strings.Contains(r.URL.Path, "/affiliate/") && !strings.Contains(r.URL.Path, "/asset/") {
			inner.ServeHTTP(w, r)
			return
		}
		whole := httptest.NewRecorder()
		inner.ServeHTTP(whole, r)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(whole.Code)
		_, _ = w.Write([]byte((*change)(r, whole.Body.String()))) // a client that is gone
	})
}

// changed makes the exchange change its answers from now on.
func (o *odd) changed(change func(r *http.Request, body string) string) { o.change.Store(&change) }

func oddScene(t *testing.T, short int) (*odd, *collectortest.Desk) {
	t.Helper()
	clock := collectortest.NewClock(start)
	sim := &odd{Server: simulator.New(simulator.Options{Short: short,
		Options: simulated.Options{Seed: 3, Days: 9, Now: clock.Now, Begin: start.AddDate(0, 0, -2).Truncate(24 * time.Hour)}})}
	return sim, collectortest.New(t, clock, sim, okx.New)
}

// holds compares the stored sums with what was added since a first reading.
func holds(t *testing.T, sim *odd, d *collectortest.Desk, first map[string]simulator.Total) {
	t.Helper()
	got := sums(d)
	for uid, total := range sim.Totals() {
		if want := total.Commission.Sub(first[uid].Commission); !got[uid].Equal(want) {
			t.Errorf("the rows of %s add up to %s, not to %s", uid, got[uid], want)
		}
	}
}

// A row that cannot be read is kept apart, on whichever day, and the others count.
func TestBadRowsAreKeptApart(t *testing.T) {
	for name, bad := range map[string][2]string{
		"figure":  {`"totalCommission":"`, `"totalCommission":"about `},
		"joining": {`"joinTime":"`, `"joinTime":"on `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, d := oddScene(t, 5)
			d.Collected()
			first := sim.Totals()
			sim.changed(func(r *http.Request, body string) string {
				if r.URL.Query().Get("page") == "1" {
					return strings.Replace(body, bad[0], bad[1], 1)
				}
				return body
			})
			for range 2 {
				d.Clock.Advance(30 * time.Hour) // the days of two
				report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test"})
				if err != nil || report.Complete || len(report.Incomplete) == 0 {
					t.Fatalf("a bad row: %v, %+v", err, report)
				}
				for _, one := range report.Incomplete {
					if !strings.Contains(one.Error, "could not be read") || one.From != one.To {
						t.Errorf("incomplete is %+v", one)
					}
				}
			}
			sim.changed(func(_ *http.Request, body string) string { return body })
			d.Clock.Advance(time.Minute)
			d.Collected()
			holds(t, sim, d, first)
			d.Verified()
		})
	}
}

// A page that is empty or comes twice although the counts promise others proves no end: who stands on
// the lost page would be taken for a newcomer later.
func TestLostPagesAreReadAgain(t *testing.T) {
	for name, c := range map[string]struct {
		page string
		as   string // "" = empty
	}{"an empty page amid others": {"2", ""}, "an empty last page": {"last", ""}, "a repeated page": {"2", "1"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, d := oddScene(t, 3)
			d.Collected()
			first := sim.Totals()
			d.Clock.Advance(30 * time.Hour)
			var pages, hits atomic.Int64
			saved := map[string]string{}
			sim.changed(func(r *http.Request, body string) string {
				if !strings.Contains(r.URL.Path, "/invitee/") {
					return body
				}
				pages.Add(1)
				page := r.URL.Query().Get("page")
				saved[page] = body
				last := strings.Contains(body, `"totalPage":"`+page+`"`)
				if (page == c.page || c.page == "last" && last) && hits.Add(1) == 1 {
					if c.as != "" {
						return saved[c.as]
					}
					from := strings.Index(body, `"data":[`) + len(`"data":[`)
					return body[:from] + body[strings.LastIndex(body, "]"):]
				}
				return body
			})
			d.Collected()
			if hits.Load() < 2 {
				t.Errorf("the page was asked for %d times", hits.Load())
			}
			holds(t, sim, d, first)
			d.Verified()
		})
	}
}

// Bills go on until a page shows only what is known; one that is empty where known bills belong proves
// no end.
func TestBillsEndWhereTheyAreKnown(t *testing.T) {
	sim, d := oddScene(t, 0)
	hits := 0
	sim.changed(func(r *http.Request, body string) string {
		if q := r.URL.Query(); strings.HasSuffix(r.URL.Path, "/asset/bills") && q.Get("type") == "150" {
			if hits++; hits == 2 {
				return `{"code":"0","msg":"","data":[]}`
			}
		}
		return body
	})
	d.Clock.Advance(24 * 24 * time.Hour)
	d.Collected()
	if got, want := len(d.Bills()), len(sim.Bills()); got != want || hits < 3 {
		t.Errorf("%d bills of %d after %d answers", got, want, hits)
	}
}

// What the exchange refuses ends the run or the window as its class says.
func TestRefusals(t *testing.T) {
	for code, ends := range map[string]bool{"50113": true, "51620": true, "50014": false} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			sim, d := oddScene(t, 0)
			asked := 0
			sim.changed(func(r *http.Request, _ string) string {
				if strings.Contains(r.URL.Path, "/invitee/") {
					asked++
				}
				return `{"code":"` + code + `","msg":"no","data":[]}`
			})
			report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test"})
			if (err != nil) != ends || report.Complete || ends && asked != 1 {
				t.Errorf("%v after %d calls, %+v", err, asked, report)
			}
			if rows := d.Rows(); len(rows) != 0 {
				t.Errorf("rows: %v", rows)
			}
		})
	}
}

// A run that is stopped amid a reading keeps what it got, and the next one counts on from there.
func TestStoppedReadingsCountOnce(t *testing.T) {
	for page := range 4 {
		t.Run(fmt.Sprint(page+1), func(t *testing.T) {
			t.Parallel()
			sim, d := oddScene(t, 3)
			d.Collected()
			first := sim.Totals()
			d.Clock.Advance(30 * time.Hour)
			ctx, cancel := context.WithCancel(t.Context())
			sim.changed(func(r *http.Request, body string) string {
				if r.URL.Query().Get("page") == fmt.Sprint(page+1) {
					cancel()
				}
				return body
			})
			report, err := d.Collect(ctx, collector.RunRequest{Cause: "test"})
			if err == nil || report.Complete {
				t.Fatalf("a stopped run: %v, %+v", err, report)
			}
			sim.changed(func(_ *http.Request, body string) string { return body })
			d.Clock.Advance(30 * time.Hour)
			d.Collected()
			holds(t, sim, d, first)
			d.Verified()
		})
	}
}
