package collector

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/internal/guard"
	"rebatedesk/store/payments"
	"rebatedesk/store/received"
	"rebatedesk/store/records"
)

// run is one pass over one account.
type run struct {
	*Collector
	account Target
	id      int64
	request RunRequest
	plan    *plan
	before  exchange.Usage // of the client at the start of the run
	report  *RunReport
	writer  *writer // writes the windows that were read

	recorder *received.Recorder // takes the answers of a window

	refusals refusals // streams that the exchange does not give
	standing *standing
	outages  int  // consecutive windows that failed without a valid answer
	probing  bool // the exchange was down, and has not answered since
	read     bool // a window was read
}

// maxOutages is how many consecutive windows may fail before the run ends: the exchange is
// down then, and further calls would only strain it.
const maxOutages = 3

// do reads everything that is due. While windows are written the next ones are read; they
// are written in the order in which they were read. Its error is what ended the run early;
// the report lists the other failed reads.
func (r *run) do(ctx context.Context) error {
	r.progress.begin(r.account, r.now())
	var err error
	if r.recorder, err = received.NewRecorder(r.options.KeepAnswers); err != nil {
		return err
	}
	if err := r.holdBack(ctx); err != nil {
		return err
	}
	now, err := r.account.Source.Now(r.sparing(ctx))
	if err != nil {
		return err
	}
	if err := r.makePlan(ctx, now); err != nil {
		return err
	}
	r.progress.planned(r.plan.total)
	// However the reading ends, the writing must end within the run, because another
	// process may collect afterwards.
	toTheEnd, cancel := lingering(ctx, writingGrace)
	defer cancel()
	r.writer = newWriter(func(list []fetched) ([]records.Written, error) { return r.writeAll(toTheEnd, list) })
	err = guard.Do(r.log, "reading for "+string(r.account.Name), func() error { return r.readAll(ctx) })
	r.writer.end()
	if failed := r.settle(); !errors.Is(err, failed) { // readAll may have reported it
		err = errors.Join(err, failed)
	}
	return err
}

func (r *run) readAll(ctx context.Context) error {
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
		r.progress.advance(r.done(), r.spent())
	}
}

// done returns how many stream-days are stored, or known to be unreadable.
func (r *run) done() int { return r.plan.total - r.plan.left() - r.writer.days() }

// settle records the results of writing. Windows that could not be written return to the
// plan, and the first error ends the run.
func (r *run) settle() (err error) {
	list := r.writer.settled()
	for _, w := range slices.Backward(list) { // the newest is put back last, so that it is read first
		if w.err != nil {
			r.plan.split(w.window)
		}
	}
	for _, w := range list {
		if err == nil {
			err = w.err
		}
		if w.err == nil {
			r.report.add(w.written)
			r.progress.wrote(w.written)
			r.quarantined(w)
		}
	}
	r.progress.advance(r.done(), r.spent())
	return err
}

// quarantined reports the days of a written window that have records which could not be read.
func (r *run) quarantined(w settledWindow) {
	days := apart(w.quarantine)
	for _, day := range slices.Sorted(maps.Keys(days)) {
		part := w.window
		part.days = affiliate.Days{First: day, Last: day}
		r.log.Warn("records quarantined", "account", r.account.Name, "stream", part.stream.String(), "day", day, "problem", days[day], "next_try", r.nextTry())
		r.report.Incomplete = append(r.report.Incomplete, r.incomplete(part, days[day]))
	}
}

