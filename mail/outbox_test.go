package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/internal/guard"
	"rebatedesk/mail/mailer"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// simple queues a small message for some recipients.
func (d *fixture) simple(to ...string) {
	d.Helper()
	m := outbox.Summary{Scope: fmt.Sprint(to, d.now), Every: "daily", Days: affiliate.Days{First: first, Last: first}, Kind: outbox.SummaryManual,
		Made: affiliate.MillisOf(d.now), From: sender.String(), Subject: "Report to " + to[0], Text: strings.Repeat("0123456789 ", 50), HTML: "<p>Report</p>",
		Attachments: []outbox.Attachment{{Name: "a.csv", Type: "text/csv", Content: bytes.Repeat([]byte("a,b\r\n"), 500)}}}
	var list []outbox.Addressee
	for _, address := range to {
		list = append(list, outbox.Addressee{Address: address, HeaderID: mailer.HeaderID(m, address, sender)})
	}
	if queued, err := outbox.QueueSummary(d.Context(), d.store, m, list); err != nil || !queued {
		d.Fatal(queued, err)
	}
}

// drain sends the messages to some places that are due, with all connections at once, and returns
// when none is left.
func (s *Service) drain(ctx context.Context, places ...int64) error {
	errs := make([]error, connections*len(places))
	var work sync.WaitGroup
	for i := range errs {
		if place := places[i/connections]; i%connections == 0 || place == outbox.MailServer {
			work.Go(func() { errs[i] = guard.Do(s.log, "sending", func() error { return s.sendAll(ctx, place) }) })
		}
	}
	work.Wait()
	return errors.Join(errs...)
}

func (d *fixture) drain() {
	d.Helper()
	if err := d.Service.drain(d.Context(), outbox.MailServer); err != nil {
		d.Fatal(err)
	}
}

func (d *fixture) delivery(to string) outbox.Attempt {
	d.Helper()
	for _, one := range d.log() {
		if one.Recipient == to {
			return one
		}
	}
	d.Fatalf("nothing was queued for %s", to)
	return outbox.Attempt{}
}

// everyFault returns cut connections and 4xx and 5xx answers at every stage.
func everyFault() (faults []fault) {
	faults = append(faults, fault{stage: mailer.StageConnect}, fault{stage: mailer.StageEnd, after: true})
	for _, stage := range []mailer.Stage{mailer.StageGreeting, mailer.StageHello, mailer.StageTLS, mailer.StageAuth, mailer.StageSender, mailer.StageRcpt, mailer.StageData, mailer.StageContent, mailer.StageEnd} {
		for _, code := range []int{0, 421, 451, 550, 554} {
			if stage == mailer.StageContent && code != 0 {
				continue // no answer exists in the middle of the content
			}
			faults = append(faults, fault{stage: stage, code: code})
		}
	}
	return faults
}

// Whatever fails at whatever stage, each recipient gets the message once the server has
// recovered; a second, identical copy arrives only if the answer to the first was lost.
// A permanent refusal is not retried.
func TestEveryFaultAtEveryStage(t *testing.T) {
	t.Parallel()
	for _, f := range everyFault() {
		t.Run(fmt.Sprintf("%s %d %t", f.stage, f.code, f.after), func(t *testing.T) {
			o := newMailServer(t)
			d := newFixture(t, o.Server)
			d.simple("a@example.com", "b@example.com", "nobody@example.com")
			o.breaks(&f)
			d.drain()
			refused := f.code >= 500 && f.stage != mailer.StageGreeting && f.stage != mailer.StageHello && f.stage != mailer.StageTLS && f.stage != mailer.StageAuth
			for _, to := range []string{"a@example.com", "b@example.com"} {
				got := d.delivery(to)
				if want := map[bool]outbox.State{true: outbox.Dead, false: outbox.Waiting}[refused]; got.State != want || got.Tries != 1 || got.Answer == "" {
					t.Fatalf("after the fault it is %+v, want %s", got, want)
				}
				if f.code != 0 && f.stage != mailer.StageTLS && !strings.Contains(got.Answer, fmt.Sprint(f.code)) && f.stage != mailer.StageAuth {
					t.Errorf("the log says %q, not what the server answered", got.Answer)
				}
				if strings.Contains(got.Answer, mailPassword) {
					t.Errorf("the password stands in the log: %q", got.Answer)
				}
			}
			o.breaks(nil)
			d.drain() // not yet: they wait
			if n := len(o.copies("a@example.com")); n != len(o.lost)/2 {
				t.Errorf("%d copies before the next try", n)
			}
			d.now = d.now.Add(dispatch.Pause(1))
			d.drain()
			o.check(t, d, refused)
		})
	}
}

// A mail that is refused for now is tried again after growing pauses, and given up after its tries,
// which take a day: by their number, since the program may not have run for days in between.
func TestMailIsGivenUpAfterItsTries(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements about messages", testMailIsGivenUpAfterItsTries)
}

