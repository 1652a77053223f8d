package transport

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

// errInside is the error for an address inside a private network.
var errInside = errors.New("is an address of this machine, of a private network or of none, and not of an exchange")

// insideNetworks are special networks that [netip.Addr] does not report: "this
// network", carrier-grade NAT, protocol assignments, benchmarks, and those that map
// IPv4 addresses, private ones too, into IPv6.
var insideNetworks = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("::/96"), netip.MustParsePrefix("fec0::/10"),
}

// outside reports whether an address is on the public internet.
func outside(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, network := range insideNetworks {
		if network.Contains(a) {
			return false
		}
	}
	return true
}

// ReachesInside reports whether a base address names a host that cannot be an
// exchange: an address of a private network or of this machine, in any notation.
// Plain http to this machine is allowed, since the simulator is reached that way.
// Names are checked when they are resolved.
func ReachesInside(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false // refused for another reason
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	local := strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost")
	a, err := netip.ParseAddr(host)
	if err == nil {
		local = a.Unmap().IsLoopback()
	}
	switch {
	case local:
		return u.Scheme != "http"
	case err == nil:
		return !outside(a)
	}
	// Forms that some resolvers accept as an address: 127.1, 0x7f000001, 2130706433.
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") || strings.HasPrefix(last, "0X")
}

// outsideOnly rejects connections to inside addresses. It runs after the name was resolved,
// just before connecting, so that a name cannot change its address in between.
func outsideOnly(thisMachineToo bool) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("the address %.60q: %w", address, err)
		}
		if outside(to.Addr()) || thisMachineToo && to.Addr().Unmap().IsLoopback() {
			return nil
		}
		return errInside
	}
}

// dial is the default for Config.Dial.
func (c Config) dial() dialer {
	d := net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}
	if !c.AllowPrivate {
		d.Control = outsideOnly(strings.HasPrefix(c.BaseURL, "http:") || strings.HasPrefix(c.ContractBaseURL, "http:"))
	}
	return d.DialContext
}
