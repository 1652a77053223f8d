package design

import "rebatedesk/web/route"

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return []route.Route{route.Private("/design", route.SignedIn, s.Design).Open()}
}
