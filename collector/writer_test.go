package collector

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/store/records"
)

// waiting returns a window with that many records, which is one day of its stream.
func waiting(kind affiliate.StreamKind, day affiliate.Day, records int) fetched {
	return fetched{
		window:  window{stream: affiliate.Stream{Kind: kind}, days: affiliate.Days{First: day, Last: day}},
		Records: exchange.Records{Commissions: exchange.Reading[affiliate.Commission]{Records: make([]affiliate.Commission, records)}},
	}
}

// recorded is a writer that takes a second for each transaction, the days of
// which it notes, and refuses those with a certain day.
func recorded(refused affiliate.Day, calls *[][]affiliate.Day) *writer {
	return newWriter(func(list []fetched) ([]records.Written, error) {
		var days []affiliate.Day
		for _, f := range list {
			days = append(days, f.window.days.First)
		}
		time.Sleep(time.Second)
		*calls = append(*calls, days)
		if slices.Contains(days, refused) {
			return nil, errors.New("refused")
		}
		return make([]records.Written, len(list)), nil
	})
}

// Windows that arrive during a write are written together with the next one, in order;
// windows of other kinds are written alone.
func TestWriterWritesTogetherWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls [][]affiliate.Day
		w := recorded(0, &calls)
		for day := affiliate.Day(1); day <= 6; day++ {
			kind := affiliate.Commissions
			if day == 4 {
				kind = affiliate.Invitees
			}
			w.put(waiting(kind, day, 10))
			if day == 1 {
				synctest.Wait() // it does not wait for others
			}
		}
		if w.days() != 6 {
			t.Errorf("%d days are on their way, want 6", w.days())
		}
		w.end()
		want := [][]affiliate.Day{{1}, {2, 3}, {4}, {5, 6}}
		if !slices.EqualFunc(calls, want, slices.Equal[[]affiliate.Day]) {
			t.Errorf("written %v, want %v", calls, want)
		}
		if list := w.settled(); len(list) != 6 || w.days() != 0 {
			t.Errorf("%d windows settled, %d days are on their way", len(list), w.days())
		}
	})
}

// If several windows cannot be written together, those before the faulty one are written
// alone, and those after it are not.
func TestWriterFindsTheWindowToBlame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls [][]affiliate.Day
		w := recorded(3, &calls)
		for day := affiliate.Day(1); day <= 5; day++ {
			w.put(waiting(affiliate.Commissions, day, 10))
			if day == 1 {
				synctest.Wait()
			}
		}
		w.end()
		want := [][]affiliate.Day{{1}, {2, 3, 4, 5}, {2}, {3}}
		if !slices.EqualFunc(calls, want, slices.Equal[[]affiliate.Day]) {
			t.Errorf("tried %v, want %v", calls, want)
		}
		for _, s := range w.settled() {
			if failed := s.err != nil; failed != (s.window.days.First >= 3) {
				t.Errorf("window of day %d: %v", s.window.days.First, s.err)
			}
		}
	})
}

// Reading waits once much is queued, but one window is always accepted.
func TestWriterBoundsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls [][]affiliate.Day
		w := recorded(0, &calls)
		began := time.Now()
		w.put(waiting(affiliate.Commissions, 1, 2*mostWaiting))
		synctest.Wait()
		w.put(waiting(affiliate.Commissions, 2, mostWaiting-1))
		w.put(waiting(affiliate.Commissions, 3, 1))
		if took := time.Since(began); took != 0 {
			t.Errorf("reading waited %s for windows that fit", took)
		}
		w.put(waiting(affiliate.Commissions, 4, 2*mostWaiting))
		if took := time.Since(began); took != time.Second {
			t.Errorf("reading waited %s, want the end of a write", took)
		}
		w.end()
	})
}

// What was read is written even though the run is stopped, within the grace.
func TestLingering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped, stop := context.WithCancel(t.Context())
		ctx, cancel := lingering(stopped, writingGrace)
		defer cancel()
		stop()
		time.Sleep(writingGrace - time.Nanosecond)
		if ctx.Err() != nil {
			t.Error("the writing ended with the run")
		}
		time.Sleep(2 * time.Nanosecond)
		if ctx.Err() == nil {
			t.Error("the writing goes on after the grace")
		}
	})
}
