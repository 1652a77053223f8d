package search

import (
	"rebatedesk/access"
	"rebatedesk/reports/query"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return []route.Route{route.Page("/search", access.MayRead, s.Search).
		Help("Search", "Where is a page, a UID, a name, a code, a pair or an action?", "UID", "invite code").Divided().Takes(query.AcceptedParams{Taken: []string{"q"}})}
}
