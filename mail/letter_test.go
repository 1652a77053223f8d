package mail

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"rebatedesk/mail/mailer"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// A parsed message has the content from which it was made.
func TestLetterIsTheMessage(t *testing.T) {
	d := collected(t, mailer.Server{})
	sc := d.schedule(func(s *outbox.Subscription) { s.Name = "Früh – 早" })
	content, err := d.Preview(t.Context(), sc, d.NewestDue(sc), "boss@example.com")
	if err != nil {
		t.Fatal(err)
	}
	l, err := ParseLetter(content)
	if err != nil {
		t.Fatal(err)
	}
	header := map[string]string{}
	for _, line := range l.Header {
		header[line.Name] = line.Value
	}
	if header["From"] != "Rebatedesk – Büro <desk@example.com>" || header["To"] != "<boss@example.com>" || !strings.Contains(header["Subject"], "1 Sep 2026") {
		t.Errorf("header: %q", header)
	}
	if !strings.Contains(oneLine(l.Text), "“Früh – 早”") || !strings.Contains(l.HTML, "“Früh – 早”") || l.Size != len(content) {
		t.Error("the parts lack what they say")
	}
	if len(l.Files) != 2 || !strings.HasSuffix(l.Files[0].Name, ".csv") || !bytes.HasPrefix(l.Files[1].Content, []byte("PK")) {
		t.Errorf("%d files", len(l.Files))
	}
	page := l.Page()
	if strings.Contains(page, "cid:") || strings.Count(page, "data:image/png;base64,") != 1 {
		t.Error("the picture is not in the page")
	}
	for _, broken := range []string{"", "Subject: x\r\n\r\n", "Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n!!"} {
		if _, err := ParseLetter([]byte(broken)); err == nil {
			t.Errorf("%q is no message", broken)
		}
	}
}

// A standing shows when a schedule is next due, what it waits for and how long, and
// what it last sent.
func TestStandings(t *testing.T) {
	d := waitingFixture(t, nil)
	d.now = tomorrow(8, 0)
	at := d.standing()
	if at.Last != nil || at.Waits == nil || at.Waits.Gate.Closed || at.Waits.Until.Sub(at.Waits.Due) != 12*time.Hour || !at.Next.After(d.now) {
		t.Errorf("not complete: %+v", at)
	}
	d.readAll()
	d.queueAll()
	if at = d.standing(); at.Waits != nil || at.Last == nil || at.Last.Waiting != 1 || at.Last.Sent+at.Last.Dead != 0 {
		t.Errorf("queued: %+v", at)
	}
	if err := d.Stop(t.Context(), stopToken(d.key, at.Ref, "boss@example.com"), someone); err != nil {
		t.Fatal(err)
	}
	if at = d.standing(); at.Last.Waiting+at.Last.Sent+at.Last.Dead != 0 {
		t.Errorf("a mail that was taken back counts: %+v", at.Last)
	}
	if o, err := d.Outbox(t.Context()); err != nil || o.Sick(d.now.Add(time.Hour)) {
		t.Errorf("a mail that was taken back is no failure: %+v (%v)", o, err)
	}
	if err := d.pause(outbox.KindSchedule, "morning", true); err != nil {
		t.Fatal(err)
	}
	if at = d.standing(); !at.Next.IsZero() || at.Waits != nil {
		t.Errorf("paused: %+v", at)
	}
}

func (d *fixture) standing() Standing {
	d.Helper()
	list, err := d.Standings(d.Context())
	if err != nil || len(list) != 1 {
		d.Fatal(list, err)
	}
	return list[0]
}

// Mail that the server delays is reported after a while, mail that it refuses
// immediately, and a test never.
func TestOutboxOfFailures(t *testing.T) {
	storetest.Engines(t, "statements about messages", testOutboxOfFailures)
}

func testOutboxOfFailures(t *testing.T) {
	o := newMailServer(t)
	d := collected(t, o.Server)
	sc := d.schedule(nil)
	for i, to := range []string{"grey@example.com", "nobody@example.com"} {
		o.grey = i == 0
		for _, test := range []bool{false, true} {
			x, err := d.Prepare(t.Context(), sc, d.NewestDue(sc), []string{to}, SendOptions{Test: test})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := x.Queue(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := d.Service.drain(t.Context(), outbox.MailServer); err != nil {
				t.Fatal(err)
			}
		}
		got, err := d.Outbox(t.Context())
		if err != nil || got.Failing+got.Dead == 0 || got.Answer == "" || got.Failing > 1 || got.Dead > 1 {
			t.Errorf("%s: %+v (%v)", to, got, err)
		}
		if i == 0 && got.Failing == 1 && (got.Sick(d.now) || !got.Sick(d.now.Add(time.Hour))) {
			t.Error("a mail that has to wait is no failure yet, and one after an hour")
		}
	}
}
