package handler

import (
	"net/netip"
	"strings"
	"testing"
)

// The client is the right-most hop that is not a trusted proxy, and never a hop to its
// left.
func TestClientAddress(t *testing.T) {
	for _, c := range []struct{ peer, forwarded, trusted, want string }{
		{"203.0.113.7", "", "", "203.0.113.7"},
		{"203.0.113.7", "198.51.100.1", "", "203.0.113.7"},
		{"203.0.113.7", "198.51.100.1", "10.0.0.0/8", "203.0.113.7"},
		{"10.0.0.1", "198.51.100.1", "10.0.0.0/8", "198.51.100.1"},
		{"10.0.0.1", "192.0.2.66, 198.51.100.1", "10.0.0.0/8", "198.51.100.1"},
		{"10.0.0.1", "192.0.2.66, 198.51.100.1, 10.0.0.2", "10.0.0.0/8", "198.51.100.1"},
		{"10.0.0.1", "192.0.2.66|198.51.100.1,10.0.0.2", "10.0.0.0/8", "198.51.100.1"}, // two lines of the header
		{"10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.0/8", "10.0.0.3"},
		{"10.0.0.1", "", "10.0.0.0/8", "10.0.0.1"},
		{"10.0.0.1", "198.51.100.1, unknown", "10.0.0.0/8", "10.0.0.1"},
		{"10.0.0.1", "198.51.100.1,", "10.0.0.0/8", "10.0.0.1"},
		{"10.0.0.1", "198.51.100.1:4711", "10.0.0.0/8", "198.51.100.1"},
		{"::1", "[2001:db8::5]:443", "::1/128", "2001:db8::5"},
		{"::1", "[2001:db8::5]", "::1/128", "2001:db8::5"},
		{"::ffff:10.0.0.1", "::ffff:198.51.100.1", "10.0.0.0/8", "198.51.100.1"},
		{"fe80::1%eth0", "", "", "fe80::1"},
	} {
		var trusted []netip.Prefix
		if c.trusted != "" {
			trusted = append(trusted, netip.MustParsePrefix(c.trusted))
		}
		got := clientAddress(netip.MustParseAddr(c.peer), strings.Split(c.forwarded, "|"), trusted)
		if got != netip.MustParseAddr(c.want) {
			t.Errorf("from %s, forwarded for %q, trusting %q: %s, want %s", c.peer, c.forwarded, c.trusted, got, c.want)
		}
	}
}
