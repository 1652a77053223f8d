package feeds

import (
	"rebatedesk/access"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return []route.Route{
		route.Private("/calendar.ics", route.Holder, s.Holder(access.ScopeCalendar), s.InTurn, s.Calendar).Open(),
		route.Private("/changes.atom", route.Holder, s.Holder(access.ScopeFeed), s.InTurn, s.Changes).Open(),
	}
}
