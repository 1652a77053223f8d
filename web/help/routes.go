package help

import (
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := []route.Route{
		route.Private("/help", route.SignedIn, s.Help).
			Help("Help", "What does each page answer, and which keys are there?").Open(),
		route.Post("/hints/away", route.SignedIn, s.HintAway).Open(),
		route.Post("/account/preferences", route.SignedIn, s.SetPreferences).Open(),
	}
	if s.Demo {
		list = append(list,
			route.Private("/tour", route.SignedIn, s.Tour).
				Help("Tour", "What are the five things to see first?", "demo"),
			route.Private("/tour/:stop", route.SignedIn, s.Stop),
			route.Post("/tour/leave", route.SignedIn, s.Leave),
		)
	}
	return list
}
