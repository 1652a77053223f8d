package mail

import (
	"bytes"
	"errors"
	"net/mail"
	"strings"
	"testing"

	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/store/outbox"
)

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"name@example.com":     "name@example.com",
		"a.b+c@EXAMPLE.com":    "a.b+c@EXAMPLE.com",
		"post@bücher.example":  "post@xn--bcher-kva.example",
		"post@BÜCHER.example":  "post@xn--bcher-kva.example",
		"post@例え.テスト":          "post@xn--r8jz45g.xn--zckzah",
		"jürgen@example.com":   "jürgen@example.com",
		"用户@例子.example":        "用户@xn--fsqu00a.example",
		"o'neil_x@example.com": "o'neil_x@example.com",
	} {
		if got, err := mailer.ParseAddress(text); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "name", "name@", "@example.com", "a b@example.com", "a\u202eb@example.com", "a\u200b@example.com", "a\u00a0b@example.com", "a@b\u200bc.example",
		"a@\xff.example", "a\r\nBcc:b@example.com", "Name <a@example.com>", "a@-ü.example", "ü@" + strings.Repeat("ü", 200) + ".example", "a@xn--bücher.example"} {
		if got, err := mailer.ParseAddress(text); err == nil {
			t.Errorf("%q is taken as %q", text, got)
		}
	}
}

// A non-ASCII address gets its mail if the server supports it. Otherwise the mail is
// refused immediately with advice, and no other recipient waits for it.
func TestInternationalAddress(t *testing.T) {
	for _, speaks := range []bool{true, false} {
		o := newMailServer(t)
		o.smtp.EnableSMTPUTF8 = speaks
		d := collected(t, o.Server)
		sc := d.schedule(func(s *outbox.Subscription) {
			s.Recipients = []outbox.Recipient{{Address: "jürgen@bücher.example"}, {Address: "boss@bücher.example"}}
		})
		err := d.sendNow(sc, dispatch.Daily.Of(first), sc.Active(), SendOptions{})
		if got := o.copies("boss@xn--bcher-kva.example"); len(got) != 1 || len(o.utf8) != 0 && o.utf8["boss@xn--bcher-kva.example"] {
			t.Errorf("with SMTPUTF8 %v: %d copies for a domain beyond ASCII, asked for with %v", speaks, len(got), o.utf8)
		}
		got := o.copies("jürgen@xn--bcher-kva.example")
		if !speaks {
			failed, ok := errors.AsType[*mailer.SendError](err)
			if !ok || !failed.Permanent || !strings.Contains(failed.Text, "SMTPUTF8") || !strings.Contains(failed.Hint, "in plain letters") || len(got) != 0 {
				t.Errorf("without SMTPUTF8: %v, %+v, %d copies", err, failed, len(got))
			}
			continue
		}
		if err != nil || len(got) != 1 || !o.utf8["jürgen@xn--bcher-kva.example"] {
			t.Fatalf("with SMTPUTF8: %v, %d copies", err, len(got))
		}
		m, err := mail.ReadMessage(bytes.NewReader(got[0].content))
		if err != nil || m.Header.Get("To") != "<jürgen@xn--bcher-kva.example>" {
			t.Errorf("it is to %q, %v", m.Header.Get("To"), err)
		}
	}
}

// A non-ASCII sender requires the same support from the server.
func TestInternationalSender(t *testing.T) {
	o := newMailServer(t)
	_, err := o.Deliver(t.Context(), "büro@example.com", "boss@example.com", []byte("Subject: x\r\n\r\nx\r\n"))
	if failed, ok := errors.AsType[*mailer.SendError](err); !ok || failed.Stage != mailer.StageSender || !strings.Contains(failed.Hint, "MAIL_FROM") {
		t.Errorf("%v, %+v", err, failed)
	}
	from, err := mailer.ASCIIDomain(&mail.Address{Name: "Büro", Address: "desk@bücher.example"})
	if err != nil || from.Address != "desk@xn--bcher-kva.example" || from.Name != "Büro" {
		t.Errorf("%v, %v", from, err)
	}
}
