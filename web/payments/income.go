package payments

import (
	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/export"
	"rebatedesk/reports/payments"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
	templates "rebatedesk/web/templates/payments"
	"rebatedesk/web/templates/ui"
)

// IncomeRoutes are the addresses of the income at receipt, and of its files in the forms of other tools.
func (s *Area) IncomeRoutes() []route.Route {
	list := route.Page(templates.IncomePath, access.MayRead, s.Income).
		Help("Income", "What do I give my accountant: what arrived when, and what was it worth?", "income", "receipt", "price", "reporting zone").
		Try("Take the file of a month or a year for your accountant, or in the form of Koinly or CoinTracking.").
		Listed(navigation.Months, "download", "accountant tax koinly cointracking received books").WithViews().
		Report(s.Base, templates.IncomePath, payments.IncomeFile, payments.AcceptedOfIncome)
	for _, form := range []struct {
		path string
		kind *export.Kind
	}{{templates.KoinlyPath, payments.KoinlyFile}, {templates.CoinTrackingPath, payments.CoinTrackingFile}} {
		list = append(list, route.Page(form.path, access.MayExport, s.Export(form.kind, export.CSV, payments.AcceptedOfIncome)).Download().
			Describe(route.ReportFile(form.path, form.kind, export.CSV, payments.AcceptedOfIncome)))
	}
	return list
}

// Income is what arrived, by month and year.
func (s *Area) Income(c *fiber.Ctx) error {
	return handler.Show(s.Base, c, s.Whole, payments.MakeIncome, func(p ui.Page, r payments.Income, l ui.Links) templ.Component {
		return templates.Income(p, templates.IncomeView{Report: r, Links: l})
	})
}
