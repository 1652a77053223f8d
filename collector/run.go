package collector

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/store"
)

// run is one pass over one account.
type run struct {
	*Collector
	account Account
	id      int64
	request Request
	plan    *plan
	before  exchange.Usage // of the client, when the run began
	report  *Report
	outages int // windows in a row that failed for want of a sound answer
}

// maxOutages is how many windows in a row may fail before the run ends: the
// exchange is down then, and asking on would only wear out its patience.
const maxOutages = 3

// do reads everything that is due. Its error is what ended the run early; what
// could not be read besides is in the report.
func (r *run) do(ctx context.Context) error {
	now, err := r.account.Client.Now(ctx)
	if err != nil {
		return err
	}
	if err := r.makePlan(ctx, now); err != nil {
		return err
	}
	r.progress.begin(r.account.Name, r.plan.total, r.now())
	deadline := r.now().Add(r.request.Within)
	for {
		w, ok := r.plan.next()
		if !ok {
			return nil
		}
		if r.request.Within > 0 && r.now().After(deadline) {
			r.plan.split(w)
			r.report.Postponed = true
			return nil
		}
		if err := r.window(ctx, w); err != nil {
			r.plan.split(w)
			return err
		}
		r.progress.advance(r.plan.total-r.plan.left(), r.spent())
	}
}

func (r *run) makePlan(ctx context.Context, now time.Time) error {
	first := affiliate.DayOf(now.Add(-r.options.History), time.UTC)
	first = min(first, r.request.Since)
	reader, err := r.options.Store.Read(ctx)
	if err != nil {
		return err
	}
	defer reader.Close()
	covered, err := reader.Coverage(ctx, r.account.Name, affiliate.Days{First: first, Last: affiliate.DayOf(now, time.UTC)})
	if err != nil {
		return err
	}
	r.plan = newPlan(r.request.streams(), covered, first, r.request.Since, now)
	return nil
}

// window reads one window and writes it. The error ends the run; a window that
// merely could not be read is noted and left for the next run.
func (r *run) window(ctx context.Context, w window) error {
	now, err := r.account.Client.Now(ctx)
	if err != nil {
		return err
	}
	r.progress.reading(w)
	slice := store.Slice{
		Account: r.account.Name, Stream: w.stream, Days: w.days, Run: r.id,
		Through: affiliate.MillisOf(now), Started: r.now(),
	}
	written, err := r.readAndWrite(ctx, w, &slice, now)
	switch {
	case err == nil:
		r.outages = 0
		r.plan.measured(w, written.Records)
		r.report.add(written)
		r.progress.wrote(written)
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errTooLong) || refusedRange(err):
		if newer, older, ok := w.halves(); ok {
			r.plan.split(newer, older)
			return nil
		}
	case fatal(err):
		return err
	}
	return r.failed(ctx, w, slice, err)
}

// readAndWrite is the window from the exchange to the store, by its kind.
func (r *run) readAndWrite(ctx context.Context, w window, slice *store.Slice, now time.Time) (store.Written, error) {
	before := r.usage().Requests
	var write func() (store.Written, error)
	var err error
	switch w.stream.Kind {
	case affiliate.Commissions:
		var records []affiliate.Commission
		records, err = r.readCommissions(ctx, w, now)
		write = func() (store.Written, error) { return r.options.Store.ReplaceCommissions(ctx, *slice, records) }
	case affiliate.Invitees:
		var records []affiliate.Invitee
		records, err = r.readInvitees(ctx, w, now)
		write = func() (store.Written, error) { return r.options.Store.ReplaceInvitees(ctx, *slice, records) }
	case affiliate.SubAffiliates:
		var records []affiliate.SubAffiliateDay
		records, err = r.readSubAffiliateDays(ctx, w, now)
		write = func() (store.Written, error) { return r.options.Store.ReplaceSubAffiliateDays(ctx, *slice, records) }
	default:
		err = fmt.Errorf("no way to read %s", w.stream)
	}
	slice.Requests = int(r.usage().Requests - before)
	if err != nil {
		return store.Written{}, err
	}
	return write()
}

// failed notes a window that could not be read.
func (r *run) failed(ctx context.Context, w window, slice store.Slice, cause error) error {
	r.log.Warn("window not read", "account", r.account.Name, "stream", w.stream.String(),
		"from", w.days.First, "to", w.days.Last, "error", cause)
	r.report.Incomplete = append(r.report.Incomplete, r.incomplete(w, cause.Error()))
	r.progress.failed(cause)
	if err := r.options.Store.FailSlice(ctx, slice, cause.Error()); err != nil {
		return fmt.Errorf("noting that %s %s could not be read (%w): %w", w.stream, w.days.First, cause, err)
	}
	if r.outages++; r.outages >= maxOutages {
		return fmt.Errorf("%d windows in a row could not be read, the last because of: %w", r.outages, cause)
	}
	return nil
}

// fatal reports whether an error would meet every other window too: the key is
// wrong, the account may not ask, or the database does not take the records.
func fatal(err error) bool {
	switch exchange.ClassOf(err) {
	case exchange.ClassAuth, exchange.ClassPermission, exchange.ClassClock:
		return true
	case "":
		return true // not the exchange's: a failure of our own
	}
	return false
}

// refusedRange reports whether the exchange may have taken offence at the
// length of the window.
func refusedRange(err error) bool { return exchange.ClassOf(err) == exchange.ClassValidation }

func (r *run) usage() exchange.Usage { return r.account.Client.Usage() }

// spent is what the run has cost so far.
func (r *run) spent() exchange.Usage {
	now := r.usage()
	return exchange.Usage{Requests: now.Requests - r.before.Requests, Weight: now.Weight - r.before.Weight}
}
