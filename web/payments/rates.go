package payments

import (
	"slices"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/agreed"
	"rebatedesk/reports/rates"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
	templates "rebatedesk/web/templates/rates"
	"rebatedesk/web/templates/ui"
)

// RateRoutes are the addresses of rates and agreed terms.
func (s *Area) RateRoutes() []route.Route {
	list := slices.Concat(
		route.Page("/rates", access.MayRead, s.Rates).
			Help("Rates", "Does the exchange pay the rates that we agreed on?", "agreed", "term", "rebate rate", "usual rate", "share of fees").
			Try("Enter the agreed rates first. Every record that was paid at another rate is then listed with its amount.").Listed(navigation.Payments, "percent", "agreed paid terms").WithViews().
			Report(s.Base, "/rates", rates.File, rates.Accepted),
		[]route.Route{
			route.Page("/rates/terms", access.MayRead, s.Terms).
				Help("Agreed rates", "Which rates did we agree on, for whom and from when?", "term", "rebate rate").Found("percent", "terms contract").Takes(agreed.Accepted),
			route.Page("/rates/terms.csv", access.MayExport, s.TermsFile).DescribeFile("The terms file: the agreed rates, as they can be imported.", agreed.Accepted),
		},
	)
	if s.Desk != nil {
		list = append(list,
			route.Post("/rates/terms", access.MayEdit, s.ImportTerms).WithFile().Begins("/rates/terms#import", "Import agreed rates", "percent", "terms csv upload"),
			route.Post("/rates/terms/preview", access.MayEdit, s.PreviewTerms).WithFile(),
			route.Post("/rates/terms/:id/remove", access.MayEdit, s.RemoveTerm),
		)
	}
	return list
}

// Rates compares what was agreed with what was paid.
func (s *Area) Rates(c *fiber.Ctx) error {
	return handler.Show(s.Base, c, s.Whole, rates.Make, func(p ui.Page, r rates.Report, l ui.Links) templ.Component {
		l.Query = r.Query
		return templates.Rates(p, templates.RatesView{Report: r, Links: l})
	})
}
