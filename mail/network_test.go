package mail

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// nextMorning lets a day pass and collects it, so that its summary is due.
func (d *fixture) nextMorning() {
	d.Helper()
	d.now = d.now.Add(24 * time.Hour)
	today := first + 1 + affiliate.Day(d.now.Sub(morning)/(24*time.Hour))
	d.collect(daysOf(today-1, today), programme(daysOf(today-1, today-1))...)
}

// hasArrived requires that the newest message is recorded as sent and that each recipient
// has exactly one copy of it.
func (d *fixture) hasArrived(o *mailServer, at string) {
	d.Helper()
	list, err := d.Deliveries(d.Context(), outbox.AttemptQuery{Limit: 4})
	if err != nil || len(list) != 4 {
		d.Fatal(err, list)
	}
	for _, one := range list {
		got := o.copies(one.Recipient)
		if one.Message != list[0].Message || one.State != outbox.Sent || len(got) != 1 || got[0].id != "<"+one.HeaderID+">" {
			d.Errorf("%s: %d copies of %+v", at, len(got), one)
		}
	}
}

// cutMail returns a fixture with a summary due each morning to four recipients, and another
// one that reaches the same database through a network that can be cut.
func cutMail(t *testing.T, o *mailServer) (d, through *fixture, cut *storetest.Cut) {
	t.Helper()
	d, through = newFixture(t, o.Server), &fixture{TB: t, now: morning}
	place, cut := storetest.NewCut(t, d.path)
	through.open(place, o.Server)
	d.nextMorning()
	d.schedule(func(s *outbox.Subscription) { s.Recipients, s.AttachXLSX = fourRecipients(), false })
	return d, through, cut
}

// If the connection to the database is cut at any request while mail is sent, each recipient
// gets each message once: the process knows what the mail server has accepted, and records
// it over another connection.
func TestConnectionIsCutWhileMailIsSent(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	o := newMailServer(t)
	d, through, cut := cutMail(t, o)
	broken := 0
	begin := func() {
		o.forget()
		d.nextMorning()
		through.now = d.now
		d.queueAll()
	}
	begin()
	cuts := cut.Each(storetest.Every(8, 4), false, func() {
		if err := through.Service.drain(t.Context(), outbox.MailServer); err != nil {
			broken++
		}
	}, func(at storetest.Break) {
		through.now = through.now.Add(leaseFor)
		if err := through.Service.drain(t.Context(), outbox.MailServer); err != nil {
			t.Fatal(at, err)
		}
		d.hasArrived(o, at.String())
		begin()
	})
	if cuts < 24 || broken == 0 || broken == cuts {
		t.Errorf("%d cuts, and %d of them ended the sending", cuts, broken)
	}
}

// If the connection is cut at any request while a summary is queued, it is queued for all
// recipients or for none, and once in the end.
func TestConnectionIsCutWhileMailIsQueued(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	o := newMailServer(t)
	d, through, cut := cutMail(t, o)
	next := func() {
		d.nextMorning()
		through.now = d.now
	}
	next()
	queued := 0
	cuts := cut.Each(storetest.Every(2, 41), false, func() {
		_ = through.Service.queueDue(t.Context()) // the cut is an error or is not, as the copies tell
	}, func(at storetest.Break) {
		if n := len(d.log()); n != 4*queued && n != 4*(queued+1) {
			t.Errorf("%s: %d deliveries after %d summaries", at, n, queued)
		}
		if err := through.Service.queueDue(t.Context()); err != nil {
			t.Fatal(at, err)
		}
		if queued++; len(d.log()) != 4*queued {
			t.Errorf("%s: %d deliveries of %d summaries", at, len(d.log()), queued)
		}
		next()
	})
	if cuts < 12 {
		t.Errorf("%d cuts", cuts)
	}
}

// If the server of the database is killed while mail is sent, and is away until the lease of
// the sender has ended, what the mail server has accepted is recorded once the database is
// back, and the other messages are sent then.
func TestServerIsKilledWhileMailIsSent(t *testing.T) {
	t.Parallel()
	server := storetest.NewServer(t)
	o := newMailServer(t)
	d := &fixture{TB: t, now: morning}
	d.open(server.Empty(), o.Server)
	d.nextMorning()
	d.schedule(func(s *outbox.Subscription) { s.Recipients, s.AttachXLSX = fourRecipients(), false })
	d.nextMorning()
	killed := make(chan struct{})
	o.letters = func(n int) {
		if n == 2 {
			server.Kill()
			close(killed)
		}
	}
	ended := make(chan struct{})
	var later atomic.Int64
	clock := func() time.Time { return d.now.Add(time.Duration(later.Load())) }
	st := storetest.OpenAt(t, d.path, store.Options{Now: clock, LeaseTime: time.Second})
	sending := New(Options{Store: st, Reports: reports.New(st, clock), Server: o.Server, From: sender, Now: clock})
	ctx, stop := contextOf(t)
	end := sync.OnceFunc(func() { close(ended) })
	var running sync.WaitGroup
	running.Go(func() {
		st.Lead(ctx, store.MailLease, nil, func(ctx context.Context) {
			context.AfterFunc(ctx, end)
			sending.run(ctx)
		})
	})
	for _, happens := range []<-chan struct{}{killed, ended} {
		select {
		case <-happens:
		case <-time.After(time.Minute):
			t.Error("the server was not killed, or the lease did not end")
		}
	}
	server.Wake()
	soon(t, "everything is recorded as sent", func() bool {
		log := d.log()
		// A message that could not be read from the database is tried again in a minute.
		if slices.ContainsFunc(log, func(one outbox.Attempt) bool { return one.State == outbox.Waiting && one.Answer != "" }) {
			later.Store(int64(dispatch.Pause(1)))
			sending.Wake()
		}
		return !slices.ContainsFunc(log, func(one outbox.Attempt) bool { return one.State != outbox.Sent })
	})
	stop()
	running.Wait()
	d.hasArrived(o, "a killed server")
}
