package mail

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"net/mail"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"rebatedesk/mail/mailer"
)

const mailUser, mailPassword = "desk", "canary-of-mail"

// fault is an error of a server at a stage: it answers with a code or, with code 0,
// ends the connection.
type fault struct {
	stage mailer.Stage
	code  int
	after bool // at the end of content: the message was kept, only the answer is missing
}

// mailServer is a real mail server that fails on demand.
type mailServer struct {
	mailer.Server
	smtp *smtp.Server

	mutex   sync.Mutex
	fault   *fault     // of the next connections; nil: none
	random  *rand.Rand // decides what fails at each stage; nil: only fault
	kept    []letter
	idsOnly bool            // letters are kept without their content
	lost    map[string]int  // letters kept whose answer was cut, by Message-ID
	tries   map[string]int  // of recipients
	utf8    map[string]bool // recipients that were sent after SMTPUTF8 was requested
	grey    bool            // every recipient is refused at the first try
	open    atomic.Int64
	busy    atomic.Int64 // in the middle of a message
	most    atomic.Int64 // peak of busy
	signed  atomic.Int64
	few     int // messages that a session takes; 0: any number

	letters func(n int) // called with the number of letters when one is kept, before the answer; nil: nothing
}

// letter is a message that the server has accepted.
type letter struct {
	to, id  string
	content []byte
}

func newMailServer(t testing.TB) *mailServer {
	t.Helper()
	certified := httptest.NewTLSServer(nil) // only for its certificate, of 127.0.0.1
	certified.Close()
	roots := x509.NewCertPool()
	roots.AddCert(certified.Certificate())
	o := &mailServer{lost: map[string]int{}, tries: map[string]int{}, utf8: map[string]bool{}}
	o.smtp = smtp.NewServer(smtp.BackendFunc(o.session))
	o.smtp.Domain, o.smtp.ErrorLog = "127.0.0.1", quiet{}
	o.smtp.TLSConfig = &tls.Config{Certificates: certified.TLS.Certificates}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(listener.Addr().String())
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	o.Server = mailer.Server{Host: host, Port: number, TLS: "mandatory", User: mailUser, Password: mailPassword, Roots: roots}
	served := make(chan error, 1)
	go func() { served <- o.smtp.Serve(&mailListener{listener, o}) }()
	t.Cleanup(func() {
		if err := o.smtp.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil && !errors.Is(err, smtp.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	return o
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

// breaks makes the next connections fail; nil repairs the server.
func (o *mailServer) breaks(f *fault) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.fault = f
}

// at returns the fault of a stage.
func (o *mailServer) at(stage mailer.Stage) *fault {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.fault != nil && o.fault.stage == stage {
		return o.fault
	}
	if o.random == nil || o.random.IntN(15) > 0 {
		return nil
	}
	f := &fault{stage: stage, code: []int{0, 421, 451}[o.random.IntN(3)]}
	if stage == mailer.StageContent || stage == mailer.StageEnd && o.random.IntN(2) == 0 {
		f.code, f.after = 0, stage == mailer.StageEnd
	}
	return f
}

// copies returns the letters kept for a recipient.
func (o *mailServer) copies(to string) (list []letter) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, l := range o.kept {
		if l.to == to {
			list = append(list, l)
		}
	}
	return list
}

// mailListener fails before the server has sent anything.
type mailListener struct {
	net.Listener
	server *mailServer
}

func (l *mailListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		l.server.open.Add(1)
		counted := &mailConn{Conn: conn, server: l.server}
		switch f := l.server.at(mailer.StageGreeting); {
		case l.server.at(mailer.StageConnect) != nil:
			_ = counted.Close()
		case f != nil && f.code != 0:
			_, _ = conn.Write([]byte(strconv.Itoa(f.code) + " not today\r\n"))
			_ = counted.Close()
		case f != nil:
			_, _ = conn.Write([]byte("220 half a gree"))
			_ = counted.Close()
		default:
			return counted, nil
		}
	}
}

// mailConn counts itself, and sees the command that begins TLS.
type mailConn struct {
	net.Conn
	server *mailServer
	once   sync.Once
}

func (c *mailConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if f := c.server.at(mailer.StageTLS); f != nil && bytes.HasPrefix(b[:n], []byte("STARTTLS")) {
		if f.code != 0 {
			_, _ = c.Conn.Write([]byte(strconv.Itoa(f.code) + " no TLS today\r\n"))
		}
		_ = c.Close()
		return 0, io.EOF
	}
	return n, err
}

func (c *mailConn) Close() error {
	c.once.Do(func() { c.server.open.Add(-1) })
	return c.Conn.Close()
}

// go-smtp makes a session at each EHLO, including the one after STARTTLS.
func (o *mailServer) session(c *smtp.Conn) (smtp.Session, error) {
	s := &mailSession{server: o, conn: c}
	return s, s.wrong(mailer.StageHello)
}

type mailSession struct {
	server *mailServer
	conn   *smtp.Conn
	to     string
	utf8   bool
	taken  int
}

// wrong returns the error at a stage.
func (s *mailSession) wrong(stage mailer.Stage) error { return s.fails(s.server.at(stage)) }

func (s *mailSession) fails(f *fault) error {
	switch {
	case f == nil:
		return nil
	case f.code == 0:
		_ = s.conn.Conn().Close()
		return io.EOF
	}
	return &smtp.SMTPError{Code: f.code, EnhancedCode: smtp.EnhancedCode{f.code / 100, 0, 0}, Message: "not now, " + mailPassword}
}

// work takes a while, and counts concurrent calls. A client that waits for its answer
// has one connection for each.
func (o *mailServer) work() (done func()) {
	for busy := o.busy.Add(1); ; {
		if most := o.most.Load(); busy <= most || o.most.CompareAndSwap(most, busy) {
			break
		}
	}
	time.Sleep(2 * time.Millisecond)
	return func() { o.busy.Add(-1) }
}

func (s *mailSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *mailSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != mailUser || password != mailPassword {
			return smtp.ErrAuthFailed
		}
		s.server.signed.Add(1)
		return s.wrong(mailer.StageAuth)
	}), nil
}

