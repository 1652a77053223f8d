package handler

import "github.com/gofiber/fiber/v2"

// ContentSecurityPolicy is that of every answer but the ones below.
const ContentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; " +
	"object-src 'none'; manifest-src 'self'"

// The pages that show a message show it in a frame, and a message has its styles
// in itself. These answers alone have another policy: the page may frame what is
// of our own, and in the frame there is neither script nor form nor anything
// from elsewhere, and no origin that it could act for.
const (
	framingPolicy = ContentSecurityPolicy + "; frame-src 'self'"
	framedPolicy  = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'"
)

// Framing lets a page show a message in a frame.
func Framing(c *fiber.Ctx) { c.Set("Content-Security-Policy", framingPolicy) }

// Framed lets a message stand in the frame of such a page, and nowhere else.
func Framed(c *fiber.Ctx) {
	c.Set("Content-Security-Policy", framedPolicy)
	c.Set("X-Frame-Options", "SAMEORIGIN")
}
