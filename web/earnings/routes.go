package earnings

import (
	"slices"

	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"

	"rebatedesk/access"
	"rebatedesk/reports/programmes"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return slices.Concat(
		route.Page("/", access.MayRead, s.Overview).
			Help("Overview", "What did I earn, how does it compare, and what needs my attention?", "commission", "share of fees", "outstanding", "range", "coverage", "forecast").
			Try("Choose a range at the top: everything on the page follows it. Press a figure, such as fees, to see it in the chart.").Listed(navigation.Earnings, "overview", "home dashboard").Prominent().WithViews().Divided().Takes(overview.Accepted).
			Report(s.Base, "/overview", commissions.DailyFile, OverviewChoices),
		route.Page("/programmes", access.MayRead, s.Programmes).
			Help("Programmes side by side", "Which of my accounts earns how much?", "account", "commission", "coverage").Found("columns", "accounts").WithViews().Divided().
			Report(s.Base, "/programmes", programmes.File, programmes.Accepted),
		[]route.Route{
			route.Page("/attention", access.MayRead, s.Attention).
				Help("Needs attention", "What went wrong or changed, and what is it worth?", "silent", "outstanding", "revenue at risk", "coverage").
				Found("alert", "findings problems").Divided().Takes(query.AcceptedParams{Taken: reports.AttentionParams}),
		},
		route.Page("/commissions", access.MayRead, s.Commissions).
			Help("Commissions", "Which trades earned what?", "commission", "fee", "rebate rate", "share of fees", "source", "sub-agent", "product", "volume").
			Try("Filter by a UID, a code or a pair, then export: the file holds exactly the rows that you see.").Listed(navigation.Earnings, "list", "records earned").Prominent().WithViews().Divided().
			Report(s.Base, "/commissions", commissions.File, CommissionChoices),
		route.Files(s.Base, "/invitees/:uid", commissions.File, CommissionChoices, route.Divided),
	)
}
