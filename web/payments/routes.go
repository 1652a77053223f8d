package payments

import (
	"slices"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/payments"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := slices.Concat(
		route.Report(s.Base, route.Page("/payments", access.MayRead, s.Payments).WithViews(), "/payments", reports.ExportPayments, payments.AcceptedOfPayments),
		route.Files(s.Base, "/payments/bills", reports.ExportBills, payments.AcceptedOfBills, route.Closed),
		[]route.Route{
			route.Page("/payments/line", access.MayRead, s.Line),
			route.Page("/payments/rule", access.MayRead, s.Rule),
		},
	)
	if s.Desk != nil {
		list = append(list,
			route.Post("/payments/notes", access.MayEdit, s.AddNote),
			route.Proven("/payments/rule", access.MayAdminister, s.FixRule),
			route.Proven("/payments/rule/:id/remove", access.MayAdminister, s.RemoveRule),
		)
	}
	return list
}
