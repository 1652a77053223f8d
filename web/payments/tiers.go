package payments

import (
	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/tiers"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
	templates "rebatedesk/web/templates/rates"
	"rebatedesk/web/templates/ui"
)

// TierRoutes are the addresses of the next tiers.
func (s *Area) TierRoutes() []route.Route {
	return route.Page("/tiers", access.MayRead, s.Tiers).
		Help("Tiers", "How far is the next tier of our rates, and what is it worth?", "tier", "agreed", "term", "rebate rate").
		Listed(navigation.Payments, "up", "tier next rate volume active traders").WithViews().
		Report(s.Base, "/tiers", tiers.File, tiers.Accepted)
}

// Tiers says how far the next tier of each agreed rate is.
func (s *Area) Tiers(c *fiber.Ctx) error {
	return handler.Show(s.Base, c, s.Whole, tiers.Make, func(p ui.Page, r tiers.Report, l ui.Links) templ.Component {
		return templates.Tiers(p, templates.TiersView{Report: r, Links: l})
	})
}
