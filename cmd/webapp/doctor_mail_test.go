package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/doctor"
	"rebatedesk/internal/selfsigned"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// mailServer is a mail server that knows one user and counts the messages it receives.
type mailServer struct {
	address  string
	sent     atomic.Int64
	messages chan []byte // received, as many as the channel holds

	accepts func(to string, letter []byte) // called before the answer to a message; nil: nothing
}

const postUser, postPassword = "desk", "canary-of-mail"

func newMailServer(t *testing.T, config *tls.Config, implicit bool) *mailServer {
	t.Helper()
	smtpd := &mailServer{messages: make(chan []byte, 100)}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &mailSession{server: smtpd}, nil }))
	server.Domain, server.TLSConfig, server.ErrorLog = certifiedHost, config, quiet{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	smtpd.address = listener.Addr().String()
	if implicit {
		listener = tls.NewListener(listener, config)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil && !errors.Is(err, smtp.ErrServerClosed) {
			t.Error(err)
		}
	})
	return smtpd
}

// quiet drops the server's log of clients that refuse its certificate.
type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

type mailSession struct {
	server *mailServer
	to     string
}

func (*mailSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (*mailSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != postUser || password != postPassword {
			return &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: fmt.Sprintf("%s with %s is unknown here", user, password)}
		}
		return nil
	}), nil
}

func (s *mailSession) Mail(string, *smtp.MailOptions) error { s.server.sent.Add(1); return nil }
func (*mailSession) Reset()                                 {}
func (*mailSession) Logout() error                          { return nil }

func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	return nil
}

func (s *mailSession) Data(r io.Reader) error {
	letter, err := io.ReadAll(r)
	select {
	case s.server.messages <- letter:
	default:
	}
	if err == nil && s.server.accepts != nil {
		s.server.accepts(s.to, letter)
	}
	return err
}

// The doctor goes as far as the sign-in of a delivery and sends nothing.
func TestDoctorMail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "ca.key")
	selfsigned.Write(t, certifiedHost, cert, key, 1, time.Now().Add(config.OneDay))
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	encrypted, wrapped, plain := newMailServer(t, config, false), newMailServer(t, config, true), newMailServer(t, nil, false)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	d := newHarness(t, atWallClock)
	for _, c := range []struct {
		name, url string
		trusted   bool // a known authority issued the server's certificate
		result    string
		says      string
	}{
		{"none", "", true, doctor.Skipped, "SMTP_URL is not set"},
		{"STARTTLS", "smtp://" + postUser + ":" + postPassword + "@" + encrypted.address, true, doctor.OK, "encrypted by STARTTLS, signed in"},
		{"smtps", "smtps://" + postUser + ":" + postPassword + "@" + wrapped.address, true, doctor.OK, "encrypted, signed in"},
		{"no sign-in", "smtp://" + plain.address + "?tls=none", true, doctor.OK, "connected as example.com"},
		{"wrong password", "smtp://" + postUser + ":canary-wrong@" + encrypted.address, true, doctor.Failed, "sign-in: 535"},
		{"and what to do", "smtp://" + postUser + ":canary-wrong@" + encrypted.address, true, doctor.Failed, "check user and password"},
		{"smtps without TLS", "smtps://" + postUser + ":" + postPassword + "@" + plain.address, true, doctor.Failed, "the port does not begin with TLS"},
		{"unknown authority", "smtp://" + postUser + ":" + postPassword + "@" + encrypted.address, false, doctor.Failed, "known authority"},
		{"no STARTTLS", "smtp://" + postUser + ":" + postPassword + "@" + plain.address, true, doctor.Failed, "smtps://"},
		{"password in the clear", "smtp://" + postUser + ":" + postPassword + "@" + plain.address + "?tls=none", true, doctor.Failed, "encrypted connection"},
		{"nobody there", "smtp://" + closed.Addr().String(), true, doctor.Failed, "host and port"},
		{"no such host", "smtp://mail.invalid", true, doctor.Failed, "check the host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := append([]string{"REBATEDESK_SMTP_URL=" + c.url, "REBATEDESK_MAIL_FROM=desk@example.com"}, d.env...)
			if c.trusted {
				env = append(env, "SSL_CERT_FILE="+cert) // the authorities that this process knows
			}
			_, stdout, stderr := finished(t, env, "doctor")
			line := ""
			for candidate := range strings.Lines(stdout) {
				if strings.Contains(candidate, ": mail server: ") {
					line = candidate
				}
			}
			if !strings.HasPrefix(line, c.result+": ") || !strings.Contains(line, c.says) {
				t.Errorf("%q, want %s with %q; stderr %s", line, c.result, c.says, stderr)
			}
			if strings.Contains(stdout+stderr, "canary") {
				t.Errorf("a password is printed: %s%s", stdout, stderr)
			}
		})
	}
	if n := encrypted.sent.Load() + wrapped.sent.Load() + plain.sent.Load(); n != 0 {
		t.Errorf("%d messages were begun", n)
	}
}
