package packs

import (
	"rebatedesk/access"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return []route.Route{
		route.Page("/payments/line.zip", access.MayExport, s.Payment).Download().
			DescribeFile("The signed evidence pack of a line of payments.", query.AcceptedParams{Taken: []string{"as_of"}}, "account!", "coin!", "kind!", "start!", "end!", "bill").Moved(),
		route.Page("/balance/account.zip", access.MayExport, s.Account).Download().
			DescribeFile("The signed evidence pack of the statement of account: the statement as PDF and workbook, the lines and bills, and a letter with both sides and the balance.",
				query.AcceptedParams{Taken: []string{"range", "from", "to", "account", "coin", "as_of"}, Usual: query.LastMonth}).Moved(),
		route.Page("/balance/account.pdf", access.MayExport, s.AccountPDF).Download().
			DescribeFile("The statement of account as PDF.", payments.AcceptedOfBalance),
		route.Page("/invitees/:uid.zip", access.MayExport, s.Invitee).Download().
			DescribeFile("The signed evidence pack of an invitee. Without as_of and days the answer is a redirect to the address that has them, which gives the same bytes each time.",
				query.AcceptedParams{Taken: []string{"range", "from", "to", "account", "as_of"}}).Moved(),
		route.Page("/rates/finding.zip", access.MayExport, s.Rate).Download().
			DescribeFile("The signed evidence pack of a finding about rates.", query.AcceptedParams{Taken: []string{"range", "from", "to", "account", "product", "coin", "uid", "symbol", "source", "code", "segment", "q", "as_of"}}, "finding!").Moved(),
		route.Page("/months/:month.zip", access.MayExport, s.Month).Download().DescribeFile("The signed evidence pack of a closed month. The same bytes each time.", route.NoParams).MayBeUnready(),
	}
}
