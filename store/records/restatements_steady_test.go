package records_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// Restatements skips the days that the log and the coverage prove steady. For any history
// of readings this omits no restatement, as of any instant.
func TestSteadyDaysRestateNothing(t *testing.T) {
	storetest.Engines(t, "statements of restatements", testSteadyDaysRestateNothing)
}

func testSteadyDaysRestateNothing(t *testing.T) {
	var steady, restated, restatedLate int
	for seed := range uint64(30) {
		h := newHistory(t, seed)
		for range 40 {
			h.step()
		}
		for _, asOf := range []affiliate.Millis{0, h.stamps[len(h.stamps)/2]} {
			filter := records.CommissionFilter{Days: storetest.AnyDays, AsOf: asOf}
			r := storetest.Reader(t, h.Store)
			want, n, _, err := records.EveryRestatement(t.Context(), r, filter)
			if err != nil {
				t.Fatal(err)
			}
			var got []records.Restatement
			for one, err := range records.Restatements(t.Context(), r, filter) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, one)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, as of %s: %d restatements, want %d", seed, asOf, len(got), len(want))
			}
			since := h.stamps[len(h.stamps)/4]
			found := len(want)
			late := slices.DeleteFunc(want, func(one records.Restatement) bool { return one.Noticed <= since })
			got = nil
			for one, err := range records.RestatementsSince(t.Context(), r, filter, since) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, one)
			}
			r.Close()
			if !slices.EqualFunc(got, late, func(a, b records.Restatement) bool { return reflect.DeepEqual(a, b) }) {
				t.Fatalf("seed %d, as of %s, noticed after %s: %d restatements, want %d", seed, asOf, since, len(got), len(late))
			}
			restatedLate += len(late)
			steady, restated = steady+n, restated+found
		}
	}
	if steady == 0 || restated == 0 || restatedLate == 0 || restatedLate == restated {
		t.Errorf("%d steady days and %d restatements, %d of them late: nothing was compared", steady, restated, restatedLate)
	}
}

// A day stays steady while other days of the same slices change.
func TestSlicesThatChangeOtherDaysLeaveADaySteady(t *testing.T) {
	storetest.Engines(t, "statements of restatements", testSlicesThatChangeOtherDaysLeaveADaySteady)
}

func testSlicesThatChangeOtherDaysLeaveADaySteady(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	run, err := records.StartRun(t.Context(), s, "main", "command")
	if err != nil {
		t.Fatal(err)
	}
	slice := storetest.Settled(affiliate.Days{First: storetest.Day, Last: storetest.Day + 1})
	slice.Run = run
	for i := range 3 {
		storetest.Replace(t, s, slice, storetest.Record(1, "1"), storetest.Record(24*60, affiliate.Number(fmt.Sprint(i))))
	}
	list, steady, days, err := records.EveryRestatement(t.Context(), storetest.Reader(t, s), records.CommissionFilter{Days: storetest.AnyDays})
	if err != nil || len(list) != 2 || steady != 1 || days != 2 {
		t.Errorf("%d restatements, %d of %d days steady (%v); want 2, and 1 of 2", len(list), steady, days, err)
	}
}

// history is a random past of a database: two accounts repeatedly read windows of several
// days, mostly as a run does, and records are added and removed.
type history struct {
	*store.Store
	t      *testing.T
	random *rand.Rand
	now    time.Time // exchange time
	skew   time.Duration
	runs   map[affiliate.Account]int64
	late   int // from this step on all slices are logged
	steps  int
	truth  map[affiliate.Account][]affiliate.Commission
	stamps []affiliate.Millis // stamps near each write
}

func newHistory(t *testing.T, seed uint64) *history {
	h := &history{
		t: t, random: rand.New(rand.NewPCG(seed, 7)), now: storetest.Day.Start(time.UTC),
		runs: map[affiliate.Account]int64{}, truth: map[affiliate.Account][]affiliate.Commission{},
	}
	h.skew = time.Duration(h.random.IntN(9)-4) * time.Hour
	if seed%3 == 0 {
		h.late = h.random.IntN(40) // another process writes until then
	}
	h.Store = storetest.Open(t, store.Options{Now: func() time.Time { return h.now.Add(h.skew) }})
	for _, account := range []affiliate.Account{"main", "other"} {
		run, err := records.StartRun(t.Context(), h.Store, account, "test")
		if err != nil {
			t.Fatal(err)
		}
		h.runs[account] = run
	}
	return h
}

// step advances the clock by some hours, changes the records of the exchange, and reads a
// window.
func (h *history) step() {
	h.now = h.now.Add(time.Duration(h.random.IntN(9*60)) * time.Minute)
	account := []affiliate.Account{"main", "other"}[h.random.IntN(2)]
	if h.random.IntN(2) == 0 {
		h.change(account)
	}
	today := affiliate.DayOf(h.now, time.UTC)
	days := affiliate.Days{First: max(storetest.Day, today-affiliate.Day(h.random.IntN(8)))}
	days.Last = min(today, days.First+affiliate.Day(h.random.IntN(4)))
	slice := records.Slice{Account: account, Stream: storetest.Spot, Days: days, Through: affiliate.MillisOf(h.now), Started: h.now.Add(h.skew)}
	if h.steps++; h.steps > h.late {
		slice.Run = h.runs[account]
	}
	h.stamps = append(h.stamps, affiliate.MillisOf(h.now.Add(h.skew)))
	if h.random.IntN(8) == 0 {
		if err := records.FailSlice(h.t.Context(), h.Store, slice, "no answer"); err != nil {
			h.t.Fatal(err)
		}
		return
	}
	var records []affiliate.Commission
	for _, c := range h.truth[account] {
		if slice.Range().Contains(c.DealTime) {
			records = append(records, c)
		}
	}
	storetest.Replace(h.t, h.Store, slice, records...)
}

// change adds a trade on any day so far, or removes or corrects one.
func (h *history) change(account affiliate.Account) {
	known := h.truth[account]
	minutes := int(h.now.Sub(storetest.Day.Start(time.UTC)).Minutes())
	amount := affiliate.Number(fmt.Sprint(h.random.IntN(1000)))
	switch at := h.random.IntN(len(known) + 1); {
	case len(known) == at || h.random.IntN(3) > 0:
		known = append(known, storetest.Record(h.random.IntN(minutes+1), amount))
	case h.random.IntN(2) == 0:
		known = append(known[:at], known[at+1:]...)
	default:
		known[at].Commission = amount
	}
	h.truth[account] = known
}
