package safehttp

import (
	"errors"
	"net/netip"
	"strings"
)

// ErrInside is the error for an address that is not on the public internet.
var ErrInside = errors.New("is an address of this machine, of a private network or of none")

// insideNetworks are networks that [netip.Addr] does not report, and that are not reached over the
// public internet (RFC 6890 and its registries): "this network", carrier-grade NAT, protocol
// assignments, documentation, benchmarks, addresses that are thrown away, and those that map IPv4
// addresses, private ones too, into IPv6.
var insideNetworks = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("::ffff:0:0:0/96"), netip.MustParsePrefix("100::/32"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("3fff::/20"),
	netip.MustParsePrefix("5f00::/16"), netip.MustParsePrefix("fec0::/10"),
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
	return numeric(host)
}

// numeric reports whether a host has one of the forms that some resolvers accept as an address:
// 127.1, 0x7f000001, 2130706433.
func numeric(host string) bool {
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
