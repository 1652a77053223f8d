package search

import (
	"rebatedesk/access"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return []route.Route{route.Page("/search", access.MayRead, s.Search).Divided()}
}
