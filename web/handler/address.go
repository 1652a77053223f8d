package handler

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// clientAddress returns the most credible source address of a request: the other end of
// the connection or, if that is a trusted proxy, the address that the proxy reports.
// Each proxy appends its client's address to the right of X-Forwarded-For; everything
// to the left of the first untrusted hop is text that the client wrote.
func clientAddress(peer netip.Addr, forwarded []string, trusted []netip.Prefix) netip.Addr {
	at := peer.Unmap().WithZone("")
	hops := strings.Split(strings.Join(forwarded, ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !within(at, trusted) {
			return at
		}
		before, ok := hopAddress(hop)
		if !ok { // a proxy that reports no client leaves only its own address
			return at
		}
		at = before
	}
	return at
}

func within(at netip.Addr, prefixes []netip.Prefix) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(at) })
}

// hopAddress parses one hop. Some proxies append the port.
func hopAddress(hop string) (netip.Addr, bool) {
	hop = strings.TrimSpace(hop)
	if at, err := netip.ParseAddrPort(hop); err == nil {
		return at.Addr().Unmap().WithZone(""), true
	}
	at, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(hop, "["), "]"))
	return at.Unmap().WithZone(""), err == nil
}

// Address returns the source address of the request. It is not valid if the
// connection's transport has no addresses.
func (s *Base) Address(c *fiber.Ctx) netip.Addr {
	var forwarded []string
	for _, line := range c.Request().Header.PeekAll(fiber.HeaderXForwardedFor) {
		forwarded = append(forwarded, string(line))
	}
	return clientAddress(peerOf(c), forwarded, s.TrustedProxies)
}

func peerOf(c *fiber.Ctx) netip.Addr {
	tcp, ok := c.Context().RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr()
}

// OnThisMachine reports whether the request was made on this machine and passed no
// proxy: through a local proxy, every client would look local.
func OnThisMachine(c *fiber.Ctx) bool {
	for _, name := range []string{fiber.HeaderXForwardedFor, "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via"} {
		if len(c.Request().Header.Peek(name)) > 0 {
			return false
		}
	}
	return peerOf(c).IsLoopback()
}
