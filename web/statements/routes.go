package statements

import (
	"rebatedesk/access"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := []route.Route{
		route.Page("/statements", access.MayRead, s.List).
			Help("Statements", "What do I owe each sub-affiliate for a month, and what have I paid?", "sub-affiliate", "term").Listed(navigation.Months, "note", "sub-affiliates pdf invoice payee"),
		route.Page("/statements/payees/:uid", access.MayRead, s.Payee).
			Help("A payee", "To whom is the statement of this sub-affiliate addressed?", "sub-affiliate"),
		route.Page("/statements/:number/statement.pdf", access.MayExport, s.File("pdf")).Download().DescribeFile("A statement as it was issued, as PDF.", route.NoParams),
		route.Page("/statements/:number/statement.xlsx", access.MayExport, s.File("xlsx")).Download().DescribeFile("A statement as it was issued, as a workbook.", route.NoParams),
		route.Page("/statements/:number", access.MayRead, s.Statement).
			Help("A statement", "What does this statement say, and was it paid?", "sub-affiliate", "term"),
	}
	if s.Writing {
		list = append(list,
			route.Post("/statements", access.MayEdit, s.Issue),
			route.Post("/statements/payees/:uid", access.MayEdit, s.SavePayee),
			route.Post("/statements/:number/correct", access.MayEdit, s.Correct),
			route.Post("/statements/:number/paid", access.MayEdit, s.Pay),
			route.Post("/statements/:number/unpaid", access.MayEdit, s.Unpay),
			route.Post("/statements/:number/send", access.MayEdit, s.Send),
		)
	}
	return list
}
