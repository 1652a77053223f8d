package web

import "github.com/valyala/fasthttp"

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

func (s *Server) setHeaders(response *fasthttp.Response) {
	for _, h := range s.headers {
		response.Header.Set(h.name, h.value)
	}
}
