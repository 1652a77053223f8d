package months

import (
	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/net"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
	templates "rebatedesk/web/templates/net"
	"rebatedesk/web/templates/ui"
)

// NetRoutes are the addresses of what is left of a month.
func (s *Area) NetRoutes() []route.Route {
	return route.Page("/net", access.MayRead, s.Net).
		Help("Net", "What is left of a month after shares of sub-affiliates and costs?", "net", "commission", "sub-affiliate", "cost", "term").
		Listed(navigation.Months, "columns", "profit margin left after shares costs").WithViews().
		Report(s.Base, "/net", net.File, net.Accepted)
}

// Net says what is left of the commission of a month.
func (s *Area) Net(c *fiber.Ctx) error {
	return handler.Show(s.Base, c, s.Whole, net.Make, func(p ui.Page, r net.Report, l ui.Links) templ.Component {
		return templates.Net(p, templates.View{Report: r, Links: l})
	})
}
