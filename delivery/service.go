package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/delivery/carrier"
	"rebatedesk/dispatch"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
)

// Options configure a service.
type Options struct {
	Store        *store.Store
	Reports      *reports.Service
	Destinations carrier.Settings
	Now          func() time.Time
	Log          *slog.Logger
}

// Service delivers exports.
type Service struct {
	store    *store.Store
	reports  *reports.Service
	settings carrier.Settings
	now      func() time.Time
	log      *slog.Logger
	wake     chan struct{}
	making   chan struct{}    // a place for each file that is made at once
	workers  dispatch.Workers // one for each delivery
	looked   sync.Map         // when an incomplete file was last compared with what is collected
}

const (
	// makeAtOnce limits the files that are made at once: each takes memory.
	makeAtOnce = 2
	// leaseFor is how long other processes leave a file alone if its worker dies; the worker
	// renews the lease at renewEvery.
	leaseFor, renewEvery = 2 * time.Minute, 30 * time.Second
	// tryWithin is how long one try may take, also of a destination that accepts a byte a minute.
	tryWithin = time.Hour
	// completeEvery is how often an incomplete file is compared with what is collected, and
	// completeFor how long after it was sent.
	completeEvery, completeFor = 10 * time.Minute, 62 * 24 * time.Hour
)

// New returns a service.
func New(o Options) *Service {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{store: o.Store, reports: o.Reports, settings: o.Destinations, now: o.Now, log: o.Log,
		wake: make(chan struct{}, 1), workers: dispatch.Workers{Log: o.Log}, making: make(chan struct{}, makeAtOnce)}
}

// Run delivers what is due until ctx ends. Of the nodes that share a database one does it, see
// [store.Store.Lead].
func (s *Service) Run(ctx context.Context) {
	s.store.Lead(ctx, store.DeliveryLease, s.log, s.run)
}

func (s *Service) run(ctx context.Context) {
	defer s.workers.Wait()
	dispatch.Run(ctx, dispatch.LookEvery, s.wake, store.Requested(ctx), func() {
		dispatch.Safely(s.log, "looking for scheduled deliveries", func() error { return s.look(ctx) })
	})
}

// Wake triggers an immediate check, of whichever node delivers.
func (s *Service) Wake(ctx context.Context) error {
	dispatch.Wake(s.wake)
	return s.store.Ask(ctx, store.DeliveryLease)
}

// look gives each active delivery a worker that has none. A delivery whose destination hangs
// delays no other.
func (s *Service) look(ctx context.Context) error {
	list, err := s.Deliveries(ctx)
	if err != nil {
		return err
	}
	for _, d := range list {
		if !d.Paused.Known() {
			s.workers.Start(d.ID, 1, fmt.Sprintf("the scheduled delivery %q", d.Name), func() error { return s.serve(ctx, d) })
		}
	}
	return nil
}

// serve queues what is due of a delivery and delivers what is ready, until nothing is or a try
// fails.
func (s *Service) serve(ctx context.Context, d outbox.Delivery) error {
	if err := s.queueDue(ctx, d); err != nil {
		return err
	}
	if err := s.queueCompleted(ctx, d); err != nil {
		return err
	}
	// A pause that seems to last longer than any was set by a clock that has been set back since.
	if wait := d.Next.Time().Sub(s.now()); d.Next.Known() && wait > 0 && wait <= dispatch.Pause(d.Failures) {
		return nil
	}
	for ctx.Err() == nil {
		one, found, err := s.nextReady(ctx, d)
		if err != nil || !found {
			return err
		}
		if _, failed, err := s.try(ctx, d, one.ID); err != nil || failed != nil {
			if errors.Is(err, outbox.ErrLeaseLost) {
				return nil
			}
			return err // a failed try is recorded, and the delivery pauses
		}
	}
	return ctx.Err()
}

