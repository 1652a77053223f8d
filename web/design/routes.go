package design

import "rebatedesk/web/route"

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return []route.Route{route.Private("/design", route.SignedIn, s.Design).
		Help("Components", "What are the parts of which the pages are made? Only the demonstration has this page.").Open()}
}
