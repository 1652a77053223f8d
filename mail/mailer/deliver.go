package mailer

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"

	"rebatedesk/affiliate"
)

const (
	// DeliverWithin is the time limit for one message from the first packet to the end
	// of its content.
	DeliverWithin = 2 * time.Minute
	// AnswerWithin is how long the server may take to answer after it has received a
	// complete message (RFC 5321, 4.5.3.2.6): a client that gives up earlier sends a
	// second copy.
	AnswerWithin = 10 * time.Minute
	// maxReplyBytes limits how much the server may send per message, for the first one with
	// its certificates. An attacker on the network path could send data before TLS begins.
	maxReplyBytes = 256 << 10
	// FinishWithin is the time limit for closing a session, and for a session that is
	// still open when the program is asked to end: a message cut off after its end
	// would be sent twice.
	FinishWithin = 3 * time.Second
	// SilentFor is how long a server may stay silent before the client checks whether
	// it waits for TLS. Some servers delay their greeting on purpose, so silence alone
	// proves nothing.
	SilentFor = 3 * time.Second
	// connectWithin is the time limit for the connection itself.
	connectWithin = 30 * time.Second
)

// Deliver hands a message over on a separate connection and returns the server's last
// answer. A failure is a *SendError.
//
// The library's own client is not used: it calls a cut connection permanent, keeps
// connections open that failed to sign in, and treats an accepted message as rejected
// when the next command fails.
func (s Server) Deliver(ctx context.Context, from, to string, content []byte) (answer string, err error) {
	t, err := s.Open(ctx)
	if err != nil {
		return "", err
	}
	defer t.Close()
	return t.Deliver(ctx, from, to, content)
}

// Open connects, begins TLS and signs in. The caller must close the session. A failure is a
// *SendError.
func (s Server) Open(ctx context.Context) (*Session, error) {
	t := &Session{server: s}
	if err := t.connect(ctx); err != nil {
		return nil, t.failure(err)
	}
	defer context.AfterFunc(ctx, t.hurry)()
	if err := t.greet(); err != nil {
		_ = t.conn.Close()
		return nil, t.failure(err)
	}
	return t, nil
}

// Deliver hands a message over and returns the server's last answer. After a failure, which
// is a *SendError, the session can only be closed.
func (t *Session) Deliver(ctx context.Context, from, to string, content []byte) (answer string, err error) {
	if t.used { // the first message shares its time with the opening of the session
		t.heard.left = maxReplyBytes
		if err := t.conn.SetDeadline(time.Now().Add(DeliverWithin)); err != nil {
			return "", t.failure(err)
		}
	}
	t.used = true
	defer context.AfterFunc(ctx, t.hurry)()
	if answer, err = t.hand(ctx, from, to, content); err != nil {
		t.failed = true
		return "", t.failure(err)
	}
	return t.server.hide(answer), nil
}

// Close ends the session within [FinishWithin].
func (t *Session) Close() {
	if !t.failed {
		t.hurry()
		_ = t.client.Quit() // an error while closing does not matter
	}
	_ = t.conn.Close()
}

// Greet connects, begins TLS, signs in and closes the session. A failure is a
// *SendError.
func (s Server) Greet(ctx context.Context) error {
	t := &Session{server: s}
	if err := t.connect(ctx); err != nil {
		return t.failure(err)
	}
	defer t.conn.Close()
	defer context.AfterFunc(ctx, func() { _ = t.conn.Close() })()
	if err := t.greet(); err != nil {
		return t.failure(err)
	}
	_ = t.client.Quit()
	return nil
}

// Session is an open session with the server, which takes messages one after the other.
type Session struct {
	server Server
	stage  Stage // how far it has come
	conn   net.Conn
	heard  *listening // the same connection
	client *smtp.Client
	used   bool // a message was handed over, or tried
	failed bool // the last try failed
}

// hurry leaves little time for the operation in progress. It fails only on a connection
// that is already closed.
func (t *Session) hurry() {
	_ = t.conn.SetDeadline(time.Now().Add(cmp.Or(t.server.Patience, FinishWithin)))
}

func (t *Session) connect(ctx context.Context) (err error) {
	t.stage = StageConnect
	conn, err := t.server.dial(ctx, connectWithin)
	if err != nil {
		return err
	}
	t.heard = &listening{conn, maxReplyBytes}
	t.conn = t.heard
	return t.conn.SetDeadline(time.Now().Add(DeliverWithin))
}

// listening is a connection that reads a limited number of bytes.
type listening struct {
	net.Conn
	left int
}

var errTooMuch = errors.New("the server says too much")

func (l *listening) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooMuch
	}
	n, err := l.Conn.Read(b[:min(len(b), l.left)])
	l.left -= n
	return n, err
}

