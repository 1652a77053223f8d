// Package market has the pages about what the exchange trades: the overview, pairs, contracts and
// coins, with their charts, streams and favourites.
package market

import (
	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/web/console"
)

// Panel draws the ticket for a pair beside its chart; nil for a reader who sends no orders.
type Panel func(c *fiber.Ctx, account affiliate.Account, symbol, kind string) templ.Component

// Area holds the handlers.
type Area struct {
	*console.Base
	panel   Panel
	markets markets
	pages   livePages
}
