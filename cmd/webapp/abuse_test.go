package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// memoryLimit is the most memory, in bytes, that a server may use under any abuse.
const memoryLimit = 300 << 20

// abuses run at the same time. Each kind has as many clients as a process may have
// connections, less a few on which the server can still answer.
var abuses = map[string]func(t *testing.T, address string, until time.Time){
	"gzip bombs":  bombs,
	"slow bodies": func(t *testing.T, address string, until time.Time) { trickle(t, address, until, slowBody) },
	"slow heads":  func(t *testing.T, address string, until time.Time) { trickle(t, address, until, slowHead) },
	"guesses":     guesses,
	"silence":     func(t *testing.T, address string, until time.Time) { trickle(t, address, until, "") },
}

const (
	slowBody = "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 65000\r\n\r\n"
	slowHead = "GET /login HTTP/1.1\r\nHost: localhost\r\nX-Filler: "
)

// A server under abuse stays small and keeps answering.
func TestMemoryUnderAbuse(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system does not tell the memory of a process")
	}
	d := newHarness(t, atWallClock)
	if status, said := d.typed("seven lanterns uphill", "user", "add", "--name", "ann", "--role", "admin", "--password-stdin"); status != statusDone {
		t.Fatal(said)
	}
	s := serving(t, []string{"REBATEDESK_DB=" + d.db, fullPasswords + "=1"})
	memory := peakMemory(s.Process.Pid)
	address := strings.TrimPrefix(s.url, "http://")
	until := time.Now().Add(3 * time.Second)
	var at sync.WaitGroup
	for _, abuse := range abuses {
		at.Go(func() { abuse(t, address, until) })
	}
	answered := 0
	for time.Now().Before(until) {
		if ready(s.url + "/healthz") {
			answered++
		}
		time.Sleep(50 * time.Millisecond)
	}
	at.Wait()
	if took, err := s.terminated(); err != nil || took > 20*time.Second {
		t.Errorf("ended with %v after %v: %s", err, took, s.stderr)
	}
	peak := <-memory
	t.Logf("%d MiB at the most, %d answers meanwhile", peak>>20, answered)
	if peak > memoryLimit && !raced {
		t.Errorf("%d MiB, want at most %d", peak>>20, memoryLimit>>20)
	}
	if answered < 5 {
		t.Errorf("only %d answers while it lasted", answered)
	}
}

// bombs sends compressed bodies of 60 MiB unpacked.
func bombs(t *testing.T, address string, until time.Time) {
	var bomb bytes.Buffer
	packed := gzip.NewWriter(&bomb)
	if _, err := io.CopyN(packed, zeros{}, 60<<20); err != nil {
		t.Error(err)
		return
	}
	if err := packed.Close(); err != nil {
		t.Error(err)
		return
	}
	for time.Now().Before(until) {
		request, err := http.NewRequest(http.MethodPost, "http://"+address+"/login", bytes.NewReader(bomb.Bytes()))
		if err != nil {
			t.Error(err)
			return
		}
		request.Header.Set("Content-Encoding", "gzip")
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Errorf("a bomb was not answered: %v", err)
			return
		}
		_ = answer.Body.Close() // nothing of it was read
		if answer.StatusCode != http.StatusUnsupportedMediaType {
			t.Errorf("a bomb was answered with %s", answer.Status)
			return
		}
	}
}

// guessers is the number of clients that guess passwords at once.
const guessers = 24

// guesses tries passwords for many users at once, each guesser like a browser.
func guesses(t *testing.T, address string, until time.Time) {
	var work sync.WaitGroup
	for i := range guessers {
		work.Go(func() {
			for n := 0; time.Now().Before(until); n++ {
				if status := guess(t, address, fmt.Sprintf("user%d-%d", i, n)); status != 401 && status != 429 && status != 503 {
					t.Errorf("a guess was answered with %d", status)
					return
				}
			}
		})
	}
	work.Wait()
}

var tokenField = regexp.MustCompile(`name="token" value="([^"]+)"`)

