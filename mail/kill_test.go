package mail

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"rebatedesk/internal/crashpoint"
	"rebatedesk/internal/crashtest"
	"rebatedesk/internal/race"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// task is the task of a child.
type task struct {
	Path  string
	Port  int
	Roots []byte
	Key   string // master key; empty: there are no channels
	Now   time.Time
	crashtest.Aim
}

func TestMain(m *testing.M) { crashtest.Main(m, beMailer) }

// beMailer queues the due messages and sends until none is left.
func beMailer(t task) error {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(t.Roots)
	begun := time.Now()
	now := func() time.Time { return t.Now.Add(time.Since(begun)) }
	ctx := context.Background()
	st, err := store.Open(ctx, t.Path, store.Options{Now: now})
	if err != nil {
		return err
	}
	t.Take()
	if t.Key != "" {
		return errors.Join(postFrom(ctx, st, t.Key, now), st.Close())
	}
	s := New(Options{Store: st, Reports: reports.New(st, now), From: sender, Now: now, Log: slog.New(slog.DiscardHandler),
		Server: mailer.Server{Host: "127.0.0.1", Port: t.Port, TLS: "mandatory", User: mailUser, Password: mailPassword, Roots: roots}})
	for waiting := 1; waiting > 0 && err == nil; {
		if err = errors.Join(s.queueDue(ctx), s.lookAtAlerts(ctx), s.drain(ctx, outbox.MailServer)); err != nil {
			break
		}
		if waiting, err = s.waiting(ctx); waiting > 0 {
			time.Sleep(20 * time.Millisecond)
		}
	}
	return errors.Join(err, st.Close())
}

func (s *Service) waiting(ctx context.Context) (int, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	o, err := outbox.ReadMailHealth(ctx, r, 0)
	return o.Waiting, err
}

// talks are the points around the talk with a server or receiver.
var talks = []crashtest.Aim{{Point: crashpoint.Taken, N: 1}, {Point: crashpoint.Taken, N: 3}, {Point: crashpoint.Talked, N: 1}, {Point: crashpoint.Talked, N: 3}}

// If the process is killed at any step of a summary, each recipient still gets it once,
// and gets a second copy with the same Message-ID only if the process died between the
// server's answer and its recording.
func TestSoakKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	race.Skip(t, "killed processes, which tell of no race")
	o := newMailServer(t)
	roots, to := o.roots(t), fourRecipients()
	crashtest.Each(t, talks, 18, func(at crashtest.Aim) bool {
		path := filepath.Join(t.TempDir(), "mail.db")
		storetest.Place(t, path)
		d := &fixture{TB: t, now: morning.Add(-24 * time.Hour)}
		d.open(path, o.Server)
		d.collect(daysOf(first-1, first), programme(daysOf(first-1, first-1))...)
		d.schedule(func(s *outbox.Subscription) { s.Recipients, s.AttachXLSX = to, false })
		d.now = morning
		d.collect(daysOf(first-1, first+1), programme(daysOf(first-1, first))...)
		o.forget()
		job := task{Path: path, Port: o.Port, Roots: roots, Now: morning, Aim: at}
		killed := crashtest.Run(t, job)
		queued := d.allOrNothing(at, len(d.log()))
		job.goOn(t)
		d.afterKill(o, at, killed && queued, d.log())
		return killed
	})
}

// goOn runs two children to their end, after the deliveries of a dead one are free
// again.
func (t task) goOn(tb testing.TB) {
	tb.Helper()
	t.N, t.Now = 0, t.Now.Add(leaseFor)
	for range 2 {
		if crashtest.Run(tb, t) {
			tb.Fatal("a run after the crash failed")
		}
	}
}

// allOrNothing reports whether a message was queued, which it is for all four
// recipients or for none.
func (d *fixture) allOrNothing(at crashtest.Aim, deliveries int) (queued bool) {
	d.Helper()
	if deliveries != 0 && deliveries != 4 || at.Point != 0 && deliveries == 0 {
		d.Errorf("%s: %d deliveries were left behind", at, deliveries)
	}
	return deliveries > 0
}

// roots returns the certificate by which the server is trusted.
func (o *mailServer) roots(t testing.TB) []byte {
	t.Helper()
	certificate, err := x509.ParseCertificate(o.smtp.TLSConfig.Certificates[0].Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
}

// forget deletes all letters.
func (o *mailServer) forget() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.kept = nil
}

func fourRecipients() (to []outbox.Recipient) {
	for i := range 4 {
		to = append(to, outbox.Recipient{Address: fmt.Sprintf("r%d@example.com", i)})
	}
	return to
}

// afterKill compares the received mails with the expected ones: one mail to each of
// four recipients. sending means that the process may have died while it sent.
func (d *fixture) afterKill(o *mailServer, at crashtest.Aim, sending bool, log []outbox.Attempt) {
	d.Helper()
	if len(log) != 4 {
		d.Errorf("%s: %d deliveries are in the log, want 4", at, len(log))
	}
	copies := 0
	for _, one := range log {
		got := o.copies(one.Recipient)
		if one.State != outbox.Sent || len(got) == 0 {
			d.Errorf("%s: missing: %+v", at, one)
		}
		for _, c := range got {
			if c.id != "<"+one.HeaderID+">" || !bytes.Equal(c.content, got[0].content) {
				d.Errorf("%s: %s got %s besides", at, one.Recipient, c.id)
			}
		}
		copies += len(got)
	}
	// The other connection may have been at any step when the process died.
	most := 4
	if sending {
		most = 4 + connections
	}
	if copies > most {
		d.Errorf("%s: %d copies of 4", at, copies)
	}
	if at.Point == crashpoint.Talked && copies == 4 {
		d.Errorf("%s: no second copy, so the test kills at the wrong step", at)
	}
}