func (r *run) makePlan(ctx context.Context, now time.Time) error {
	sheet := r.account.Source.Sheet()
	if err := r.options.Store.SetExchange(ctx, r.account.Name, sheet.Name); err != nil {
		return err
	}
	first := affiliate.DayOf(now.Add(-r.options.History), time.UTC)
	first = min(first, r.request.Since)
	if err := r.options.Store.WantFrom(ctx, r.account.Name, first); err != nil {
		return err
	}
	reader, err := r.options.Store.Read(ctx)
	if err != nil {
		return err
	}
	defer reader.Close()
	if r.refusals, err = r.refusalsOf(ctx); err != nil {
		return err
	}
	var read affiliate.Millis
	if sheet.Grain == exchange.GrainSpan {
		if read, err = records.LastReading(ctx, reader, r.account.Name); err != nil {
			return err
		}
	}
	s := scope{
		sheet: sheet, streams: r.request.streams(sheet), first: first, since: r.request.Since,
		now: now, scheduled: r.request.Scheduled, refused: r.refusals, here: r.now(),
	}
	if read.Known() {
		s.read = read.Time()
	}
	covered, err := records.Coverage(ctx, reader, r.account.Name, affiliate.Days{First: s.oldestOf(), Last: affiliate.DayOf(now, time.UTC)})
	if err != nil {
		return err
	}
	r.plan = newPlan(s, covered)
	r.plan.turn = r.standing.turn
	// Each attempt at an exchange that was down tries another stream: a stream that stays
	// broken must not keep the others from being read.
	r.plan.beginWith(r.standing.outages)
	return nil
}

// window reads one window and starts to write it. An error ends the run; a window that
// merely could not be read is recorded and left for the next run.
func (r *run) window(ctx context.Context, w window) error {
	now, err := r.account.Source.Now(r.sparing(ctx))
	if err != nil {
		return err
	}
	r.progress.reading(w)
	slice := records.Slice{
		Account: r.account.Name, Stream: w.stream, Days: w.days, Run: r.id,
		Through: affiliate.MillisOf(r.account.Source.Sheet().KnownUntil(w.stream.Kind, now)), Read: affiliate.MillisOf(now), Started: r.now(),
		Partial: r.account.Source.Sheet().Of(w.stream).Partial,
	}
	before := r.usage().Requests
	got, err := r.fetch(ctx, w, now)
	slice.Requests = r.usage().Requests - before
	slice.Quarantine = got.quarantine
	got.window, got.slice = w, slice
	if got.undated && err == nil {
		err = errUndated
	}
	if r.account.Source.Sheet().Grain == exchange.GrainSpan && w.stream.Kind == affiliate.Commissions {
		if failed := r.writeTotals(ctx, &got, err == nil); failed != nil || err == nil {
			return failed
		}
	}
	switch {
	case err == nil:
		r.outages, r.read = 0, true
		r.plan.measured(w, got.len())
		if err := r.given(ctx, w); err != nil {
			return err
		}
		if got.slice.Answers, err = r.recorder.Answers(); err != nil {
			return fmt.Errorf("keeping the answers of %s %s: %w", w.stream, w.days.First, err)
		}
		return r.write(got)
	case ctx.Err() != nil:
		return ctx.Err()
	case w.stream.Kind.Money() && refusedAccess(err):
		return r.refused(ctx, w, err, 0)
	case w.stream.Kind.Money() && tooOld(w, err, r.account.Source.Sheet().Settling, now):
		return r.refused(ctx, w, err, w.days.Last+1)
	case errors.Is(err, exchange.ErrTooLong), errors.Is(err, errUndated), refusedRange(err):
		if newer, older, ok := w.halves(); ok {
			r.plan.split(newer, older)
			return nil
		}
	case isTied(err) && w.days.Len() > 1:
		r.plan.split(w.around(err)...)
		return nil
	case exchange.ClassOf(err) != "" && fatal(err): // the days were asked for, and say so
		return errors.Join(err, records.FailSlice(ctx, r.options.Store, slice, told(err)))
	case fatal(err):
		return err
	}
	return r.failed(ctx, w, slice, err)
}

// fetch reads the window from the exchange.
func (r *run) fetch(ctx context.Context, w window, now time.Time) (got fetched, err error) {
	if w.stream.Kind.Money() {
		ctx = exchange.WithRefusals(ctx)
	}
	r.recorder.Restart()
	ctx = exchange.WithAnswers(ctx, func(a exchange.RawAnswer) { r.recorder.Take(a.Request, a.Body, a.Received, a.Exchange) })
	all, err := r.account.Source.Collect(ctx, exchange.Window{
		Stream: w.stream, Days: w.days, Now: now, Most: mostRecords,
		Calls: exchange.Calls{Prepare: r.sparing, Answered: r.answered, Restart: r.recorder.Restart},
	})
	got.Records = all
	setApart(&got, w, all.Commissions, affiliate.Commission.At)
	setApart(&got, w, all.Invitees, affiliate.Invitee.At)
	setApart(&got, w, all.SubAffiliates, affiliate.SubAffiliateDay.At)
	setApart(&got, w, all.Bills, affiliate.Bill.At)
	setApart(&got, w, all.Transfers, affiliate.Transfer.At)
	setApart(&got, w, all.Totals, affiliate.Total.Instant)
	return got, err
}