// queueDue queues the periods that are due and were never queued.
func (s *Service) queueDue(ctx context.Context, d outbox.Delivery) error {
	due := times(d, s.store.Zone()).Due(d.After, s.now())
	if len(due) == 0 {
		return nil
	}
	list, err := s.between(ctx, d, affiliate.Days{First: due[0].Last, Last: due[len(due)-1].Last})
	if err != nil {
		return err
	}
	known := map[affiliate.Day]bool{}
	for _, one := range list {
		known[one.Days.Last] = true
	}
	var queue []outbox.File
	for i, p := range due {
		if known[p.Last] {
			continue
		}
		one := outbox.File{Days: p.Days, State: outbox.Waiting}
		switch behind := len(due) - 1 - i; {
		case behind > 0 && d.Content != OfPeriod:
			one.State, one.Answer = outbox.Skipped, "The next delivery has everything that this one would have had."
		case behind >= mostBehind:
			one.State, one.Answer = outbox.Skipped, fmt.Sprintf("It was missed, and only the newest %d missed periods are caught up. Run it by hand to have it.", mostBehind)
		}
		queue = append(queue, one)
	}
	if len(queue) == 0 {
		return nil
	}
	_, err = outbox.QueueFiles(ctx, s.store, d.ID, queue)
	return err
}

// queueCompleted queues periods again that were delivered incomplete and are collected
// completely by now.
func (s *Service) queueCompleted(ctx context.Context, d outbox.Delivery) error {
	if !waits(d) {
		return nil
	}
	now := s.now()
	today := affiliate.DayOf(now, s.store.Zone())
	list, err := s.between(ctx, d, affiliate.Days{First: today - 124, Last: today})
	if err != nil {
		return err
	}
	newest := map[affiliate.Day]outbox.File{}
	for _, one := range list {
		newest[one.Days.Last] = one
	}
	for _, one := range newest {
		if one.State != outbox.Incomplete || now.Sub(one.Ended.Time()) > completeFor {
			continue
		}
		if last, ok := s.looked.Load(one.ID); ok && now.Sub(last.(time.Time)).Abs() < completeEvery {
			continue
		}
		s.looked.Store(one.ID, now)
		if complete, err := s.covered(ctx, d, one.Days); err != nil || !complete {
			if err != nil {
				return err
			}
			continue
		}
		if _, err := outbox.QueueAgain(ctx, s.store, d.ID, one.Days, nil); err != nil {
			return err
		}
	}
	return nil
}

// nextReady returns what a delivery delivers next.
func (s *Service) nextReady(ctx context.Context, d outbox.Delivery) (one outbox.File, found bool, err error) {
	list, err := store.Reading(ctx, s.store, func(r *store.Tx) ([]outbox.File, error) { return outbox.WaitingFiles(ctx, r, d.ID) })
	if err != nil {
		return one, false, err
	}
	for _, one := range list {
		if one.Held(affiliate.MillisOf(s.now())) {
			continue
		}
		ready, err := s.ready(ctx, d, one)
		if err != nil || ready {
			return one, ready, err
		}
	}
	return one, false, nil
}

// ready reports whether a file need not wait: for its period to be collected, or for the
// deadline by which it is delivered incomplete.
func (s *Service) ready(ctx context.Context, d outbox.Delivery, one outbox.File) (bool, error) {
	if one.Forced || one.AsOf.Known() || !waits(d) {
		return true, nil
	}
	period := dispatch.Period{Every: lengths[d.Every], Days: one.Days}
	ready, _, err := times(d, s.store.Zone()).Ready(period, s.now(), func() (bool, error) { return s.covered(ctx, d, one.Days) })
	return ready, err
}

// Deliveries lists the deliveries by name.
func (s *Service) Deliveries(ctx context.Context) ([]outbox.Delivery, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) ([]outbox.Delivery, error) { return outbox.Deliveries(ctx, r) })
}

// between lists the files of the periods of a delivery that end in a range of days.
func (s *Service) between(ctx context.Context, d outbox.Delivery, ends affiliate.Days) ([]outbox.File, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) ([]outbox.File, error) { return outbox.FilesBetween(ctx, r, d.ID, ends) })
}

// Delivery returns one. One that does not exist is a *[store.RuleError].
func (s *Service) Delivery(ctx context.Context, id int64) (outbox.Delivery, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) (outbox.Delivery, error) { return outbox.ReadDelivery(ctx, r, id) })
}

