package handler

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// clientAddress is where a request comes from, as far as that can be believed:
// the other end of the connection or, where that is a proxy of ours, what the
// proxy says. Each proxy puts the address it was asked from to the right of
// X-Forwarded-For; everything to the left of the first hop that is no proxy of
// ours is whatever the client wrote.
func clientAddress(peer netip.Addr, forwarded []string, trusted []netip.Prefix) netip.Addr {
	at := peer.Unmap().WithZone("")
	hops := strings.Split(strings.Join(forwarded, ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !within(at, trusted) {
			return at
		}
		before, ok := hopAddress(hop)
		if !ok { // a proxy that does not say where from leaves us with itself
			return at
		}
		at = before
	}
	return at
}

func within(at netip.Addr, prefixes []netip.Prefix) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(at) })
}

// hopAddress reads one hop. Some proxies add the port.
func hopAddress(hop string) (netip.Addr, bool) {
	hop = strings.TrimSpace(hop)
	if at, err := netip.ParseAddrPort(hop); err == nil {
		return at.Addr().Unmap().WithZone(""), true
	}
	at, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(hop, "["), "]"))
	return at.Unmap().WithZone(""), err == nil
}

// Address is where the request comes from. It is not valid where the server is
// asked over something that has no addresses.
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

// OnThisMachine reports whether the request was made on this machine and came
// past no proxy: a proxy here makes the whole world look like a neighbour.
func OnThisMachine(c *fiber.Ctx) bool {
	for _, name := range []string{fiber.HeaderXForwardedFor, "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via"} {
		if len(c.Request().Header.Peek(name)) > 0 {
			return false
		}
	}
	return peerOf(c).IsLoopback()
}
