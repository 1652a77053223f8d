package acceptance_test

import "testing"

// The application cannot be used to send spam: a user who sends mails by hand, to any
// addresses, has to wait after some number of them. Other users do not wait.
func TestManualMailIsLimited(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the pace is that of the clock, and the race run is too slow to outrun it")
	}
	m := openMailSite(t)
	at := m.plan("recipients", "boss@example.com")
	m.send()
	refused := 0
	for range 40 {
		a := m.mia.post(at+"/test", append(formFields(m.mia.get(at+"/preview").body), "to", "stranger@example.com")...)
		switch a.StatusCode {
		case 303:
		case 429:
			refused++
		default:
			t.Fatalf("status %d", a.StatusCode)
		}
	}
	if n := len(m.arrived(40 - refused)); refused < 8 || n > 32 || n+refused != 40 {
		t.Errorf("%d mails went out, %d were refused", n, refused)
	}
	if a := m.mia.post("/summaries/deliveries/1/resend"); a.StatusCode != 429 {
		t.Errorf("another mail: status %d", a.StatusCode)
	}
	if lines := m.count("test mail sent"); lines+refused != 40 {
		t.Errorf("%d lines in the audit log", lines)
	}
}

// A forged form cannot reserve the number of a later message, which would then never be
// sent.
func TestForgedMessageNumbers(t *testing.T) {
	t.Parallel()
	m := openMailSite(t)
	at := m.plan("recipients", "boss@example.com")
	m.send()
	m.mia.get(at + "/send")
	for _, number := range []string{"2", "1000000"} {
		for _, form := range []string{"/send", "/test"} {
			if a := m.mia.post(at+form, "number", number, "to", "boss@example.com"); a.StatusCode != 409 || len(m.box.letters()) != 0 {
				t.Errorf("%s with number %s: status %d, %d mails", form, number, a.StatusCode, len(m.box.letters()))
			}
		}
	}
	if a := m.mia.post(at+"/send", formFields(m.mia.get(at+"/send").body)...); a.StatusCode != 303 || len(m.arrived(1)) != 1 {
		t.Errorf("with the next number: status %d, %d mails", a.StatusCode, len(m.box.letters()))
	}
}
