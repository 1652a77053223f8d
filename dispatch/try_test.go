package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// The pauses between the tries of a message double up to two hours, and all of them take a day.
func TestPauses(t *testing.T) {
	var all time.Duration
	for tries := 1; tries < MostTries; tries++ {
		pause := Pause(tries)
		if want := min(time.Minute<<(tries-1), 2*time.Hour); pause != want {
			t.Errorf("after %d tries: %s, want %s", tries, pause, want)
		}
		all += pause
	}
	if all < 22*time.Hour || all > 24*time.Hour {
		t.Errorf("all tries take %s", all)
	}
}

// What follows from an answer is the same for every medium: a message is sent, tried again or given
// up, and one sent by hand is given up at once unless it may have arrived.
func TestResult(t *testing.T) {
	now := time.Date(2026, time.September, 2, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		Tried
		tries int
		hand  bool
		want  outbox.State
		next  time.Duration
	}{
		{Tried{Verdict: Accepted}, 1, false, outbox.Sent, time.Minute},
		{Tried{Verdict: Accepted}, MostTries, true, outbox.Sent, 2 * time.Hour},
		{Tried{Verdict: Later}, 1, false, outbox.Waiting, time.Minute},
		{Tried{Verdict: Later, After: time.Hour}, 1, false, outbox.Waiting, time.Hour},
		{Tried{Verdict: Later, After: time.Second}, 3, false, outbox.Waiting, 4 * time.Minute},
		{Tried{Verdict: Later}, MostTries - 1, false, outbox.Waiting, 2 * time.Hour},
		{Tried{Verdict: Later}, MostTries, false, outbox.Dead, 2 * time.Hour},
		{Tried{Verdict: Later, Doubt: true}, MostTries, false, outbox.Dead, 2 * time.Hour},
		{Tried{Verdict: Later}, 1, true, outbox.Dead, time.Minute},
		{Tried{Verdict: Later, Doubt: true}, 1, true, outbox.Waiting, time.Minute},
		{Tried{Verdict: Refused}, 1, false, outbox.Dead, time.Minute},
		{Tried{Verdict: Refused, Doubt: true}, 1, true, outbox.Dead, time.Minute},
		{Tried{Verdict: Closed}, 1, false, outbox.Waiting, time.Minute},
		{Tried{Verdict: Closed}, MostTries, false, outbox.Waiting, 2 * time.Hour},
		{Tried{Verdict: Closed}, 1, true, outbox.Dead, time.Minute},
	} {
		c.Answer = "so it is"
		if got := c.Result(now, c.tries, !c.hand); got.State != c.want || got.Next != now.Add(c.next) || got.Answer != c.Answer {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// The result of a try is recorded though the database was away for a moment, and though the program
// is ending. If another worker has the message meanwhile, the caller learns of it, unless the result
// was recorded by a try whose answer was lost.
func TestNote(t *testing.T) {
	st, log := storetest.Audited(t), slog.New(slog.DiscardHandler)
	away := errors.New("the database is away")
	ending, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		name    string
		ctx     context.Context
		answers []error
		want    error
	}{
		{"at once", t.Context(), []error{nil}, nil},
		{"the third time", t.Context(), []error{away, away, nil}, nil},
		{"while the program is ending", ending, []error{away, nil}, nil},
		{"another worker has it", t.Context(), []error{outbox.ErrLeaseLost}, outbox.ErrLeaseLost},
		{"recorded, and the answer lost", t.Context(), []error{away, outbox.ErrLeaseLost}, nil},
	} {
		calls := 0
		err := Note(c.ctx, st, log, func(ctx context.Context) error {
			if ctx.Err() != nil {
				t.Errorf("%s: the context has ended", c.name)
			}
			calls++
			return c.answers[calls-1]
		})
		if !errors.Is(err, c.want) || c.want == nil && err != nil || calls != len(c.answers) {
			t.Errorf("%s: %v after %d calls", c.name, err, calls)
		}
	}
}

// A place has no more workers than it may have, a worker that hangs holds up no other place, and one
// that panics or fails leaves its place to the next.
func TestWorkers(t *testing.T) {
	w := Workers{Log: slog.New(slog.DiscardHandler)}
	var begun, other atomic.Int32
	hang := make(chan struct{})
	for range 3 {
		w.Start(1, 2, "hanging", func() error { begun.Add(1); <-hang; return nil })
	}
	done := make(chan struct{})
	w.Start(2, 1, "other", func() error { other.Add(1); close(done); panic("broken") })
	<-done
	close(hang)
	w.Wait()
	w.Start(2, 1, "other", func() error { other.Add(1); return errors.New("failed") })
	w.Start(1, 1, "again", func() error { begun.Add(1); return nil })
	w.Wait()
	if got := fmt.Sprint(begun.Load(), other.Load()); got != "3 2" {
		t.Errorf("begun: %s", got)
	}
}
