package mailer

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// Server is the mail server that accepts the messages.
type Server struct {
	Host     string // empty: no server, and no mail is sent
	Port     int
	Implicit bool   // TLS from the first byte
	TLS      string // STARTTLS if not Implicit: mandatory, opportunistic or none
	User     string // empty: no sign-in
	Password string
	Name     string         // by which this program introduces itself in EHLO; empty: localhost
	Roots    *x509.CertPool // nil: the system's roots
	Patience time.Duration  // with a silent server, instead of [SilentFor] and [FinishWithin]; 0: these
	// Entered means that a user entered it in the pages: advice names the fields there, and not the
	// settings of the environment.
	Entered bool
	// Dial connects; nil: to any address.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// String returns the server's address without its password, which no log may contain.
func (s Server) String() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// GoString is String.
func (s Server) GoString() string { return s.String() }

func (s Server) tls() *tls.Config {
	return &tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12, RootCAs: s.Roots}
}

// hide removes the password from the server's texts, which may repeat it.
func (s Server) hide(text string) string {
	if s.Password == "" {
		return text
	}
	encoded := func(secret string) string { return base64.StdEncoding.EncodeToString([]byte(secret)) }
	return strings.NewReplacer(s.Password, "…", encoded(s.Password), "…", encoded("\x00"+s.User+"\x00"+s.Password), "…").Replace(text)
}

// Stage is a step in handing over a message.
type Stage string

// The stages, in their order (RFC 5321).
const (
	StageConnect  Stage = "connecting"
	StageGreeting Stage = "greeting"
	StageHello    Stage = "EHLO"
	StageTLS      Stage = "STARTTLS"
	StageAuth     Stage = "sign-in"
	StageSender   Stage = "MAIL FROM"
	StageRcpt     Stage = "RCPT TO"
	StageData     Stage = "DATA"
	StageContent  Stage = "content"
	StageEnd      Stage = "end of content"
)

// SendError reports that a message was not handed over, or that the result is unknown
// because the connection ended before the answer.
type SendError struct {
	Stage Stage
	Code  int    // of the server; 0 if it did not answer
	Text  string // without the password
	// Permanent means that another try is useless: the server refused this message or
	// this recipient. Earlier failures concern the server as a whole and may be
	// temporary.
	Permanent bool
	Hint      string // advice for the operator of this program
}

// Unknown reports whether the server may have taken the message: it got all of it, and its answer was
// lost. Only another try of the same copy, with the same Message-ID, is safe then.
func (e *SendError) Unknown() bool { return e.Stage == StageEnd && e.Code == 0 }

func (e *SendError) Error() string { return fmt.Sprintf("%s: %s", e.Stage, e.Text) }

// heloName is the name that is sent in EHLO.
func (s Server) heloName() string { return cmp.Or(s.Name, "localhost") }

// dial connects to the server.
func (s Server) dial(ctx context.Context, within time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if s.Dial != nil {
		return s.Dial(ctx, "tcp", s.String())
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", s.String())
}