// greet runs the session up to the point where mail could be sent.
func (t *Session) greet() (err error) {
	spoken := t.conn
	if t.server.Implicit {
		t.stage = StageTLS
		encrypted := tls.Client(t.conn, t.server.tls())
		if err := encrypted.Handshake(); err != nil {
			return err
		}
		spoken = encrypted
	}
	t.stage = StageGreeting
	doubted := t.doubt()
	t.client, err = smtp.NewClient(spoken, t.server.Host)
	if doubted() {
		return errTLSOnly
	}
	if err != nil {
		return err
	}
	t.client.SkipSMTPUTF8(true)
	t.stage = StageHello
	if err := t.client.Hello(t.server.heloName()); err != nil {
		return err
	}
	if err := t.encrypt(); err != nil {
		return err
	}
	return t.signIn()
}

// errTLSOnly means that the port is encrypted from the first byte.
var errTLSOnly = errors.New("the server greets nobody before TLS has begun")

// doubt ends the connection if the server is silent and speaks TLS: both sides would
// wait for the other to begin. The returned function stops the check and reports
// whether it ended the connection.
func (t *Session) doubt() (doubted func() bool) {
	if t.server.Implicit {
		return func() bool { return false }
	}
	ctx, cancel := context.WithCancel(context.Background())
	found := make(chan bool, 1)
	timer := time.AfterFunc(cmp.Or(t.server.Patience, SilentFor), func() {
		speaks := t.server.speaksTLS(ctx)
		if speaks {
			_ = t.conn.Close()
		}
		found <- speaks
	})
	return func() bool {
		cancel()
		return !timer.Stop() && <-found
	}
}

// speaksTLS reports whether the server accepts TLS from the first byte. The probe sends
// no data, so the server's certificate does not matter.
func (s Server) speaksTLS(ctx context.Context) bool {
	silent := cmp.Or(s.Patience, SilentFor)
	ctx, cancel := context.WithTimeout(ctx, silent)
	defer cancel()
	conn, err := s.dial(ctx, silent)
	if err != nil {
		return false
	}
	defer conn.Close()
	return tls.Client(conn, &tls.Config{ServerName: s.Host, InsecureSkipVerify: true}).HandshakeContext(ctx) == nil
}

var errNoTLS = errors.New("the server offers no encryption")

func (t *Session) encrypt() error {
	if t.server.Implicit || t.server.TLS == "none" {
		return nil
	}
	t.stage = StageTLS
	if offered, _ := t.client.Extension("STARTTLS"); !offered {
		if t.server.TLS == "opportunistic" {
			return nil
		}
		return errNoTLS
	}
	return t.client.StartTLS(t.server.tls())
}

// signIn uses the strongest method that the server offers. The password itself is sent
// only over an encrypted connection, or to this machine.
func (t *Session) signIn() error {
	if t.server.User == "" {
		return nil
	}
	t.stage = StageAuth
	_, offered := t.client.Extension("AUTH")
	user, password, host := t.server.User, t.server.Password, t.server.Host
	for _, way := range []struct {
		name string
		auth smtp.Auth
	}{
		{"SCRAM-SHA-256", smtp.ScramSHA256Auth(user, password)},
		{"PLAIN", smtp.PlainAuth("", user, password, host, false)},
		{"LOGIN", smtp.LoginAuth(user, password, host, false)},
		{"CRAM-MD5", smtp.CRAMMD5Auth(user, password)},
	} {
		for _, name := range strings.Fields(offered) {
			if strings.EqualFold(name, way.name) {
				return t.authenticate(way.auth, offered)
			}
		}
	}
	return fmt.Errorf("the server offers no way to sign in that is known here (%q)", offered)
}

// authenticate runs the exchange of a sign-in. The library's own sends a line * after a refusal, which
// servers log as no command and some filters count as an attack; that line is only right to break
// off an exchange that the server still expects to go on (RFC 4954, 4).
func (t *Session) authenticate(a smtp.Auth, offered string) error {
	_, encrypted := t.client.TLSConnectionState()
	mechanism, reply, err := a.Start(&smtp.ServerInfo{Name: t.server.Host, TLS: encrypted, Auth: strings.Fields(offered)})
	if err != nil {
		return err
	}
	line := strings.TrimSpace("AUTH " + mechanism + " " + base64.StdEncoding.EncodeToString(reply))
	for {
		code, text, err := t.say(line)
		if err != nil {
			return err
		}
		challenge, goesOn := []byte(text), code == 334
		switch {
		case goesOn:
			if challenge, err = base64.StdEncoding.DecodeString(text); err != nil {
				_, _, _ = t.say("*")
				return fmt.Errorf("the server's part of the sign-in cannot be read: %w", err)
			}
		case code != 235:
			t.hurry()
			_ = t.client.Quit() // an error while closing does not matter
			return &textproto.Error{Code: code, Msg: text}
		}
		if reply, err = a.Next(challenge, goesOn); err != nil {
			if goesOn {
				_, _, _ = t.say("*")
			}
			return err
		}
		if !goesOn {
			return nil
		}
		line = base64.StdEncoding.EncodeToString(reply)
	}
}

