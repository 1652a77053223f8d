package worklist

import (
	"rebatedesk/access"
	"rebatedesk/reports/worklist"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := route.Page("/worklist", access.MayRead, s.Worklist).
		Help("To do", "Whom should I call today, and what is it worth?", "at risk", "silent", "slowing", "usual gap", "days silent").
		Try("A day has ten people: next dates first, then most at risk. Who is done or snoozed counts; others wait under Later. Acts can be undone.").
		Keys(route.Key("j k", "Next and previous line, also ↓ ↑"), route.Key("c", "Call or write"), route.Key("d", "Done"), route.Key("x", "No contact needed"), route.Key("s", "Snooze"), route.Key("n", "Note and next date"), route.Key("a", "Assign"), route.Key("u", "Undo what you did last")).
		Listed(navigation.Worklist, "inbox", "worklist call contact silent at risk").Divided().
		Report(s.Base, "/worklist", worklist.File, worklist.Accepted)
	if s.Desk != nil {
		list = append(list,
			route.Post("/worklist/:uid", access.MayEdit, s.Work).Divided(),
			route.Post("/worklist/:uid/undo/:id", access.MayEdit, s.Undo).Divided(),
		)
	}
	return list
}
