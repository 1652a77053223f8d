package site

import (
	"net"
	"testing"

	"rebatedesk/store/storetest"
)

// FreePort returns a port that nobody listens on.
func FreePort(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	storetest.Done(t, err)
	storetest.Done(t, ln.Close())
	_, port, err := net.SplitHostPort(ln.Addr().String())
	storetest.Done(t, err)
	return port
}
