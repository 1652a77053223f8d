package safehttp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/idna"
)

const (
	dialTimeout = 10 * time.Second
	keepAlive   = 30 * time.Second
	// resolveWithin is how long [Reach.Resolve] waits for a name server.
	resolveWithin = 5 * time.Second
)

// Reach says which hosts may be reached at addresses that users entered. The zero Reach is every
// host of the public internet. Two that allow the same are equal.
type Reach struct {
	Private  bool     // addresses of private networks and of this machine, too
	Loopback bool     // those of this machine alone, too
	Hosts    HostList // no others than these
}

// HostList is a list of hosts, of [ParseHosts]. The empty one lists every host.
type HostList struct{ list string } // separated by commas, so that lists can be compared

// MaxHosts is how many hosts a list may have.
const MaxHosts = 256

// ErrUnlisted is the error for a host that is not in the list of allowed ones.
var ErrUnlisted = errors.New("is none of the hosts in ALLOWED_HOSTS; whoever operates the program can add it there")

// ParseHosts reads hosts, separated by commas: names such as api.example.com, addresses such as
// 198.51.100.7, and *.example.com for all names below example.com, which does not list example.com
// itself. An error says what is wrong with the first host that is none.
func ParseHosts(text string) (HostList, error) {
	var list []string
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		below, all := strings.CutPrefix(item, "*.")
		host := plainHost(below)
		_, err := netip.ParseAddr(host)
		switch {
		case item == "":
			return HostList{}, errors.New("has an empty host")
		case strings.ContainsAny(item, "/:@") && (err != nil || all):
			return HostList{}, fmt.Errorf("has %.60q, which is more than a host", item)
		case err == nil && !all:
		case !hostname(host):
			return HostList{}, fmt.Errorf("has %.60q, which is no host", item)
		case all:
			host = "*." + host
		}
		list = append(list, host)
	}
	if len(list) > MaxHosts {
		return HostList{}, fmt.Errorf("has more than %d hosts", MaxHosts)
	}
	return HostList{strings.Join(list, ",")}, nil
}

// hostname reports whether a host in its plain form is a name, and not a number that some resolvers
// accept as an address.
func hostname(host string) bool {
	if host == "" || len(host) > 253 || numeric(host) {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

// plainHost returns a host as it is compared: an address in its shortest form, a name in small
// ASCII letters, as resolvers are asked for it, without the dot at its end.
func plainHost(host string) string {
	host = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().String()
	}
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	return strings.ToLower(host)
}

// Has reports whether a host may be reached by the list.
func (h HostList) Has(host string) bool {
	if h.list == "" {
		return true
	}
	host = plainHost(host)
	for one := range strings.SplitSeq(h.list, ",") {
		if below, all := strings.CutPrefix(one, "*"); one == host || all && strings.HasSuffix(host, below) && len(host) > len(below) {
			return true
		}
	}
	return false
}

// String returns the list, separated by commas.
func (h HostList) String() string { return h.list }

// CheckHost checks a host by its name alone: [ErrUnlisted], or [ErrInside] if it is certainly not on
// the public internet. The last is what [Reach.Dial] says of its addresses, too.
func (r Reach) CheckHost(host string) error {
	switch {
	case !r.Hosts.Has(host):
		return ErrUnlisted
	case !r.Private && insideHost(host) && !(r.Loopback && ThisMachine(host)):
		return ErrInside
	}
	return nil
}

// Resolve is [Reach.CheckHost], and resolves the name: one of a private network is refused when it
// is entered. A name that cannot be resolved now is accepted; each connection checks its address
// again.
func (r Reach) Resolve(ctx context.Context, host string) error {
	if err := r.CheckHost(host); err != nil || r.Private {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, resolveWithin)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil
	}
	for _, a := range addresses {
		if err := r.control("", netip.AddrPortFrom(a, 0).String(), nil); err != nil {
			return err
		}
	}
	return nil
}

// Dial connects to a host and port. It checks the host, and the address after the name was resolved,
// just before connecting, so that a name cannot change its address in between.
func (r Reach) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !r.Hosts.Has(host) {
		return nil, ErrUnlisted
	}
	d := net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive, Control: r.control}
	return d.DialContext(ctx, network, address)
}

// control is for [net.Dialer.Control]: it rejects connections to addresses that may not be reached.
func (r Reach) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("the address %.60q: %w", address, err)
	}
	if r.Private || Outside(to.Addr()) || r.Loopback && to.Addr().Unmap().IsLoopback() {
		return nil
	}
	return ErrInside
}

// OfExchange returns the reach at the base addresses of an exchange: plain http leads to this machine,
// as the simulator has it.
func (r Reach) OfExchange(bases ...string) Reach {
	r.Loopback = r.Loopback || slices.ContainsFunc(bases, func(base string) bool { return strings.HasPrefix(base, "http:") })
	return r
}

// CheckBase is [Reach.CheckHost] for the base address of an exchange. What is no address is refused
// for another reason.
func (r Reach) CheckBase(base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return nil
	}
	return r.OfExchange(base).CheckHost(u.Hostname())
}

// ResolveBase is [Reach.CheckBase], and resolves the name as [Reach.Resolve] does.
func (r Reach) ResolveBase(ctx context.Context, base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return nil
	}
	return r.OfExchange(base).Resolve(ctx, u.Hostname())
}
