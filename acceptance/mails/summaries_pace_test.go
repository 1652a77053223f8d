package mails_test

import (
	"testing"

	"rebatedesk/acceptance/site"
)

// The application cannot be used to send spam: a user who sends mails by hand, to any
// addresses, has to wait after some number of them. Other users do not wait.
func TestManualMailIsLimited(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the pace is that of the clock, and the race run is too slow to outrun it")
	}
	m := site.OpenMailSite(t)
	at := m.Plan("recipients", "boss@example.com")
	m.Send()
	refused := 0
	for range 40 {
		a := m.Mia.Post(at+"/test", append(formFields(m.Mia.Get(at+"/preview").Body), "to", "stranger@example.com")...)
		switch a.StatusCode {
		case 303:
		case 429:
			refused++
		default:
			t.Fatalf("status %d", a.StatusCode)
		}
	}
	if n := len(m.Arrived(40 - refused)); refused < 8 || n > 32 || n+refused != 40 {
		t.Errorf("%d mails went out, %d were refused", n, refused)
	}
	if a := m.Mia.Post("/summaries/deliveries/1/resend"); a.StatusCode != 429 {
		t.Errorf("another mail: status %d", a.StatusCode)
	}
	if lines := m.Count("test mail sent"); lines+refused != 40 {
		t.Errorf("%d lines in the audit log", lines)
	}
}

// A forged form cannot reserve the number of a later message, which would then never be
// sent.
func TestForgedMessageNumbers(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	at := m.Plan("recipients", "boss@example.com")
	m.Send()
	m.Mia.Get(at + "/send")
	for _, number := range []string{"2", "1000000"} {
		for _, form := range []string{"/send", "/test"} {
			if a := m.Mia.Post(at+form, "number", number, "to", "boss@example.com"); a.StatusCode != 409 || len(m.Box.Letters()) != 0 {
				t.Errorf("%s with number %s: status %d, %d mails", form, number, a.StatusCode, len(m.Box.Letters()))
			}
		}
	}
	if a := m.Mia.Post(at+"/send", formFields(m.Mia.Get(at+"/send").Body)...); a.StatusCode != 303 || len(m.Arrived(1)) != 1 {
		t.Errorf("with the next number: status %d, %d mails", a.StatusCode, len(m.Box.Letters()))
	}
}
