package web

import (
	"bytes"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
)

// ambiguousLength reports whether a request has both a Content-Length and a
// Transfer-Encoding. A proxy in front of the server may go by the other header: then
// bytes that it takes for a body are another client's request to us, or the other way
// round. Such a connection has to end with its answer (RFC 9112, 6.1). The parsed
// header keeps only one of the two, so the function reads the raw lines.
func ambiguousLength(header *fasthttp.RequestHeader) bool {
	var length, encoding bool
	for line := range bytes.Lines(header.RawHeaders()) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		length = length || bytes.EqualFold(name, []byte(fiber.HeaderContentLength))
		encoding = encoding || bytes.EqualFold(name, []byte(fiber.HeaderTransferEncoding))
	}
	return length && encoding
}

// refuseForeignHost answers only to names of this machine and to those of the options.
// A page of another site whose name was pointed here (DNS rebinding) sends that site's
// name; if it were accepted, a browser would treat that page as our origin. The names
// come only from the request line and the Host header, because clients can write any
// forwarding header.
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

// ownHost reports whether a Host header names this server. The port is ignored, because
// a tunnel or a container changes it.
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

// loopbackHost reports whether a name refers to this machine.
func loopbackHost(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(name)
	return err == nil && address.IsLoopback()
}

// refuseControls refuses addresses with control characters or broken text in their parameters: no
// page takes them, and on a page or in a log they would be invisible. White space around a value is
// dropped later. What the exchange proxy passes on is the exchange's own.
func (s *Server) refuseControls(c *fiber.Ctx) error {
	raw := c.Request().URI().QueryString()
	if len(raw) == 0 || strings.HasPrefix(c.Path(), "/console/proxy/") {
		return c.Next()
	}
	values, _ := url.ParseQuery(string(raw)) // what cannot be parsed is refused where it is read
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if name == "next" { // where a sign-in leads: anything odd in it means the front page
			continue
		}
		const problem = "has a character that cannot be shown: take it out, or type the value again"
		if hidden(name) {
			return &query.ParamError{Param: "parameter", Value: name, Problem: problem}
		}
		for _, text := range values[name] {
			if text = strings.TrimSpace(text); hidden(text) {
				return &query.ParamError{Param: name, Value: text, Problem: problem}
			}
		}
	}
	return c.Next()
}

// hidden reports whether a text has characters that nobody sees.
func hidden(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl)
}

// refuseEncodedBody refuses compressed bodies: the body limit counts bytes on the wire,
// and a small body on the wire can unpack to a very large one.
func (s *Server) refuseEncodedBody(c *fiber.Ctx) error {
	if len(c.Request().Header.Peek(fiber.HeaderContentEncoding)) > 0 {
		return handler.NewProblem(fiber.StatusUnsupportedMediaType, "Requests with a Content-Encoding are not accepted.")
	}
	return c.Next()
}

// refuseCrossSite prevents other sites from sending forms here with the reader's
// browser. Browsers report the origin of a request in Sec-Fetch-Site, older ones in
// Origin; a request with neither does not come from a page.
func (s *Server) refuseCrossSite(c *fiber.Ctx) error {
	switch c.Method() {
	case fiber.MethodGet, fiber.MethodHead:
		// A link on another site may lead here. Any other cross-site request, such as
		// for an image or a frame, cannot read the answer and only costs work: a page
		// of frames could request every file at once.
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

// followedLink reports whether a browser opens the answer as a separate page.
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

// ownScheme reports whether a scheme is one by which people reach this server. Under
// the public name only the scheme of PUBLIC_URL counts, because anybody on the network
// path can write plain http pages there. This machine, and a tunnel to it, have no such
// path.
func (s *Server) ownScheme(scheme, host string) bool {
	if loopbackHost(withoutPort(host)) {
		return scheme == "http" || scheme == "https"
	}
	if s.HTTPS {
		return scheme == "https"
	}
	return scheme == "http"
}
