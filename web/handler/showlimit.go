package handler

import (
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
)

// ShowLimit tells a program how many requests its token may still send, by the headers of the
// standard's draft (draft-ietf-httpapi-ratelimit-headers): left at once, and all of them after
// a number of seconds.
func ShowLimit(c *fiber.Ctx, left int) {
	requests, within := access.TokenPolicy()
	seconds := int(within / time.Second)
	full := max(1, ((requests-left)*seconds+requests-1)/requests)
	c.Set("RateLimit-Policy", fmt.Sprintf(`"token";q=%d;w=%d`, requests, seconds))
	c.Set("RateLimit", fmt.Sprintf(`"token";r=%d;t=%d`, left, full))
}