func (s *mailSession) Mail(_ string, o *smtp.MailOptions) error {
	s.utf8 = o.UTF8
	if s.server.few > 0 && s.taken == s.server.few {
		return &smtp.SMTPError{Code: 421, EnhancedCode: smtp.EnhancedCode{4, 7, 0}, Message: "too many messages in one session"}
	}
	s.taken++
	return s.wrong(mailer.StageSender)
}

func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.work()()
	s.to = to
	s.server.mutex.Lock()
	s.server.tries[to]++
	if s.utf8 {
		s.server.utf8[to] = true
	}
	grey := s.server.grey && s.server.tries[to] == 1
	s.server.mutex.Unlock()
	if grey {
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "greylisted, try again later"}
	}
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox"}
	}
	return s.wrong(mailer.StageRcpt)
}

func (s *mailSession) Data(r io.Reader) error {
	// The message is no longer counted when the client learns how it ended, because the
	// client then begins the next one.
	done := s.server.work()
	if f := s.server.at(mailer.StageData); f != nil {
		done()
		return s.fails(f)
	}
	if f := s.server.at(mailer.StageContent); f != nil {
		_, _ = io.ReadFull(r, make([]byte, 100))
		done()
		return s.fails(f)
	}
	content, err := io.ReadAll(r)
	done()
	if err != nil {
		return err
	}
	f := s.server.at(mailer.StageEnd)
	if f == nil || f.after {
		n := s.keep(content, f != nil)
		if s.server.letters != nil {
			s.server.letters(n)
		}
	}
	return s.fails(f)
}

// keep returns how many letters are kept then.
func (s *mailSession) keep(content []byte, lost bool) int {
	m, err := mail.ReadMessage(bytes.NewReader(content))
	if err != nil {
		panic(err) // an unreadable message
	}
	id := m.Header.Get("Message-Id")
	s.server.mutex.Lock()
	defer s.server.mutex.Unlock()
	if s.server.idsOnly {
		content = nil
	}
	s.server.kept = append(s.server.kept, letter{s.to, id, content})
	if lost {
		s.server.lost[id]++
	}
	return len(s.server.kept)
}

func (s *mailSession) Reset()        {}
func (s *mailSession) Logout() error { return nil }

// soon waits for an event that is about to happen.
func soon(t testing.TB, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !happened(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// hanging is a server that accepts and never answers.
func hanging(t testing.TB) mailer.Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal(listener.Addr())
	}
	return mailer.Server{Host: "127.0.0.1", Port: address.Port, TLS: "none", Patience: patience}
}
