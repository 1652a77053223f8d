package okx_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/collector"
	"rebatedesk/collector/collectortest"
	"rebatedesk/exchange/okx"
	"rebatedesk/exchange/okx/simulator"
	"rebatedesk/exchange/simulated"
)

var start = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func scene(t *testing.T, o simulator.Options) (*simulator.Server, *collectortest.Desk) {
	t.Helper()
	clock := collectortest.NewClock(start)
	o.Options = simulated.Options{Seed: 3, Days: 9, Now: clock.Now, Begin: start.AddDate(0, 0, -2).Truncate(24 * time.Hour)}
	sim := simulator.New(o)
	return sim, collectortest.New(t, clock, sim, okx.New)
}

// sums adds up the commission of the stored rows of each invitee.
func sums(d *collectortest.Desk) map[string]decimal.Decimal {
	of := map[string]decimal.Decimal{}
	for _, row := range d.Rows() {
		cells := strings.Split(row, ",")
		if cells[10] != "" {
			of[cells[1]] = of[cells[1]].Add(decimal.RequireFromString(cells[10]))
		}
	}
	return of
}

// The rows of an invitee add up to its newest figure less its first one, those of a newcomer to all of
// its figure, whatever readings break off between.
func TestRowsAddUpToWhatWasAdded(t *testing.T) {
	for name, o := range map[string]simulator.Options{"pages": {Short: 5}, "faults": {Short: 5, Faults: 5}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, d := scene(t, o)
			d.Collected()
			if rows := d.Rows(); len(rows) != 0 {
				t.Fatalf("the first reading made rows: %v", rows)
			}
			first := sim.Totals()
			for n := range 6 {
				d.Clock.Advance(29 * time.Hour)
				if n == 2 && o.Faults == 0 {
					sim.Break(2)
					report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test"})
					if err == nil && report.Complete || len(d.Rows()) == 0 {
						t.Fatalf("a broken reading: %v, %+v", err, report)
					}
					sim.Break(0)
					continue
				}
				d.Collected()
			}
			now, got := sim.Totals(), sums(d)
			if len(now) <= len(first) {
				t.Fatalf("nobody joined: %d and %d", len(first), len(now))
			}
			for uid, total := range now {
				if want := total.Commission.Sub(first[uid].Commission); !got[uid].Equal(want) {
					t.Errorf("the rows of %s add up to %s, not to %s", uid, got[uid], want)
				}
			}
			before := d.Rows()
			d.Collected()
			if after := d.Rows(); !slices.Equal(before, after) {
				t.Errorf("reading the same again made rows:\n%s", strings.Join(after, "\n"))
			}
			d.Verified()
		})
	}
}

// A fall is no negative row, and what was taken back is not counted again when it returns.
func TestFallsAreNotCountedTwice(t *testing.T) {
	sim, d := scene(t, simulator.Options{})
	d.Collected()
	first := sim.Totals()
	uid := slices.Sorted(maps.Keys(first))[0]
	sim.Correct(uid, "100000")
	d.Clock.Advance(24 * time.Hour)
	d.Collected()
	if sum := sums(d)[uid]; !sum.IsZero() {
		t.Errorf("after the fall the rows add up to %s", sum)
	}
	sim.Correct(uid, "-100000")
	d.Clock.Advance(24 * time.Hour)
	d.Collected()
	if got, want := sums(d)[uid], sim.Totals()[uid].Commission.Sub(first[uid].Commission); !got.Equal(want) {
		t.Errorf("the rows add up to %s, not to %s", got, want)
	}
	for _, row := range d.Rows() {
		if strings.Contains(row, ",-") {
			t.Errorf("a row is negative: %s", row)
		}
	}
}

// All bills that pay commission are read, those of one instant too.
func TestBillsOfOneInstant(t *testing.T) {
	sim, d := scene(t, simulator.Options{})
	d.Collected()
	var want []string
	for _, b := range sim.Bills() {
		word := map[string]string{"150": "commission", "172": "sub-affiliate commission"}[b.Type]
		want = append(want, strings.Join([]string{b.At.UTC().Format("2006-01-02T15:04:05.000Z"), "funding", word, "USDT", b.Amount}, ","))
	}
	slices.Sort(want)
	if got := d.Bills(); !slices.Equal(got, want) {
		t.Errorf("%d bills of %d", len(got), len(want))
	}
}
