package transport

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"rebatedesk/safehttp"
)

// These are different spellings of addresses outside the public internet.
var inside = []string{
	"169.254.169.254", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.100.100.200", "0.0.0.0", "255.255.255.255", "224.0.0.1",
	"127.0.0.1", "127.1.2.3", "198.18.0.1", "192.0.0.192",
	"[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]", "[fe80::1]", "[fe80::1%25eth0]", "[fc00::1]", "[fd00:ec2::254]",
	"[ff02::1]", "[64:ff9b::a00:1]", "[2002:a00:1::]", "[::10.0.0.1]", "[fec0::1]",
	"localhost", "LOCALHOST", "localhost.", "x.localhost", "2130706433", "0x7f000001", "127.1", "10.0.0.1.",
}

func TestPrivateAddresses(t *testing.T) {
	for _, host := range inside {
		for _, base := range []string{"https://" + host, "https://" + host + ":8443"} {
			if (safehttp.Reach{}).CheckBase(base) == nil {
				t.Errorf("%s is accepted as an exchange", base)
			}
			if _, err := NewSender(Config{BaseURL: base}, Protocol{}); err == nil {
				t.Errorf("a client of %s was created", base)
			}
			if _, err := NewSender(Config{BaseURL: "https://api.example.com", ContractBaseURL: base}, Protocol{}); err == nil {
				t.Errorf("a client of the contract market %s was created", base)
			}
			if _, err := NewSender(Config{BaseURL: base, Reach: safehttp.Reach{Private: true}}, Protocol{}); err != nil {
				t.Errorf("%s, allowed: %v", base, err)
			}
		}
	}
	for _, base := range []string{"https://api.example.com", "https://8.8.8.8", "https://[2606:4700::1111]:443", "https://172.32.0.1",
		"https://api.example.com.", "https://10.example", "http://127.0.0.1:1", "http://[::1]:1", "http://localhost:1"} {
		if err := (safehttp.Reach{}).CheckBase(base); err != nil {
			t.Errorf("%s is refused: %v", base, err)
		}
	}
}

// The addresses of a name are checked after it was resolved, and nothing is sent to a
// private one.
func TestNamesOfPrivateAddresses(t *testing.T) {
	var called atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		called.Add(1)
		_, _ = w.Write([]byte("instance-id: i-1"))
	}))
	defer service.Close()
	_, port, err := net.SplitHostPort(service.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		config Config
		calls  int64
	}{
		{Config{BaseURL: "https://api.example.com"}, 0},
		{Config{BaseURL: "http://127.0.0.1:" + port}, 1},
		{Config{BaseURL: "https://api.example.com", Reach: safehttp.Reach{Private: true}}, 1},
	} {
		called.Store(0)
		// localhost has the result that a foreign resolver could give for the name.
		conn, err := c.config.dial()(context.Background(), "tcp", "localhost:"+port)
		if err == nil {
			_, _ = conn.Write([]byte("GET / HTTP/1.0\r\n\r\n"))
			_, _ = conn.Read(make([]byte, 1))
			_ = conn.Close()
		}
		if called.Load() != c.calls || (c.calls == 0) != errors.Is(err, safehttp.ErrInside) {
			t.Errorf("%s: %d calls, %v; want %d", c.config.BaseURL, called.Load(), err, c.calls)
		}
	}
}

// An answer that is not JSON can contain anything, so the error repeats nothing of it.
func TestForeignAnswersAreNotRepeated(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("Instance-id: i-0123"))
	}))
	defer service.Close()
	client, err := NewSender(Config{BaseURL: service.URL, Tries: 1}, Protocol{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.ServerTime(t.Context())
	if err == nil || strings.ContainsAny(err.Error(), "'\"`") || strings.Contains(err.Error(), "invalid character") || !strings.Contains(err.Error(), "no JSON") {
		t.Errorf("the answer of another service: %v", err)
	}
}