func testMailIsGivenUpAfterItsTries(t *testing.T) {
	o := newMailServer(t)
	d := newFixture(t, o.Server)
	d.simple("a@example.com")
	o.breaks(&fault{stage: mailer.StageRcpt, code: 451})
	for try := 1; try <= dispatch.MostTries; try++ {
		d.drain()
		got, want := d.delivery("a@example.com"), outbox.Waiting
		if try == dispatch.MostTries {
			want = outbox.Dead
		}
		if got.Tries != try || got.State != want || want == outbox.Waiting && got.Next.Time().Sub(d.now) != dispatch.Pause(try) {
			t.Fatalf("after %d tries: %+v, next in %s", try, got, got.Next.Time().Sub(d.now))
		}
		d.now = d.now.Add(dispatch.Pause(try))
		if try == 3 {
			d.now = d.now.Add(5 * 24 * time.Hour)
		}
	}
	o.breaks(nil)
	d.drain()
	if n := len(o.copies("a@example.com")); n != 0 {
		t.Errorf("%d copies of a mail that was given up", n)
	}
}

// check compares the letters that the server has kept with the log.
func (o *mailServer) check(t testing.TB, d *fixture, refused bool) {
	t.Helper()
	for _, to := range []string{"a@example.com", "b@example.com"} {
		copies, one := o.copies(to), d.delivery(to)
		if want := map[bool]int{true: 0, false: 1 + o.lost["<"+one.HeaderID+">"]}[refused]; len(copies) != want {
			t.Errorf("%s got %d copies, want %d", to, len(copies), want)
		}
		if !refused && one.State != outbox.Sent {
			t.Errorf("%s: %+v", to, one)
		}
		for _, c := range copies {
			if c.id != "<"+one.HeaderID+">" || !bytes.Equal(c.content, copies[0].content) {
				t.Errorf("a copy of %s is another message: %s", to, c.id)
			}
		}
	}
	if one := d.delivery("nobody@example.com"); one.State != outbox.Dead || len(o.copies("nobody@example.com")) != 0 {
		t.Errorf("the bad recipient: %+v", one)
	}
	if most := o.most.Load(); most > connections {
		t.Errorf("%d messages at once", most)
	}
	soon(t, "all connections are closed", func() bool { return o.open.Load() == 0 })
}

// Messages share sessions, up to a number that servers accept. Where a server accepts
// fewer, no try is lost by it: each message is sent once, at its first try.
func TestSessionsAreShared(t *testing.T) {
	for few, atMost := range map[int]int64{0: 3, 1: 30, 7: 6} {
		o := newMailServer(t)
		o.few = few
		d := collected(t, o.Server)
		d.schedule(func(s *outbox.Subscription) {
			s.Recipients = nil
			for i := range 30 {
				s.Recipients = append(s.Recipients, outbox.Recipient{Address: fmt.Sprintf("r%d@example.com", i)})
			}
		})
		d.now = tomorrow(8, 0)
		d.readAll()
		d.queueAll()
		d.drain()
		for _, one := range d.log() {
			if one.State != outbox.Sent || one.Tries != 1 || len(o.copies(one.Recipient)) != 1 {
				t.Errorf("%d in a session: %s is %s after %d tries, %d copies", few, one.Recipient, one.State, one.Tries, len(o.copies(one.Recipient)))
			}
		}
		if n := o.signed.Load(); len(d.log()) != 30 || n > atMost || n < 30/perSession {
			t.Errorf("%d in a session: %d sessions for %d messages", few, n, len(d.log()))
		}
	}
}

// Whatever fails in the middle of sessions that messages share, each recipient gets exactly
// their own copy; a second one arrives only if the answer to the first was lost.
func TestFaultsInSharedSessions(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		o := newMailServer(t)
		d := newFixture(t, o.Server)
		var to []string
		for message := range 3 {
			var list []string
			for i := range 20 {
				list = append(list, fmt.Sprintf("r%d-%d@example.com", message, i))
			}
			d.simple(list...)
			to = append(to, list...)
		}
		for round := range 8 {
			o.mutex.Lock()
			if o.random = nil; round < 7 {
				o.random = rand.New(rand.NewPCG(seed, uint64(round)))
			}
			o.mutex.Unlock()
			d.drain()
			d.now = d.now.Add(dispatch.Pause(9))
		}
		for _, address := range to {
			one, copies := d.delivery(address), o.copies(address)
			if one.State != outbox.Sent || len(copies) != 1+o.lost["<"+one.HeaderID+">"] {
				t.Errorf("seed %d: %s is %s after %d tries, %q, with %d copies", seed, address, one.State, one.Tries, one.Answer, len(copies))
			}
			for _, c := range copies {
				subject := "Subject: Report to " + address[:strings.Index(address, "-")] + "-0@"
				if c.id != "<"+one.HeaderID+">" || !bytes.Contains(c.content, []byte("<"+address+">")) || !bytes.Contains(c.content, []byte(subject)) || !bytes.Equal(c.content, copies[0].content) {
					t.Errorf("seed %d: a copy of %s is another message: %s", seed, address, c.id)
				}
			}
		}
	}
}

