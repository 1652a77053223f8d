package mail

import (
	"errors"
	"strings"
	"testing"

	"rebatedesk/mail/mailer"
)

// Each failure names its stage, and what can be done about it.
func TestMends(t *testing.T) {
	o := newMailServer(t)
	for _, c := range []struct {
		fault  fault
		server func(*mailer.Server)
		stage  mailer.Stage
		mend   string
	}{
		{fault{stage: mailer.StageGreeting, code: 554}, nil, mailer.StageGreeting, "refuses this machine"},
		{fault{stage: mailer.StageHello, code: 421}, nil, mailer.StageHello, "refuses this machine"},
		{fault{stage: mailer.StageTLS, code: 454}, nil, mailer.StageTLS, "scheme and port"},
		{fault{}, func(s *mailer.Server) { s.Roots = nil }, mailer.StageTLS, "known authority"},
		{fault{}, func(s *mailer.Server) { s.Implicit = true }, mailer.StageTLS, "does not begin with TLS"},
		{fault{}, func(s *mailer.Server) { s.Password = "wrong" }, mailer.StageAuth, "user and password"},
		{fault{}, func(s *mailer.Server) { s.Host = "nowhere.invalid" }, mailer.StageConnect, "the host in SMTP_URL"},
		{fault{}, func(s *mailer.Server) { s.Port = 1 }, mailer.StageConnect, "host and port"},
		{fault{stage: mailer.StageSender, code: 553}, nil, mailer.StageSender, "MAIL_FROM"},
		{fault{stage: mailer.StageRcpt, code: 550}, nil, mailer.StageRcpt, "recipient"},
		{fault{stage: mailer.StageEnd, code: 552}, nil, mailer.StageEnd, "size"},
		{fault{stage: mailer.StageEnd, code: 451}, nil, mailer.StageEnd, "tried again"},
		{fault{stage: mailer.StageContent}, nil, mailer.StageEnd, "tried again"},
	} {
		server := o.Server
		if c.server != nil {
			c.server(&server)
		}
		o.breaks(&c.fault)
		_, err := server.Deliver(t.Context(), "desk@example.com", "boss@example.com", []byte("Subject: x\r\n\r\nx\r\n"))
		failed, ok := errors.AsType[*mailer.SendError](err)
		if !ok || failed.Stage != c.stage || !strings.Contains(failed.Hint, c.mend) {
			t.Errorf("%+v: %v, %+v; want %s and %q", c.fault, err, failed, c.stage, c.mend)
		}
		if ok && strings.Contains(failed.Error()+failed.Hint, mailPassword) {
			t.Errorf("%+v: the hint contains the password: %v", c.fault, err)
		}
	}
}
