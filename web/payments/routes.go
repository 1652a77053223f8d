package payments

import (
	"slices"

	"rebatedesk/access"
	"rebatedesk/reports/payments"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := slices.Concat(
		route.Page("/payments", access.MayRead, s.Payments).
			Help("Payments", "Was I paid what I earned?", "outstanding", "commission", "direct", "sub-agent").
			Try("Open a line that is short or missing: it shows the days it is about, and makes a signed file to send to the exchange.").Listed(navigation.Earnings, "payments", "paid outstanding bills payout").WithViews().
			Report(s.Base, "/payments", payments.File, payments.Accepted),
		route.Files(s.Base, "/payments/bills", payments.BillFile, payments.AcceptedOfBills, route.Closed),
		[]route.Route{
			route.Page("/payments/line", access.MayRead, s.Line).
				Help("A line of payments", "How were the amounts of this period earned, and which bills paid them?", "outstanding", "commission"),
			route.Page("/payments/rule", access.MayRead, s.Rule).
				Help("Payout rules", "When does the exchange pay, and for which days? The rule is found in the bills, or set by an administrator.", "account", "direct", "sub-agent").
				Found("payments", "").Takes(ruleParams),
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
