package site

import (
	"net"
	"strings"
	"testing"
	"time"

	"rebatedesk/access"
)

// Asked sends a request of a signed-in user and does not read the answer. The connection
// closes when the test ends.
func Asked(t *testing.T, address, path string, role access.Role) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // the server has closed many of them by then
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(Patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nCookie: " + SignedIn(t, role) + "\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	return conn
}

// Eventually repeats a request until the answer has the given status. It serves changes
// that give no signal.
func Eventually(t *testing.T, status int, ask func() Answer) Answer {
	t.Helper()
	for until := time.Now().Add(Patience); ; {
		a := ask()
		if a.StatusCode == status {
			return a
		}
		if time.Now().After(until) {
			t.Fatalf("status %d, want %d", a.StatusCode, status)
		}
	}
}
