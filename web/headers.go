package web

import (
	"net/http"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// header is one line of a response.
type header struct{ name, value string }

const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; " +
	"object-src 'none'; manifest-src 'self'"

// securityHeaders stand on every response, errors included.
func securityHeaders(https bool) []header {
	headers := []header{
		{"Content-Security-Policy", contentSecurityPolicy},
		{"X-Content-Type-Options", "nosniff"},
		{"X-Frame-Options", "DENY"},
		{"Referrer-Policy", "same-origin"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
		// Pages hold figures of a business and are not kept by anybody. Static
		// files, whose names change with their content, replace this line.
		{"Cache-Control", "no-store"},
	}
	if https {
		headers = append(headers, header{"Strict-Transport-Security", "max-age=31536000"})
	}
	return headers
}

// PlainHeaders are the security headers of a response that is not sent by a
// [Server] and goes over plain http, where Strict-Transport-Security must not
// stand.
func PlainHeaders() http.Header {
	lines := http.Header{}
	for _, h := range securityHeaders(false) {
		lines.Set(h.name, h.value)
	}
	return lines
}

// The pages that show a message show it in a frame, and a message has its styles
// in itself. These answers alone have another policy: the page may frame what is
// of our own, and in the frame there is neither script nor form nor anything
// from elsewhere, and no origin that it could act for.
const (
	framingPolicy = contentSecurityPolicy + "; frame-src 'self'"
	framedPolicy  = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'"
)

// framing lets a page show a message in a frame.
func framing(c *fiber.Ctx) { c.Set("Content-Security-Policy", framingPolicy) }

// framed lets a message stand in the frame of such a page, and nowhere else.
func framed(c *fiber.Ctx) {
	c.Set("Content-Security-Policy", framedPolicy)
	c.Set("X-Frame-Options", "SAMEORIGIN")
}

func (s *Server) setHeaders(response *fasthttp.Response) {
	for _, h := range s.headers {
		response.Header.Set(h.name, h.value)
	}
}
