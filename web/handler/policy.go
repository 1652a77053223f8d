package handler

import "github.com/gofiber/fiber/v2"

// ContentSecurityPolicy is the policy of every answer except those below.
const ContentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; " +
	"object-src 'none'; manifest-src 'self'"

// Pages that show a message show it in a frame, and a message contains its styles. Only
// these answers have a different policy: the page may frame content of this origin, and
// the frame has no script, no form, no foreign content, and no origin on whose behalf
// it could act.
const (
	framingPolicy = ContentSecurityPolicy + "; frame-src 'self'"
	framedPolicy  = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'"
)

// Framing lets a page show a message in a frame.
func Framing(c *fiber.Ctx) { c.Set("Content-Security-Policy", framingPolicy) }

// Framed lets a message appear in the frame of such a page, and nowhere else.
func Framed(c *fiber.Ctx) {
	c.Set("Content-Security-Policy", framedPolicy)
	c.Set("X-Frame-Options", "SAMEORIGIN")
}
