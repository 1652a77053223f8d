package web

import "github.com/gofiber/fiber/v2"

// contentSecurityPolicy is that of every answer but the ones below.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; " +
	"object-src 'none'; manifest-src 'self'"

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
