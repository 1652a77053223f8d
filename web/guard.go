package web

import (
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// refuseForeignHost answers only to names of this machine. A page of another
// site whose name was pointed here (DNS rebinding) carries that site's name
// and could otherwise read everything, since there is no sign-in yet. The
// names come from the request line and the Host header alone: forwarding
// headers are whatever a client writes.
func (s *Server) refuseForeignHost(c *fiber.Ctx) error {
	request := c.Request()
	if !loopbackHost(string(request.Header.Host())) || !loopbackHost(string(request.URI().Host())) {
		return &problem{status: fiber.StatusMisdirectedRequest,
			text: "This server answers to localhost only. Open it under http://localhost or http://127.0.0.1 with its port."}
	}
	return c.Next()
}

// loopbackHost reports whether a Host header names this machine itself.
func loopbackHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	} else {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(name)
	return err == nil && address.IsLoopback()
}

// refuseEncodedBody refuses compressed bodies: the body limit counts bytes on
// the wire, and little on the wire can be very much unpacked.
func (s *Server) refuseEncodedBody(c *fiber.Ctx) error {
	if len(c.Request().Header.Peek(fiber.HeaderContentEncoding)) > 0 {
		return &problem{status: fiber.StatusUnsupportedMediaType, text: "Requests with a Content-Encoding are not accepted."}
	}
	return c.Next()
}

// refuseCrossSite keeps other sites from sending forms here with the reader's
// browser. Browsers say in Sec-Fetch-Site, older ones in Origin, where a
// request comes from; a request with neither does not come from a page.
func (s *Server) refuseCrossSite(c *fiber.Ctx) error {
	switch c.Method() {
	case fiber.MethodGet, fiber.MethodHead:
		// A link of another site may lead here. Anything else of it, such as
		// an image or a frame, cannot read the answer and only costs work: a
		// page of frames could ask for every file at once.
		if site := c.Get("Sec-Fetch-Site"); site != "cross-site" || followedLink(c) {
			return c.Next()
		}
		return &problem{status: fiber.StatusForbidden, text: "The request came from another site and was refused."}
	}
	if sameSite(c.Get("Sec-Fetch-Site"), c.Get(fiber.HeaderOrigin), string(c.Request().Header.Host())) {
		return c.Next()
	}
	return &problem{status: fiber.StatusForbidden, text: "The request came from another site and was refused."}
}

// followedLink reports whether a browser opens the answer as a page of its own.
func followedLink(c *fiber.Ctx) bool {
	into := c.Get("Sec-Fetch-Dest")
	return c.Get("Sec-Fetch-Mode") == "navigate" && (into == "" || into == "document")
}

func sameSite(fetchSite, origin, host string) bool {
	switch fetchSite {
	case "same-origin", "none":
		return true
	case "":
	default:
		return false
	}
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && u.Host == host
}