// Files lists the files of a delivery, newest first, before the one of an ID if it is
// not 0.
func (s *Service) Files(ctx context.Context, id, before int64, limit int) ([]outbox.File, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) ([]outbox.File, error) { return outbox.Files(ctx, r, id, before, limit) })
}

// FilesQueued lists the newest files of all deliveries that were queued after an instant and up to another
// one, of a state if one is given.
func (s *Service) FilesQueued(ctx context.Context, after, until affiliate.Millis, state outbox.State, limit int) ([]outbox.File, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) ([]outbox.File, error) {
		return outbox.FilesQueued(ctx, r, after, until, state, limit)
	})
}

// NextDue returns when the next period of a delivery is due.
func (s *Service) NextDue(d outbox.Delivery) time.Time {
	return times(d, s.store.Zone()).Next(s.now())
}

// Save stores a delivery, a new one if its ID is 0. It begins with the next period that is due.
func (s *Service) Save(ctx context.Context, d outbox.Delivery, by audit.Line) (int64, error) {
	zone, now := s.store.Zone(), s.now()
	d, err := Check(d, now, zone)
	if err == nil {
		err = s.checkPlace(ctx, d)
	}
	if err != nil {
		return 0, err
	}
	d.After = times(d, zone).Newest(now).Last
	return outbox.SaveDelivery(ctx, s.store, d, by)
}

// Pause pauses or resumes a delivery. A resumed one goes on with the next period that is due.
func (s *Service) Pause(ctx context.Context, d outbox.Delivery, paused bool, by audit.Line) error {
	d.After = times(d, s.store.Zone()).Newest(s.now()).Last
	return outbox.PauseDelivery(ctx, s.store, d, paused, by)
}

// Remove ends a delivery. Its files stay where they are.
func (s *Service) Remove(ctx context.Context, d outbox.Delivery, by audit.Line) error {
	return outbox.RemoveDelivery(ctx, s.store, d, by)
}

// NewestPeriod returns the newest period of a delivery that is over.
func (s *Service) NewestPeriod(d outbox.Delivery) affiliate.Days {
	t, now := times(d, s.store.Zone()), s.now()
	p := t.Every.Of(affiliate.DayOf(now, t.Days))
	for t.Over(p).After(now) {
		p = p.Previous()
	}
	return p.Days
}

// PeriodOver returns the period of a delivery that contains a day. One that is not over is a
// *[store.RuleError].
func (s *Service) PeriodOver(d outbox.Delivery, day affiliate.Day) (affiliate.Days, error) {
	t := times(d, s.store.Zone())
	p := t.Every.Of(day)
	if t.Over(p).After(s.now()) {
		return p.Days, &store.RuleError{Problem: fmt.Sprintf("The %s of %s is not over: choose a day before.", d.Every, day), Field: "date"}
	}
	return p.Days, nil
}

// Ask queues a period of a delivery again. The node that delivers then delivers it without
// waiting for coverage.
func (s *Service) Ask(ctx context.Context, d outbox.Delivery, days affiliate.Days, by audit.Line) error {
	if _, err := outbox.QueueAgain(ctx, s.store, d.ID, days, &by); err != nil {
		return err
	}
	return s.Wake(ctx)
}

// DeliverNow delivers a period of a delivery in this process and waits for the result. The first
// error is that of the delivery, which is not repeated by this process.
func (s *Service) DeliverNow(ctx context.Context, d outbox.Delivery, days affiliate.Days, by audit.Line) (done outbox.File, failed, err error) {
	id, err := outbox.QueueAgain(ctx, s.store, d.ID, days, &by)
	if err != nil {
		return done, nil, err
	}
	for end := s.now().Add(tryWithin); ; {
		if done, failed, err = s.try(ctx, d, id); !errors.Is(err, outbox.ErrLeaseLost) {
			return done, failed, err
		}
		// Another process is at it, or has done it meanwhile.
		done, err = store.Reading(ctx, s.store, func(r *store.Tx) (outbox.File, error) { return outbox.ReadFile(ctx, r, id) })
		switch {
		case err != nil || done.State != outbox.Waiting:
			return done, nil, err
		case s.now().After(end):
			return done, errors.New("another process is still delivering it: look at the log of the delivery"), nil
		}
		select {
		case <-ctx.Done():
			return done, nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
