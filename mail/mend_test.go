package mail

import (
	"errors"
	"strings"
	"testing"
)

// Each failure names the stage it happened at, and what can be done about it.
func TestMends(t *testing.T) {
	o := newOffice(t)
	for _, c := range []struct {
		fault  fault
		server func(*Server)
		stage  Stage
		mend   string
	}{
		{fault{stage: StageGreeting, code: 554}, nil, StageGreeting, "refuses this machine"},
		{fault{stage: StageHello, code: 421}, nil, StageHello, "refuses this machine"},
		{fault{stage: StageTLS, code: 454}, nil, StageTLS, "scheme and port"},
		{fault{}, func(s *Server) { s.Roots = nil }, StageTLS, "known authority"},
		{fault{}, func(s *Server) { s.Implicit = true }, StageTLS, "does not begin with TLS"},
		{fault{}, func(s *Server) { s.Password = "wrong" }, StageAuth, "user and password"},
		{fault{}, func(s *Server) { s.Host = "nowhere.invalid" }, StageConnect, "the host in SMTP_URL"},
		{fault{}, func(s *Server) { s.Port = 1 }, StageConnect, "host and port"},
		{fault{stage: StageSender, code: 553}, nil, StageSender, "MAIL_FROM"},
		{fault{stage: StageRcpt, code: 550}, nil, StageRcpt, "recipient"},
		{fault{stage: StageEnd, code: 552}, nil, StageEnd, "size"},
		{fault{stage: StageEnd, code: 451}, nil, StageEnd, "tried again"},
		{fault{stage: StageContent}, nil, StageEnd, "tried again"},
	} {
		server := o.Server
		if c.server != nil {
			c.server(&server)
		}
		o.breaks(&c.fault)
		_, err := server.deliver(t.Context(), "desk@example.com", "boss@example.com", []byte("Subject: x\r\n\r\nx\r\n"))
		failed, ok := errors.AsType[*SendError](err)
		if !ok || failed.Stage != c.stage || !strings.Contains(failed.Mend, c.mend) {
			t.Errorf("%+v: %v, %+v; want %s and %q", c.fault, err, failed, c.stage, c.mend)
		}
		if ok && strings.Contains(failed.Error()+failed.Mend, officePassword) {
			t.Errorf("%+v: the password is told: %v", c.fault, err)
		}
	}
}
