package config

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// TLS is the configuration of the web server's encryption.
type TLS struct {
	Mode      string // tlsOff, tlsAuto or tlsFiles
	Cert, Key string // PEM files, with tlsFiles
}

// TLS modes.
const (
	TLSOff   = "off"   // plain http: only this machine, or a proxy in front
	TLSAuto  = "auto"  // a certificate from Let's Encrypt, fetched and renewed automatically
	TLSFiles = "files" // a certificate from files
)

// checkTLS reports settings of TLS that contradict each other or PUBLIC_URL, which
// cookies and headers follow.
func (r *reader) checkTLS(cfg Config) {
	if r.faulty("TLS") {
		return
	}
	for _, name := range []string{"TLS_CERT", "TLS_KEY"} {
		switch {
		case cfg.TLS.Mode == TLSFiles:
			r.require(name)
		case r.place(name) != "":
			r.fault(name, r.place(name), ValueProblem{"is set and not used", "set TLS to files, or take it out"})
		}
	}
	if cfg.TLS.Mode != TLSOff {
		r.checkEncryptedAddress(cfg.TLS.Mode, cfg.PublicURL)
	}
}

// checkEncryptedAddress reports a PUBLIC_URL that does not fit TLS.
func (r *reader) checkEncryptedAddress(mode, public string) {
	origin := r.place("PUBLIC_URL")
	u, err := url.Parse(public)
	switch {
	case err != nil || u.Scheme != "https":
		r.fault("PUBLIC_URL", origin, ValueProblem{"is not an https address, and TLS is " + mode, "set it to the address people open, such as https://desk.example.com"})
	case mode == TLSAuto && !registrable(u.Hostname()):
		r.fault("PUBLIC_URL", origin, ValueProblem{"names no host that a certificate can be fetched for", "use a name that leads to this machine from the internet, or TLS=files"})
	}
}

// registrable reports whether a public certificate authority can issue a certificate for
// the name.
func registrable(host string) bool {
	_, err := netip.ParseAddr(host)
	return err != nil && strings.Contains(strings.Trim(host, "."), ".") && !strings.HasSuffix(host, ".localhost")
}

// maxProxies limits the networks of TRUSTED_PROXIES.
const maxProxies = 64

// parsePrefixes parses networks and single addresses, separated by commas. A
// network of all addresses would let every client choose its own address.
func parsePrefixes(text string) ([]netip.Prefix, *ValueProblem) {
	const hint = "give networks such as 10.0.0.0/8 or addresses such as 127.0.0.1, separated by commas"
	var prefixes []netip.Prefix
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		prefix, err := netip.ParsePrefix(item)
		if address, single := netip.ParseAddr(item); single == nil && address.Zone() == "" {
			prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return nil, &ValueProblem{"is not a list of networks", hint}
		}
		if prefix.Bits() == 0 {
			return nil, &ValueProblem{"trusts every address", hint}
		}
		prefixes = append(prefixes, unmapped(prefix.Masked()))
	}
	if len(prefixes) > maxProxies {
		return nil, &ValueProblem{"lists too many networks", "64 are enough"}
	}
	return prefixes, nil
}

// unmapped returns the IPv4 network of an IPv4-mapped IPv6 network: addresses of
// connections are compared in their short form.
func unmapped(p netip.Prefix) netip.Prefix {
	if !p.Addr().Is4In6() || p.Bits() < 96 {
		return p
	}
	return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
}

// LocalOnly reports whether a listen address can be reached only from this machine.
func LocalOnly(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	return err == nil && loopback(host)
}

// HostOf returns the host of a web address without its port; empty if there is
// none.
func HostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
