package outbound

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"
)

const (
	dialTimeout = 10 * time.Second
	keepAlive   = 30 * time.Second
)

// Dial connects to a host and port. It checks the address after the name was resolved, just before
// connecting, so that a name cannot change its address in between. Unless private addresses are
// allowed, only public ones are reached.
func Dial(ctx context.Context, network, address string, private bool) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive, Control: Control(false, private)}
	return d.DialContext(ctx, network, address)
}

// Control returns a function for [net.Dialer.Control] that rejects connections to addresses that
// are not on the public internet, with [ErrInside]. Those of this machine are accepted if
// thisMachine says so, and every address if private ones are allowed.
func Control(thisMachine, private bool) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("the address %.60q: %w", address, err)
		}
		if private || Outside(to.Addr()) || thisMachine && to.Addr().Unmap().IsLoopback() {
			return nil
		}
		return ErrInside
	}
}
