package mail

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/internal/crashpoint"
	"rebatedesk/internal/memdir"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

// sendFrom makes this test binary a mailing process: the child that gets
// killed. Its value is the task.
const sendFrom = "REBATEDESK_TEST_SEND_FROM"

// task is what a child is told. It ends itself at the n-th passing of a point,
// counted from 1; with Passing 0 it goes on to its end.
type task struct {
	Path    string
	Port    int
	Roots   []byte
	Now     time.Time
	Point   crashpoint.Point
	Passing int
}

func TestMain(m *testing.M) {
	if err := memdir.Use(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if text := os.Getenv(sendFrom); text != "" {
		if err := beMailer(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// beMailer queues what is due and sends until nothing is left.
func beMailer(text string) error {
	var t task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return err
	}
	t.takeAim()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(t.Roots)
	begun := time.Now()
	now := func() time.Time { return t.Now.Add(time.Since(begun)) }
	ctx := context.Background()
	st, err := store.Open(ctx, t.Path, store.Options{Now: now})
	if err != nil {
		return err
	}
	s := New(Options{Store: st, Reports: reports.New(st, now), From: sender, Now: now, Log: slog.New(slog.DiscardHandler),
		Server: mailer.Server{Host: "127.0.0.1", Port: t.Port, TLS: "mandatory", User: officeUser, Password: officePassword, Roots: roots}})
	for waiting := 1; waiting > 0 && err == nil; {
		if err = errors.Join((queuer{s}).queueDue(ctx), s.lookAtAlerts(ctx), s.box.drain(ctx)); err != nil {
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
	o, err := outbox.ReadState(ctx, r, 0)
	return o.Waiting, err
}

// takeAim has the process kill itself, with no chance to tidy up.
func (t task) takeAim() {
	if t.Passing == 0 {
		return
	}
	var passed atomic.Int64
	crashpoint.Watch(func(p crashpoint.Point) {
		if p != t.Point || passed.Add(1) != int64(t.Passing) {
			return
		}
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		if err != nil {
			panic(err)
		}
		select {} // until the signal arrives, the work must not go on
	})
}

// run is a child of its own process; killed tells how it ended.
func (t task) run(tb testing.TB) (killed bool) {
	tb.Helper()
	text, err := json.Marshal(t)
	if err != nil {
		tb.Fatal(err)
	}
	child := exec.CommandContext(tb.Context(), os.Args[0])
	child.Env = append(child.Environ(), sendFrom+"="+string(text))
	var said bytes.Buffer
	child.Stderr = &said
	err = child.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended || said.Len() > 0 {
		tb.Fatalf("%v: %s", err, said.String())
	}
	return err != nil
}

// Killed at every step of a summary, each recipient gets it in the end, once,
// and a second copy of the same Message-ID only where the process died between
// the server's answer and the note of it.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	roots, to := o.roots(t), fourRecipients()
	for _, point := range crashpoint.Mail() {
		for _, passing := range []int{1, 3} {
			path := filepath.Join(t.TempDir(), "mail.db")
			d := &desk{TB: t, now: morning.Add(-24 * time.Hour)}
			d.open(path, o.Server)
			d.collect(daysOf(first-1, first), programme(daysOf(first-1, first-1))...)
			d.schedule(func(s *outbox.Subscription) { s.Recipients, s.AttachXLSX = to, false })
			d.now = morning
			d.collect(daysOf(first-1, first+1), programme(daysOf(first-1, first))...)
			o.forget()
			job := task{Path: path, Port: o.Port, Roots: roots, Now: morning, Point: point, Passing: passing}
			killed := job.run(t)
			if few := point <= crashpoint.SummaryQueued && passing > 1; killed == few {
				t.Fatalf("%s, passing %d: killed %t", point, passing, killed)
			}
			job.Passing, job.Now = 0, job.Now.Add(leaseFor) // when what the dead one took up is free again
			for range 2 {
				if job.run(t) {
					t.Fatal("a run after the crash failed")
				}
			}
			d.afterKill(o, point, killed, d.log())
		}
	}
}

// roots is the certificate that the server is trusted by.
func (o *office) roots(t testing.TB) []byte {
	t.Helper()
	certificate, err := x509.ParseCertificate(o.smtp.TLSConfig.Certificates[0].Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
}

// forget throws all letters away.
func (o *office) forget() {
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

// afterKill holds what arrived against what was due: one mail, to each of four.
func (d *desk) afterKill(o *office, point crashpoint.Point, killed bool, log []outbox.Delivery) {
	d.Helper()
	if len(log) != 4 {
		d.Errorf("%s: %d deliveries are in the log, want 4", point, len(log))
	}
	copies := 0
	for _, one := range log {
		got := o.copies(one.Recipient)
		if one.State != outbox.DeliverySent || len(got) == 0 {
			d.Errorf("%s: missing: %+v", point, one)
		}
		for _, c := range got {
			if c.id != "<"+one.HeaderID+">" || !bytes.Equal(c.content, got[0].content) {
				d.Errorf("%s: %s got %s besides", point, one.Recipient, c.id)
			}
		}
		copies += len(got)
	}
	// The other connection may have been at any step when the process died.
	most := 4
	if killed && point >= crashpoint.DeliveryTaken {
		most = 4 + connections
	}
	if copies > most || point <= crashpoint.SummaryQueued && copies != 4 {
		d.Errorf("%s: %d copies of 4", point, copies)
	}
	if point == crashpoint.DeliveryTalked && killed && copies == 4 {
		d.Errorf("%s: no second copy, so the test kills at the wrong step", point)
	}
}
