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

// errInside is why nothing is sent to an address.
var errInside = errors.New("is an address of this machine, of a private network or of none, and not of an exchange")

// insideNetworks are those that [netip.Addr] does not tell by itself: of this
// network, of providers' inner networks, of protocols and of tests of speed, and
// those by which IPv6 reaches addresses of IPv4, private ones too.
var insideNetworks = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("::/96"), netip.MustParsePrefix("fec0::/10"),
}

// outside reports whether an address is one of the internet.
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

// ReachesInside reports whether a base address names a host that is certainly not
// an exchange: an address of a private network, of this machine or of none, however
// it is written. Plain http to this machine is none of them: it is how the
// simulator is reached. Names are looked at when they are resolved.
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
	// Forms that some resolvers take for an address: 127.1, 0x7f000001, 2130706433.
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") || strings.HasPrefix(last, "0X")
}

// outsideOnly refuses connections that do not lead outside. It is asked when a name
// has been resolved, just before connecting: a name cannot mean one address when it
// is looked at and another one afterwards.
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

// dial is how the connections of a client are made where it is not given.
func (c Config) dial() dialer {
	d := net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}
	if !c.AllowPrivate {
		d.Control = outsideOnly(strings.HasPrefix(c.BaseURL, "http:") || strings.HasPrefix(c.ContractBaseURL, "http:"))
	}
	return d.DialContext
}
