package mail

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/mail/mailer"
)

// serveEach serves connections on a separate port.
func serveEach(t *testing.T, answer func(net.Conn)) (port int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				answer(conn)
			}()
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port
}

// patience is that of a test with a silent server.
const patience = 500 * time.Millisecond

// A port that waits for TLS is reported long before the time limit of a message;
// without TLS both sides wait for the other to begin.
func TestPortThatWaitsForTLS(t *testing.T) {
	t.Parallel()
	o := newMailServer(t)
	server := o.Server
	server.Patience = patience
	server.Port = serveEach(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, tls.Server(conn, o.smtp.TLSConfig)) })
	var asked sync.WaitGroup // each way waits for the same silence
	for _, way := range []string{"mandatory", "opportunistic", "none"} {
		server := server
		server.TLS = way
		asked.Go(func() {
			began := time.Now()
			err := server.Greet(t.Context())
			failed, ok := errors.AsType[*mailer.SendError](err)
			if !ok || failed.Stage != mailer.StageGreeting || failed.Permanent || !strings.Contains(failed.Hint, "smtps://") || !strings.Contains(failed.Text, "before TLS") {
				t.Errorf("%s: %v, %+v", way, err, failed)
			}
			if took := time.Since(began); took > mailer.DeliverWithin/4 {
				t.Errorf("%s: told after %v", way, took)
			}
		})
	}
	asked.Wait()
}

// The client waits for a server that greets late, as some do to detect clients that
// talk first.
func TestServerThatGreetsLate(t *testing.T) {
	t.Parallel()
	o := newMailServer(t)
	server := o.Server
	server.Patience = patience
	server.Port = serveEach(t, func(conn net.Conn) {
		time.Sleep(patience + patience/3)
		through, err := net.Dial("tcp", o.Server.String())
		if err != nil {
			return
		}
		defer through.Close()
		go func() { _, _ = io.Copy(through, conn) }()
		_, _ = io.Copy(conn, through)
	})
	if err := server.Greet(t.Context()); err != nil {
		t.Errorf("%v", err)
	}
}
