package mail

import (
	"bytes"
	"fmt"
	"mime"
	"net/mail"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/mail/mailer"
	"rebatedesk/store/outbox"
)

// The subject of a mail begins on the line of its name, decodes to the original text,
// and no line of it is longer than recommended. The test examines what a mail server
// received.
func TestSubjectBeginsOnItsLine(t *testing.T) {
	o := newMailServer(t)
	d := newFixture(t, o.Server)
	subjects := []string{
		"Report", "[TEST] Affiliate report – 1 Sep 2026 (UTC) – main", "[PARTIAL] Affiliate report – week 35, 24–30 Aug 2026 (UTC) – main",
		"[CORRECTED] Affiliate report – August 2026 – all accounts", "Alert: figures of past days changed – main (UTC)",
		"An ASCII subject of many short words that is longer than one line of a header may be, by far, and so has to be folded",
		strings.Repeat("x", 300), "a " + strings.Repeat("y", 80) + " z", "  two  spaces ", "=?utf-8?q?not_a_word?=", strings.Repeat("–", 100), "币安人生 " + strings.Repeat("币安人生", 30),
		"😀" + strings.Repeat(" 👩‍👩‍👧‍👦", 20), "Zähler: 100 % = alles_klar?", strings.Repeat("ab–c ", 60) + "end",
	}
	for length := range 90 { // every position at which a line may end
		subjects = append(subjects, "a"+strings.Repeat("b", length)+"é tail")
	}
	for i, subject := range subjects {
		to := fmt.Sprintf("r%d@example.com", i)
		m := outbox.Summary{Scope: to, Every: "daily", Days: affiliate.Days{First: first, Last: first}, Kind: outbox.SummaryManual, Made: affiliate.MillisOf(d.now),
			From: sender.String(), Subject: subject, Text: "text", HTML: "<p>text</p>"}
		if _, err := outbox.QueueSummary(t.Context(), d.store, m, []outbox.Addressee{{Address: to, HeaderID: mailer.HeaderID(m, to, sender)}}); err != nil {
			t.Fatal(err)
		}
	}
	d.drain()
	for i, subject := range subjects {
		copies := o.copies(fmt.Sprintf("r%d@example.com", i))
		if len(copies) != 1 {
			t.Fatalf("%q: %d copies", subject, len(copies))
		}
		subjectStands(t, copies[0].content, subject)
	}
}

// subjectStands examines the bytes of a received message.
func subjectStands(t *testing.T, content []byte, subject string) {
	t.Helper()
	m, err := mail.ReadMessage(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	read, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || strings.TrimSpace(read) != strings.TrimSpace(subject) {
		t.Errorf("%q was sent, %q is read (%v)", subject, read, err)
	}
	head, _, _ := bytes.Cut(content, []byte("\r\n\r\n"))
	_, after, found := strings.Cut("\r\n"+string(head), "\r\nSubject: ")
	if !found {
		t.Fatalf("no subject begins on its line:\n%s", head)
	}
	for n, line := range strings.Split(after, "\r\n") {
		long := len(line)
		if n == 0 {
			long += len("Subject: ")
		} else if !strings.HasPrefix(line, " ") {
			break
		}
		if strings.TrimSpace(line) == "" || long > mailer.LineLength {
			t.Errorf("%q: line %d of the subject is %q", subject, n, line)
		}
	}
}