// guess opens the form of the sign-in and sends a wrong password.
func guess(t *testing.T, address, user string) (status int) {
	page, err := http.Get("http://" + address + "/login")
	if err != nil {
		t.Errorf("the form of the sign-in: %v", err)
		return 0
	}
	text, err := io.ReadAll(page.Body)
	if closed := page.Body.Close(); err != nil || closed != nil {
		t.Errorf("the form of the sign-in: %v, %v", err, closed)
		return 0
	}
	token := tokenField.FindSubmatch(text)
	if token == nil {
		t.Errorf("no form of a sign-in: %s", page.Status)
		return 0
	}
	form := url.Values{"token": {string(token[1])}, "username": {user}, "password": {"a wrong password"}}
	request, err := http.NewRequest(http.MethodPost, "http://"+address+"/login", strings.NewReader(form.Encode()))
	if err != nil {
		t.Error(err)
		return 0
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, cookie := range page.Cookies() {
		request.AddCookie(cookie)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Errorf("a guess: %v", err)
		return 0
	}
	_ = answer.Body.Close() // nothing of it was read
	return answer.StatusCode
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// slowConnections is the number of connections of one kind that are open at once.
const slowConnections = 400

// trickle opens connections, sends the beginning of a request, and then single bytes
// slowly.
func trickle(t *testing.T, address string, until time.Time, begin string) {
	var conns []net.Conn
	defer func() {
		for _, conn := range conns {
			_ = conn.Close() // the server may have closed it first
		}
	}()
	for range slowConnections {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Errorf("connection %d: %v", len(conns), err)
			return
		}
		conns = append(conns, conn)
		_, _ = io.WriteString(conn, begin) // as below
	}
	for time.Now().Before(until) {
		for _, conn := range conns {
			if begin != "" {
				_, _ = io.WriteString(conn, "a") // the server may have closed it
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// The server answers every request that it accepted before it was told to stop, even if
// only the beginning of the request had arrived by then.
func TestTerminatedUnderLoad(t *testing.T) {
	s := serving(t, nil)
	address := strings.TrimPrefix(s.url, "http://")
	const request = "GET /login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
	const half, halves = len(request) / 2, 50
	results := make(chan error, 1<<16)
	told, later := make(chan struct{}), make(chan struct{})
	var work sync.WaitGroup
	for range halves {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, request[:half]); err != nil {
			t.Fatal(err)
		}
		work.Go(func() {
			<-later
			results <- answer(conn, request[half:])
		})
	}
	for range 8 { // one after another, until the server stops reading
		work.Go(func() {
			for {
				conn, err := net.Dial("tcp", address)
				if err != nil {
					return
				}
				err = answer(conn, request)
				select {
				case <-told:
					if err != nil { // not accepted yet: the system refuses it
						return
					}
				default:
				}
				results <- err
			}
		})
	}
	time.Sleep(300 * time.Millisecond)
	close(told)
	time.AfterFunc(300*time.Millisecond, func() { close(later) })
	took, err := s.terminated()
	work.Wait()
	close(results)
	answered, dropped := 0, []error{}
	for err := range results {
		if err == nil {
			answered++
		} else {
			dropped = append(dropped, err)
		}
	}
	t.Logf("%d answers, %d dropped, stopped within %v", answered, len(dropped), took)
	if err != nil || took > 20*time.Second {
		t.Errorf("ended with %v after %v: %s", err, took, s.stderr)
	}
	if len(dropped) > 0 || answered <= halves {
		t.Errorf("%d answers, dropped: %.3v", answered, dropped)
	}
}

// answer sends the rest of a request and reads the whole answer.
func answer(conn net.Conn, rest string) error {
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, rest); err != nil {
		return err
	}
	said, err := io.ReadAll(conn)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(said, []byte("HTTP/1.1 ")) || !bytes.Contains(said, []byte("\r\n\r\n")) {
		return fmt.Errorf("%d bytes of no answer", len(said))
	}
	return nil
}