// write passes a window to the writer. An error concerns an earlier window that could not
// be written.
func (r *run) write(got fetched) error {
	crashpoint.Pass(crashpoint.WindowRead)
	if err := r.settle(); err != nil {
		return err
	}
	r.writer.put(got)
	return nil
}

// writeAll stores windows: several of commissions, or one of another kind.
func (r *run) writeAll(ctx context.Context, list []fetched) (written []records.Written, err error) {
	st, first := r.options.Store, list[0]
	err = guard.Do(r.log, "writing a window", func() (err error) {
		written = make([]records.Written, 1)
		switch first.window.stream.Kind {
		case affiliate.Commissions:
			written, err = records.ReplaceCommissionSlices(ctx, st, commissionSlices(list)...)
		case affiliate.Invitees:
			written[0], err = records.ReplaceInvitees(ctx, st, first.slice, first.Invitees.Records)
		case affiliate.SubAffiliates:
			written[0], err = records.ReplaceSubAffiliateDays(ctx, st, first.slice, first.SubAffiliates.Records)
		case affiliate.SpotBills, affiliate.FundingBills, affiliate.Payouts:
			written[0], err = payments.ReplaceBills(ctx, st, first.slice, first.Bills.Records)
		default:
			written[0], err = payments.ReplaceTransfers(ctx, st, first.slice, first.Transfers.Records)
		}
		return err
	})
	return written, err
}

// failed records a window that could not be read. If its failure ends the run, it is listed
// with what the run did not reach.
func (r *run) failed(ctx context.Context, w window, slice records.Slice, cause error) error {
	r.log.Warn("window not read", "account", r.account.Name, "stream", w.stream.String(),
		"from", w.days.First, "to", w.days.Last, "error", cause, "next_try", r.nextTry())
	r.progress.failed(cause)
	if err := records.FailSlice(ctx, r.options.Store, slice, told(cause)); err != nil {
		return fmt.Errorf("noting that %s %s could not be read (%w): %w", w.stream, w.days.First, cause, err)
	}
	// An exchange that refuses a range is up; it only rejects this window. One whose records of an
	// instant cannot be told is up too.
	if !refusedRange(cause) && !isTied(cause) {
		r.outages++
	}
	if r.probing {
		return fmt.Errorf("the exchange still gives no sound answer: %w", cause)
	}
	if r.outages >= maxOutages {
		return fmt.Errorf("no usable answer %d times in a row, the last because of: %w", r.outages, cause)
	}
	r.report.Incomplete = append(r.report.Incomplete, r.incomplete(w, cause.Error()))
	return nil
}

// nextTry says when a window that could not be read is tried again.
func (r *run) nextTry() string {
	if !r.request.Scheduled {
		return "on the next run"
	}
	return "with the next run, at about " + clockTime(r.now().Add(r.options.Every)) + " at the latest"
}

// fatal reports whether an error would affect every other window too: the key is wrong, the
// account has no permission, or the database rejects the records.
func fatal(err error) bool {
	switch exchange.ClassOf(err) {
	case exchange.ClassAuth, exchange.ClassPermission, exchange.ClassClock:
		return true
	case "":
		return true // not the exchange's error, but a local failure
	}
	return false
}

// answered ends the probing if the exchange gave a valid answer, even a refusal.
func (r *run) answered(err error) {
	if err == nil || refusedRange(err) || refusedAccess(err) {
		r.probing = false
	}
}

// refusedRange reports whether the exchange may have refused the length of the window.
func refusedRange(err error) bool { return exchange.ClassOf(err) == exchange.ClassValidation }

func (r *run) usage() exchange.Usage { return r.account.Source.Usage() }

// spent returns what the run has cost so far.
func (r *run) spent() exchange.Usage {
	now := r.usage()
	return exchange.Usage{Requests: now.Requests - r.before.Requests, Weight: now.Weight - r.before.Weight}
}