// A message that could not be read completely is delivered to nobody, and completely later.
func TestMessageThatCannotBeRead(t *testing.T) {
	o := newMailServer(t)
	d := newFixture(t, o.Server)
	var to []string
	for i := range 3 * connections { // some are tried after another one in the same session
		to = append(to, fmt.Sprintf("r%d@example.com", i))
	}
	d.simple(to...)
	for _, statement := range []string{`ALTER TABLE attachments RENAME TO away`, `ALTER TABLE away RENAME TO attachments`} {
		if err := storetest.Corrupt(d.store, statement); err != nil {
			t.Fatal(err)
		}
		d.drain()
		d.now = d.now.Add(dispatch.Pause(1))
	}
	for _, address := range to {
		one, copies := d.delivery(address), o.copies(address)
		if one.State != outbox.Sent || one.Tries != 2 || len(copies) != 1 || !bytes.Contains(copies[0].content, []byte("a.csv")) {
			t.Errorf("%s is %s after %d tries; it got %d copies, or one without the file", address, one.State, one.Tries, len(copies))
		}
	}
}

// Recipients whom a server refuses at first get their mail later.
func TestGreylisting(t *testing.T) {
	o := newMailServer(t)
	o.grey = true
	d := newFixture(t, o.Server)
	d.simple("a@example.com", "b@example.com", "nobody@example.com")
	d.drain()
	if one := d.delivery("a@example.com"); one.State != outbox.Waiting || !strings.Contains(one.Answer, "greylisted") {
		t.Errorf("greylisted: %+v", one)
	}
	d.now = d.now.Add(time.Minute)
	d.drain()
	o.check(t, d, false)
}

// Tries continue for a day at growing intervals, and then end.
func TestGivenUpAfterADay(t *testing.T) {
	o := newMailServer(t)
	d := newFixture(t, o.Server)
	begun := d.now
	d.simple("a@example.com")
	o.breaks(&fault{stage: mailer.StageRcpt, code: 451})
	for d.delivery("a@example.com").State == outbox.Waiting {
		if d.now.Sub(begun) > 25*time.Hour {
			t.Fatal("it is tried for ever")
		}
		d.drain()
		d.now = max(d.delivery("a@example.com").Next, affiliate.MillisOf(d.now)).Time()
	}
	one := d.delivery("a@example.com")
	if age := d.now.Sub(begun); one.State != outbox.Dead || age < 21*time.Hour || one.Tries < 10 || one.Tries > 30 {
		t.Errorf("given up after %s: %+v", age, one)
	}
	if err := d.Resend(t.Context(), one.ID, someone); err != nil {
		t.Fatal(err)
	}
	o.breaks(nil)
	d.drain()
	if copies := o.copies("a@example.com"); len(copies) != 1 || copies[0].id != "<"+one.HeaderID+">" {
		t.Errorf("sent again: %v", copies)
	}
}

// The ways to reach the server, and the error of each if it fails.
func TestServers(t *testing.T) {
	o := newMailServer(t)
	for _, c := range []struct {
		name   string
		change func(*mailer.Server)
		want   string
	}{
		{"as it is", func(*mailer.Server) {}, ""},
		{"wrong password", func(s *mailer.Server) { s.Password = "wrong" }, "sign-in: 535"},
		{"unknown authority", func(s *mailer.Server) { s.Roots = nil }, "STARTTLS: tls: failed to verify"},
		{"another name", func(s *mailer.Server) { s.Host = "localhost" }, "STARTTLS: tls: failed to verify"},
		{"nobody there", func(s *mailer.Server) { s.Port = 1 }, "connecting: dial tcp 127.0.0.1:1"},
		{"TLS from the first byte", func(s *mailer.Server) { s.Implicit = true }, "STARTTLS: tls: first record"},
	} {
		server := o.Server
		c.change(&server)
		if server.Host == "localhost" {
			server.Roots = o.Roots
		}
		err := server.Greet(t.Context())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	o.smtp.TLSConfig = nil // go-smtp then offers no STARTTLS, and no PLAIN either
	if err := o.Server.Greet(t.Context()); err == nil || !strings.Contains(err.Error(), "STARTTLS: the server offers no encryption") {
		t.Errorf("without STARTTLS: %v", err)
	}
	open := o.Server
	open.TLS = "none"
	if err := open.Greet(t.Context()); err == nil || !strings.Contains(err.Error(), "no way to sign in") {
		t.Errorf("without TLS: %v", err)
	}
	open.User = ""
	if err := open.Greet(t.Context()); err != nil {
		t.Errorf("without TLS and sign-in: %v", err)
	}
}

// A stop of the program soon ends hanging operations.
func TestStopping(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hanging(t))
	d.simple("a@example.com")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if err := d.Service.drain(ctx, outbox.MailServer); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if took := time.Since(begun); took > patience+2*time.Second {
		t.Errorf("it took %s to stop", took)
	}
	if one := d.delivery("a@example.com"); one.State != outbox.Waiting {
		t.Errorf("what was not sent is %+v", one)
	}
}
