package outbound

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

// ErrInside is the error for an address that is not on the public internet.
var ErrInside = errors.New("is an address of this machine, of a private network or of none")

// insideNetworks are special networks that [netip.Addr] does not report: "this
// network", carrier-grade NAT, protocol assignments, benchmarks, and those that map
// IPv4 addresses, private ones too, into IPv6.
var insideNetworks = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("::/96"), netip.MustParsePrefix("fec0::/10"),
}

// Outside reports whether an address is on the public internet.
func Outside(a netip.Addr) bool {
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

// ReachesInside reports whether the address of an exchange names a host that is not on the public
// internet: an address of a private network or of this machine, in any notation. Plain http to this
// machine is allowed, as the simulator has it. Names are checked when they are resolved.
func ReachesInside(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false // refused for another reason
	}
	return insideHost(u.Hostname()) && !(u.Scheme == "http" && ThisMachine(u.Hostname()))
}

// insideHost reports whether a host is not on the public internet by its name alone: an address of
// a private network or of this machine, in any notation, or a name that always means this machine.
func insideHost(host string) bool {
	if ThisMachine(host) {
		return true
	}
	host = strings.TrimSuffix(host, ".")
	if a, err := netip.ParseAddr(host); err == nil {
		return !Outside(a)
	}
	// Forms that some resolvers accept as an address: 127.1, 0x7f000001, 2130706433.
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") || strings.HasPrefix(last, "0X")
}

// ThisMachine reports whether a host is this machine by its name: localhost, or a loopback
// address.
func ThisMachine(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}
