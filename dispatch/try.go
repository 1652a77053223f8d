package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"rebatedesk/internal/crashpoint"
	"rebatedesk/internal/guard"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

// MostTries is how many tries of a message fail before it is given up. They take a day:
// greylisting takes minutes, a full disk hours; after a day a person has to be told.
const MostTries = 18

// Pause returns how long to wait after a number of failed tries: a minute, then twice as long each
// time, at most two hours.
func Pause(tries int) time.Duration {
	wait := time.Minute
	for range min(tries, 8) - 1 {
		wait *= 2
	}
	return min(wait, 2*time.Hour)
}

// Verdict says what the answer to a try means.
type Verdict int

// The verdicts.
const (
	Accepted Verdict = iota
	Later            // the receiver may accept it later
	Refused          // it is never accepted
	Closed           // the receiver accepts nothing: it has to be mended by a person
)

// Tried is what came of a try.
type Tried struct {
	Verdict
	Answer string        // for the log, without secrets
	After  time.Duration // of the pause that the receiver asked for; 0: none
	Doubt  bool          // there is no answer, and it may have arrived
}

// Result returns what follows for a message that was tried a number of times. Without again it is
// given up after a failure, because the caller learns of it at once, unless it may have arrived.
func (t Tried) Result(now time.Time, tries int, again bool) outbox.Result {
	r := outbox.Result{State: outbox.Waiting, Next: now.Add(max(Pause(tries), t.After)), Answer: t.Answer}
	switch {
	case t.Verdict == Accepted:
		r.State = outbox.Sent
	case t.Verdict == Refused, t.Verdict == Later && tries >= MostTries, !again && !t.Doubt:
		r.State = outbox.Dead
	}
	return r
}

// Try hands over what was taken. A panic is an error: it must neither end the program nor cause
// retries without a pause.
func Try(log *slog.Logger, what string, hand func() error) error {
	crashpoint.Pass(crashpoint.Taken)
	err := guard.Do(log, what, hand)
	crashpoint.Pass(crashpoint.Talked)
	return err
}

const (
	// NoteWithin is the time limit for recording the result of a try in a database that is
	// there, and lastNoteWithin the same once the program is ending.
	NoteWithin, lastNoteWithin = time.Minute, 5 * time.Second
)

// Note records the result of a try. What was sent has to be recorded, or it is sent again: even
// after a long write of another process, once a database that is away is back, while the program
// is ending, and after another node has taken over. It returns [outbox.ErrLeaseLost] if record
// does; after a try whose answer was lost, that means that it was carried out.
func Note(ctx context.Context, st *store.Store, log *slog.Logger, record func(context.Context) error) error {
	ctx = store.Unled(ctx)
	noting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastNoteWithin, cancel) })()
	begun := time.Now()
	for try := 1; ; try++ {
		err := noteOnce(noting, record)
		switch {
		case errors.Is(err, outbox.ErrLeaseLost) && try > 1:
			return nil
		case errors.Is(err, outbox.ErrLeaseLost):
			log.Warn("a delivery took longer than its lease")
			return err
		case err == nil || noting.Err() != nil || time.Since(begun) > NoteWithin && st.Ping(noting) == nil:
			return err
		case try == 1:
			log.Error("the result of a delivery could not be written, which is tried again", "error", err)
		}
		select {
		case <-noting.Done():
			return err
		case <-time.After(min(time.Duration(try)*100*time.Millisecond, 2*time.Second)):
		}
	}
}

func noteOnce(ctx context.Context, record func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, NoteWithin)
	defer cancel()
	return record(ctx)
}
