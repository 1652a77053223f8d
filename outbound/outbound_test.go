package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// insideHosts are spellings of hosts outside the public internet.
var insideHosts = []string{
	"169.254.169.254", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.100.100.200", "100.64.0.1", "0.0.0.0", "255.255.255.255", "224.0.0.1", "239.1.2.3",
	"198.18.0.1", "192.0.0.192", "[::]", "[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]", "[fe80::1]", "[fe80::1%25eth0]", "[fc00::1]", "[fd00:ec2::254]",
	"[ff02::1]", "127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "localhost", "LOCALHOST.", "a.localhost", "[64:ff9b::a00:1]", "[2002:a00:1::]", "[::10.0.0.1]", "[fec0::1]", "2130706433", "0x7f000001", "127.1", "10.0.0.1.", "0177.0.0.1", "0xA9FEA9FE",
}

func TestAddresses(t *testing.T) {
	for _, host := range insideHosts {
		for _, text := range []string{"https://" + host + "/hook", "https://" + host + ":8443/", "http://" + host} {
			if _, err := ParseURL(text, false); err == nil {
				t.Errorf("%s is accepted", text)
			}
		}
		for _, text := range []string{"https://" + host, "http://" + host + ":1/x"} {
			if _, err := ParseURL(text, true); err != nil {
				t.Errorf("%s is refused although private addresses are allowed: %v", text, err)
			}
		}
	}
	for _, text := range []string{"http://example.com", "http://8.8.8.8/", "ftp://example.com", "gopher://127.0.0.1", "file:///etc/passwd", "https://", "https:///x", "//example.com",
		"example.com", "https://user:canary@example.com", "https://user@127.0.0.1", "https://example.com/#canary", "https://example.com/a b", "https://exa\nmple.com", "https:opaque", ""} {
		for _, private := range []bool{false, true} {
			if _, err := ParseURL(text, private); err == nil || strings.Contains(err.Error(), "canary") {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
	for _, text := range []string{"https://example.com/hook?x=1", "https://8.8.8.8", "https://[2606:4700::1111]:443/", "https://172.32.0.1", "https://10.example/"} {
		if _, err := ParseURL(text, false); err != nil {
			t.Errorf("%s is refused: %v", text, err)
		}
	}
}

// A name is checked after it was resolved: one that changes its address between two look-ups
// reaches nothing inside.
func TestResolvedAddresses(t *testing.T) {
	for _, text := range []string{"127.0.0.1:1", "10.0.0.1:443", "[::1]:80", "169.254.169.254:80", "[fd00::1]:443"} {
		if err := Control(false, false)("tcp", text, nil); !errors.Is(err, ErrInside) {
			t.Errorf("%s is reached under another name: %v", text, err)
		}
		if err := Control(false, true)("tcp", text, nil); err != nil {
			t.Errorf("%s is not reached although it is allowed: %v", text, err)
		}
		loopback := netip.MustParseAddrPort(text).Addr().IsLoopback()
		if err := Control(true, false)("tcp", text, nil); (err == nil) != loopback {
			t.Errorf("%s under the name of this machine: %v", text, err)
		}
	}
	if err := Control(false, false)("tcp", "8.8.8.8:443", nil); err != nil {
		t.Errorf("a public address: %v", err)
	}
	if _, err := ResolveURL(t.Context(), "https://localhost.localdomain:1/", false); err != nil && !errors.Is(err, ErrInside) {
		t.Errorf("a name of this machine: %v", err)
	}
}

// Without the setting a receiver on this machine is not reached, under any name.
func TestThisMachine(t *testing.T) {
	s, count := receiver(t, func(http.ResponseWriter, *http.Request) {})
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "127.1.2.3", "x.localhost"} {
		if _, err := NewPoster(Options{}).Send(t.Context(), Post{URL: "http://" + host + ":" + port}); err == nil || count.Load() != 0 {
			t.Errorf("%s is reached: %v", host, err)
		}
	}
	if _, err := NewPoster(Options{Private: true}).Send(t.Context(), Post{URL: s.URL}); err != nil || count.Load() != 1 {
		t.Errorf("it is not reached although it is allowed: %v", err)
	}
}

// received counts the requests of a receiver.
func receiver(t *testing.T, answer http.HandlerFunc) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var count atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count.Add(1)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s, &count
}

func TestAnswers(t *testing.T) {
	c := NewPoster(Options{Private: true})
	target, reached := receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for name, answer := range map[string]struct {
		do     http.HandlerFunc
		status int // 0: an error
	}{
		"accepted": {func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil || string(body) != "content" || r.Header.Get("X-Test") != "1" {
				w.WriteHeader(http.StatusBadRequest)
			}
		}, 200},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, target.URL, http.StatusTemporaryRedirect)
		}, 307},
		"huge": {func(w http.ResponseWriter, _ *http.Request) {
			for part := strings.Repeat("x", 1<<20); ; {
				if _, err := io.WriteString(w, part); err != nil {
					return
				}
			}
		}, 200},
		"no answer": {func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, 0},
		"broken body": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(http.StatusInternalServerError)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, 500},
	} {
		t.Run(name, func(t *testing.T) {
			s, count := receiver(t, answer.do)
			a, err := c.Send(t.Context(), Post{URL: s.URL + "/canary", Header: http.Header{"X-Test": {"1"}}, Body: []byte("content")})
			if a.Status != answer.status || (err != nil) != (answer.status == 0) || len(a.Body) > MaxAnswer+100 {
				t.Errorf("%d with %d bytes, %v; want %d", a.Status, len(a.Body), err, answer.status)
			}
			if count.Load() != 1 || reached.Load() != 0 {
				t.Errorf("%d requests, %d to the other address", count.Load(), reached.Load())
			}
			if strings.Contains(fmt.Sprint(err), "canary") {
				t.Errorf("the error repeats the address: %v", err)
			}
		})
	}
}

// A proxy of the environment is not used, an unknown certificate is refused, and a receiver that
// is silent ends with the time of the request.
func TestFailures(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	s, count := receiver(t, func(http.ResponseWriter, *http.Request) {})
	c := NewPoster(Options{Private: true})
	if _, err := c.Send(t.Context(), Post{URL: s.URL}); err != nil || count.Load() != 1 {
		t.Errorf("with a proxy in the environment: %v", err)
	}
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	if _, err := c.Send(t.Context(), Post{URL: secure.URL + "/canary"}); err == nil || strings.Contains(err.Error(), "canary") || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown certificate: %v", err)
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Send(ctx, Post{URL: "http://" + silent.Addr().String() + "/canary"}); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("a silent receiver: %v", err)
	}
	if _, err := c.Send(t.Context(), Post{URL: "http://127.0.0.1:1/canary"}); err == nil || !strings.Contains(err.Error(), "refused") || strings.Contains(err.Error(), "canary") {
		t.Errorf("nobody listens: %v", err)
	}
}
