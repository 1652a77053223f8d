package safehttp

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

	"pgregory.net/rapid"
)

// insideHosts are spellings of hosts outside the public internet.
var insideHosts = []string{
	"169.254.169.254", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.100.100.200", "100.64.0.1", "0.0.0.0", "255.255.255.255", "224.0.0.1", "239.1.2.3",
	"198.18.0.1", "192.0.0.192", "[::]", "[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]", "[fe80::1]", "[fe80::1%25eth0]", "[fc00::1]", "[fd00:ec2::254]",
	"[ff02::1]", "127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "localhost", "LOCALHOST.", "a.localhost", "[64:ff9b::a00:1]", "[2002:a00:1::]", "[::10.0.0.1]", "[fec0::1]", "2130706433", "0x7f000001", "127.1", "10.0.0.1.", "0177.0.0.1", "0xA9FEA9FE",
	"192.0.2.1", "198.51.100.7", "203.0.113.9", "192.88.99.1", "[::ffff:192.0.2.1]", "[::ffff:0:10.0.0.1]", "[2001:db8::1]", "[2001::1]", "[2001:2::1]", "[100::1]", "[3fff::1]", "[5f00::1]",
}

func TestAddresses(t *testing.T) {
	for _, host := range insideHosts {
		for _, text := range []string{"https://" + host + "/hook", "https://" + host + ":8443/", "http://" + host} {
			if _, err := (Reach{}).ParseURL(text); err == nil {
				t.Errorf("%s is accepted", text)
			}
		}
		for _, text := range []string{"https://" + host, "http://" + host + ":1/x"} {
			if _, err := (Reach{Private: true}).ParseURL(text); err != nil {
				t.Errorf("%s is refused although private addresses are allowed: %v", text, err)
			}
		}
	}
	for _, text := range []string{"http://example.com", "http://8.8.8.8/", "ftp://example.com", "gopher://127.0.0.1", "file:///etc/passwd", "https://", "https:///x", "//example.com",
		"example.com", "https://user:canary@example.com", "https://user@127.0.0.1", "https://example.com/#canary", "https://example.com/a b", "https://exa\nmple.com", "https:opaque", ""} {
		for _, private := range []bool{false, true} {
			if _, err := (Reach{Private: private}).ParseURL(text); err == nil || strings.Contains(err.Error(), "canary") {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
	for _, text := range []string{"https://example.com/hook?x=1", "https://8.8.8.8", "https://[2606:4700::1111]:443/", "https://172.32.0.1", "https://10.example/"} {
		if _, err := (Reach{}).ParseURL(text); err != nil {
			t.Errorf("%s is refused: %v", text, err)
		}
	}
}

// A name is checked after it was resolved: one that changes its address between two look-ups
// reaches nothing inside.
func TestResolvedAddresses(t *testing.T) {
	for _, text := range []string{"127.0.0.1:1", "10.0.0.1:443", "[::1]:80", "169.254.169.254:80", "[fd00::1]:443"} {
		if err := (Reach{}).control("tcp", text, nil); !errors.Is(err, ErrInside) {
			t.Errorf("%s is reached under another name: %v", text, err)
		}
		if err := (Reach{Private: true}).control("tcp", text, nil); err != nil {
			t.Errorf("%s is not reached although it is allowed: %v", text, err)
		}
		loopback := netip.MustParseAddrPort(text).Addr().IsLoopback()
		if err := (Reach{Loopback: true}).control("tcp", text, nil); (err == nil) != loopback {
			t.Errorf("%s under the name of this machine: %v", text, err)
		}
	}
	if err := (Reach{}).control("tcp", "8.8.8.8:443", nil); err != nil {
		t.Errorf("a public address: %v", err)
	}
	if _, err := (Reach{}).ResolveURL(t.Context(), "https://localhost.localdomain:1/"); err != nil && !errors.Is(err, ErrInside) {
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
	if _, err := NewPoster(Options{Reach: Reach{Private: true}}).Send(t.Context(), Post{URL: s.URL}); err != nil || count.Load() != 1 {
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
	c := NewPoster(Options{Reach: Reach{Private: true}})
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
	c := NewPoster(Options{Reach: Reach{Private: true}})
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

// What is refused when a connection is made is refused when its address is entered, by one rule: no
// address lies between the two.
func TestEnteredAsConnected(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, a netip.Addr) {
		host := a.String()
		if a.Is6() {
			host = "[" + host + "]"
		}
		_, entered := (Reach{}).ParseURL("https://" + host + "/x")
		connected := (Reach{}).control("tcp", netip.AddrPortFrom(a, 443).String(), nil)
		if (entered == nil) != (connected == nil) {
			t.Fatalf("%s: entered %v, connected %v", host, entered, connected)
		}
	}
	for _, network := range insideNetworks {
		check(t, network.Addr().Next())
		check(t, network.Addr().Prev())
	}
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "address")
		check(t, netip.AddrFrom4([4]byte(raw[:4])))
		check(t, netip.AddrFrom16([16]byte(raw)))
		check(t, netip.AddrFrom16([16]byte(append(append(make([]byte, 10, 16), 0xff, 0xff), raw[:4]...))))
	})
}

func TestHosts(t *testing.T) {
	hosts, err := ParseHosts("hooks.slack.com, *.Example.COM,b\u00fccher.example,203.0.113.7,2001:DB8::0:1,[2001:db8::2], ::ffff:198.51.100.1")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ParseHosts(hosts.String()); err != nil || again != hosts {
		t.Errorf("%v read again is %v, %v", hosts, again, err)
	}
	for _, host := range []string{"hooks.slack.com", "HOOKS.slack.com.", "a.example.com", "a.b.example.com", "xn--bcher-kva.example", "B\u00dcCHER.example", "203.0.113.7", "2001:db8::1", "[2001:db8:0::2]", "198.51.100.1", "::ffff:cb00:7107"} {
		if !hosts.Has(host) || !(HostList{}).Has(host) {
			t.Errorf("%s is not in the list", host)
		}
	}
	for _, host := range []string{"", "slack.com", "x.hooks.slack.com", "hooks.slack.com.evil.net", "example.com", ".example.com", "evilexample.com", "example.com.evil.net", "203.0.113.8", "203.0.113.7.evil.net", "3405803783", "2001:db8::3", "localhost"} {
		if hosts.Has(host) {
			t.Errorf("%q is in the list", host)
		}
	}
	for _, text := range []string{"", ",", "a.example,", "https://a.example", "a.example:443", "a.example/x", "u@a.example", "*", "*.*", "a.*.example", "*.203.0.113.7", "*.[::1]", "a b", "a..example", "0x7f000001", "127.1", "10.0.0.0/8", strings.Repeat("a", 64) + ".example"} {
		if hosts, err := ParseHosts(text); err == nil {
			t.Errorf("%q is the list %v", text, hosts)
		}
	}
}

// A host outside the list is refused when its address is entered and when a connection is made, and
// one in the list keeps the rules for private addresses.
func TestOnlyListedHosts(t *testing.T) {
	s, count := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://localhost:"+r.URL.Port()+"/elsewhere", http.StatusFound)
	})
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	listed, err := ParseHosts("127.0.0.1,example.com")
	if err != nil {
		t.Fatal(err)
	}
	reach := Reach{Private: true, Hosts: listed}
	for url, want := range map[string]error{
		"http://127.0.0.1:" + port: nil, "http://[::ffff:127.0.0.1]:" + port: nil,
		"http://localhost:" + port: ErrUnlisted, "http://127.0.0.2:" + port: ErrUnlisted, "https://www.example.com": ErrUnlisted, "https://8.8.8.8": ErrUnlisted,
	} {
		before := count.Load()
		if _, err := reach.ResolveURL(t.Context(), url); !errors.Is(err, want) {
			t.Errorf("%s is entered: %v", url, err)
		}
		_, err := NewPoster(Options{Reach: reach}).Send(t.Context(), Post{URL: url})
		if !errors.Is(err, want) || (count.Load() > before) != (want == nil) {
			t.Errorf("%s is posted to: %v, %d requests", url, err, count.Load()-before)
		}
		if err := (Reach{Hosts: listed}).CheckBase(url); !errors.Is(err, want) && !(want == nil && errors.Is(err, ErrInside)) {
			t.Errorf("%s as an exchange: %v", url, err)
		}
	}
	if _, err := (Reach{Hosts: listed}).ParseURL("https://127.0.0.1/"); !errors.Is(err, ErrInside) {
		t.Errorf("the list opens this machine: %v", err)
	}
}
