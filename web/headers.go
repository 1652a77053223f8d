package web

import (
	"net/http"

	"github.com/valyala/fasthttp"

	"rebatedesk/web/handler"
)

// header is one header line of a response.
type header struct{ name, value string }

// securityHeaders are set on every response, errors included.
func securityHeaders(https bool) []header {
	headers := []header{
		{"Content-Security-Policy", handler.ContentSecurityPolicy},
		{"X-Content-Type-Options", "nosniff"},
		{"X-Frame-Options", "DENY"},
		{"Referrer-Policy", "same-origin"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
		// Pages hold business figures and must not be cached. Static files, whose
		// names change with their content, replace this line.
		{"Cache-Control", "no-store"},
	}
	if https {
		headers = append(headers, header{"Strict-Transport-Security", "max-age=31536000"})
	}
	return headers
}

// PlainHeaders are the security headers of a response that is not sent by a [Server]
// and goes over plain http, where Strict-Transport-Security must not be set.
func PlainHeaders() http.Header {
	lines := http.Header{}
	for _, h := range securityHeaders(false) {
		lines.Set(h.name, h.value)
	}
	return lines
}

func (s *Server) setHeaders(response *fasthttp.Response) {
	for _, h := range s.headers {
		response.Header.Set(h.name, h.value)
	}
}
