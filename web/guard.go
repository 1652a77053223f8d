package web

import (
	"bytes"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"rebatedesk/web/handler"
)

// ambiguousLength reports whether a request has both a Content-Length and a
// Transfer-Encoding. A proxy in front may go by the other one: then what it takes
// for the end of a body is a request of somebody else's to us, or the other way
// round. Such a connection has to end with its answer (RFC 9112, 6.1). The parsed
// header keeps one of the two, so the lines are looked at as they came.
func ambiguousLength(header *fasthttp.RequestHeader) bool {
	var length, encoding bool
	for line := range bytes.Lines(header.RawHeaders()) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		length = length || bytes.EqualFold(name, []byte(fiber.HeaderContentLength))
		encoding = encoding || bytes.EqualFold(name, []byte(fiber.HeaderTransferEncoding))
	}
	return length && encoding
}

// refuseForeignHost answers only to names of this machine and to those of the
// options. A page of another site whose name was pointed here (DNS rebinding)
// carries that site's name: with it, it would be of our own origin to a
// browser. The names come from the request line and the Host header alone:
// forwarding headers are whatever a client writes.
func (s *Server) refuseForeignHost(c *fiber.Ctx) error {
	request := c.Request()
	if s.ownHost(string(request.Header.Host())) && s.ownHost(string(request.URI().Host())) {
		return c.Next()
	}
	text := "This server does not answer under this name. Open it under http://localhost or http://127.0.0.1 with its port."
	if len(s.options.Hosts) > 0 {
		text = "This server does not answer under this name. Open it under the address that it was set up for (PUBLIC_URL)."
	}
	return handler.NewProblem(fiber.StatusMisdirectedRequest, text)
}

// ownHost reports whether a Host header names this server. The port does not
// matter: a tunnel or a container gives it another one.
func (s *Server) ownHost(host string) bool {
	name := withoutPort(host)
	return loopbackHost(name) || slices.ContainsFunc(s.options.Hosts, func(own string) bool { return strings.EqualFold(own, name) })
}

func withoutPort(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// loopbackHost reports whether a name means this machine itself.
func loopbackHost(name string) bool {
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
		return handler.NewProblem(fiber.StatusUnsupportedMediaType, "Requests with a Content-Encoding are not accepted.")
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
		return handler.NewProblem(fiber.StatusForbidden, "The request came from another site and was refused.")
	}
	if s.sameSite(c.Get("Sec-Fetch-Site"), c.Get(fiber.HeaderOrigin), string(c.Request().Header.Host())) {
		return c.Next()
	}
	return handler.NewProblem(fiber.StatusForbidden, "The request came from another site and was refused.")
}

// followedLink reports whether a browser opens the answer as a page of its own.
func followedLink(c *fiber.Ctx) bool {
	into := c.Get("Sec-Fetch-Dest")
	return c.Get("Sec-Fetch-Mode") == "navigate" && (into == "" || into == "document")
}

func (s *Server) sameSite(fetchSite, origin, host string) bool {
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
	return err == nil && u.Host != "" && u.Host == host && s.ownScheme(u.Scheme, host)
}

// ownScheme reports whether people come here by a scheme: under the public name
// by that of PUBLIC_URL alone, since what lies there on plain http may be written
// by anybody on the way. This machine, and a tunnel to it, have no such way.
func (s *Server) ownScheme(scheme, host string) bool {
	if loopbackHost(withoutPort(host)) {
		return scheme == "http" || scheme == "https"
	}
	if s.HTTPS {
		return scheme == "https"
	}
	return scheme == "http"
}