// say sends a line and returns the server's answer, whatever it is.
func (t *Session) say(line string) (code int, text string, err error) {
	id, err := t.client.Text.Cmd("%s", line)
	if err != nil {
		return 0, "", err
	}
	t.client.Text.StartResponse(id)
	defer t.client.Text.EndResponse(id)
	return t.client.Text.ReadResponse(0)
}

// errASCII means that the server cannot accept an address.
var errASCII = errors.New("the mail server takes no addresses with letters beyond ASCII (it does not offer SMTPUTF8)")

// speak requests support for non-ASCII addresses (RFC 6531) only if the message has
// one: a server that relays such a message must refuse it if the next server does not
// support the extension, and nothing else in the message needs it.
func (t *Session) speak(from, to string) error {
	t.client.SkipSMTPUTF8(true)
	for _, one := range []struct {
		stage   Stage
		address string
	}{{StageSender, from}, {StageRcpt, to}} {
		if !beyondASCII(one.address) {
			continue
		}
		t.client.SkipSMTPUTF8(false)
		if offered, _ := t.client.Extension("SMTPUTF8"); !offered {
			t.stage = one.stage
			return errASCII
		}
	}
	return nil
}

// hand hands the message over. The server is responsible for it once it has answered
// the end of the content, and not before.
func (t *Session) hand(ctx context.Context, from, to string, content []byte) (answer string, err error) {
	if err := t.speak(from, to); err != nil {
		return "", err
	}
	t.stage = StageSender
	if err := t.client.Mail("<" + from + ">"); err != nil {
		return "", err
	}
	t.stage = StageRcpt
	if err := t.client.Rcpt("<" + to + ">"); err != nil {
		return "", err
	}
	t.stage = StageData
	w, err := t.client.Data()
	if err != nil {
		return "", err
	}
	t.stage = StageContent
	if _, err := w.Write(content); err != nil {
		return "", err
	}
	t.stage = StageEnd
	if err := t.conn.SetDeadline(time.Now().Add(AnswerWithin)); err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		t.hurry() // the line above extended the deadline again
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	if data, ok := w.(*smtp.DataCloser); ok {
		answer = data.ServerResponse()
	}
	return Cut(affiliate.OneLine("250 "+answer), mostAnswer), nil
}

// mostAnswer is how many characters of an answer are kept.
const mostAnswer = 400

// aboutHelo reports whether a refusal is about the name in EHLO. Some servers say so only when they
// are given a recipient.
func aboutHelo(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "helo command") || strings.Contains(text, "ehlo command") || strings.Contains(text, "helo name") || strings.Contains(text, "ehlo name") ||
		strings.Contains(text, "helo/ehlo") || strings.Contains(text, "ehlo/helo") || strings.Contains(text, "fully-qualified hostname")
}

// failure distinguishes an answer of the server from a lost connection.
func (t *Session) failure(err error) *SendError {
	said := err.Error()
	answer, answered := errors.AsType[*textproto.Error](err)
	if answered { // only the server's own line, not what the library says about its second try
		said = fmt.Sprintf("%03d %s", answer.Code, answer.Msg)
	}
	e := &SendError{Stage: t.stage, Text: Cut(affiliate.OneLine(t.server.hide(said)), mostAnswer)}
	if answered {
		e.Code = answer.Code
	}
	aboutName := answered && (t.stage == StageHello || aboutHelo(answer.Msg))
	if aboutName {
		e.Text += " (this program introduced itself as " + t.server.heloName() + ")"
	}
	e.Hint = HintOf(t.stage, e.Code, err, t.server.Entered)
	if aboutName {
		e.Hint = placesOf(t.server.Entered).hello + " a full name that leads to this machine, such as desk.example.com; or ask whoever runs the mail server why it refuses this machine"
	}
	aboutMessage := t.stage == StageSender || t.stage == StageRcpt || t.stage == StageData || t.stage == StageContent || t.stage == StageEnd
	// Servers that lose track or shut down answer 421 or 503.
	e.Permanent = !aboutName && aboutMessage && e.Code >= 500 && e.Code != 503 && e.Code < 600 || errors.Is(err, errASCII)
	return e
}
