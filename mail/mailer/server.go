package mailer

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Server is the mail server that messages are handed to.
type Server struct {
	Host     string // empty: there is none, and no mail is sent
	Port     int
	Implicit bool   // TLS from the first byte
	TLS      string // STARTTLS without Implicit: mandatory, opportunistic or none
	User     string // empty: no sign-in
	Password string
	Roots    *x509.CertPool // nil: those of the system
}

// String names the server without its password, which no log may hold.
func (s Server) String() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// GoString is String.
func (s Server) GoString() string { return s.String() }

func (s Server) tls() *tls.Config {
	return &tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12, RootCAs: s.Roots}
}

// hide takes the password out of what a server says, which may repeat it.
func (s Server) hide(text string) string {
	if s.Password == "" {
		return text
	}
	encoded := func(secret string) string { return base64.StdEncoding.EncodeToString([]byte(secret)) }
	return strings.NewReplacer(s.Password, "…", encoded(s.Password), "…", encoded("\x00"+s.User+"\x00"+s.Password), "…").Replace(text)
}

// Stage is a step of handing a message over.
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

// SendError is a message that was not handed over, or of which that is not
// known: the connection ended before the answer did.
type SendError struct {
	Stage Stage
	Code  int    // of the server; 0: it did not answer
	Text  string // without the password
	// Permanent tells that another try is of no use: the server refused this
	// message or this recipient. What goes wrong before that is the matter of
	// the server, and may be mended.
	Permanent bool
	Hint      string // what can be done about it, by whoever runs this program
}

func (e *SendError) Error() string { return fmt.Sprintf("%s: %s", e.Stage, e.Text) }
