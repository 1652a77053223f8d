package payments

import (
	"slices"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/payments"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
	templates "rebatedesk/web/templates/payments"
	"rebatedesk/web/templates/ui"
)

// BalanceRoutes are the addresses of what the exchange owes on balance.
func (s *Area) BalanceRoutes() []route.Route {
	return slices.Concat(route.Page("/balance", access.MayRead, s.Balance).
		Help("Balance", "What does the exchange owe me on balance?", "balance", "missing", "underpaid", "restated", "paid too much").
		Listed(navigation.Payments, "compare", "owed owes claim debt underpaid restated").WithViews().
		Report(s.Base, "/balance", payments.BalanceFile, payments.AcceptedOfBalance),
		route.Files(s.Base, templates.AccountPath, payments.AccountFile, payments.AcceptedOfBalance, route.Closed),
	)
}

// Balance says what the exchange owes on balance, and why.
func (s *Area) Balance(c *fiber.Ctx) error {
	return handler.Show(s.Base, c, s.Whole, payments.MakeBalance, func(p ui.Page, b payments.Balance, l ui.Links) templ.Component {
		l.Query = b.Query
		return templates.Balance(p, templates.BalanceView{Report: b, Links: l})
	})
}
