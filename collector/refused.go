package collector

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/store/payments"
)

// Bills and transfers are not needed for commissions, and a key may lack the permission to read
// them. The exchange may also give them for recent days only. Either is recorded and said, and
// stops nothing else.

// refusals are the refused streams of an account.
type refusals map[affiliate.StreamKind]payments.Refusal

// refusalsOf reads the refused streams of the account.
func (r *run) refusalsOf(ctx context.Context) (refusals, error) {
	list, err := payments.Refusals(ctx, r.options.Store.Readers())
	if err != nil {
		return nil, err
	}
	refused := refusals{}
	for _, f := range list {
		if f.Account == r.account.Name {
			refused[f.Stream] = f
		}
	}
	return refused, nil
}

// asks reports whether a day of the stream is to be requested, given what the exchange refused
// before. Scheduled runs try a stream that is refused altogether once an hour. Days before the
// first that the exchange gives are left out; the newest of them is tried once a day, in case
// the exchange gives more than before. now is the time of this machine.
func (f refusals) asks(kind affiliate.StreamKind, day affiliate.Day, now time.Time, scheduled bool) bool {
	refused, known := f[kind]
	if !known {
		return true
	}
	again := func(after time.Duration) bool {
		return !refused.Last.Time().Truncate(after).Equal(now.Truncate(after))
	}
	if !refused.Partial() {
		return !scheduled || again(time.Hour)
	}
	return day >= refused.FirstDay || day == refused.FirstDay-1 && again(24*time.Hour)
}

// refusedAccess reports whether the key may not read what was requested.
func refusedAccess(err error) bool { return exchange.ClassOf(err) == exchange.ClassPermission }

// tooOld reports whether the exchange may have refused a window because of its age: it is a
// single day, and not a recent one.
func tooOld(w window, err error, settling time.Duration, now time.Time) bool {
	return refusedRange(err) && w.days.Len() == 1 && !now.Before((w.days.Last + 1).Start(time.UTC).Add(settling))
}

// refused records that the exchange does not give a stream: none of its days, or none before a
// first one. The run goes on without them.
func (r *run) refused(ctx context.Context, w window, cause error, first affiliate.Day) error {
	r.outages, r.read = 0, true
	f := payments.Refusal{Account: r.account.Name, Stream: w.stream.Kind, Error: told(cause), FirstDay: first}
	news, err := payments.NoteRefusal(ctx, r.options.Store, f)
	if err != nil {
		return err
	}
	r.refusals[w.stream.Kind] = f
	switch {
	case f.Partial():
		r.plan.leave(w.stream, first)
		if news {
			r.log.Warn("the exchange does not give older days", "account", f.Account, "stream", w.stream.String(), "first_day", first, "error", cause)
		}
	default:
		r.plan.leave(w.stream, never)
		if news {
			r.log.Warn("stream refused: earned is not compared with paid until the key may read it", "account", f.Account, "stream", w.stream.String(), "error", cause)
		}
	}
	return nil
}

// given records that a window of a stream was read that the exchange refused before.
func (r *run) given(ctx context.Context, w window) error {
	refused, known := r.refusals[w.stream.Kind]
	if !known || refused.Partial() && w.days.First >= refused.FirstDay {
		return nil
	}
	delete(r.refusals, w.stream.Kind)
	r.log.Info("the exchange gives the stream again", "account", r.account.Name, "stream", w.stream.String())
	return payments.ClearRefusal(ctx, r.options.Store, r.account.Name, w.stream.Kind)
}
