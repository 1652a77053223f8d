package changes

import (
	"rebatedesk/access"
	"rebatedesk/reports/changes"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return route.Page("/changes", access.MayRead, s.Changes).
		Help("Changes", "Which figures changed after I had seen them?", "noticed", "as of", "open row", "closed row").
		Try("Choose since when: late, corrected and removed records are listed, and their sum is the whole difference.").Listed(navigation.Earnings, "refresh", "restated late corrected").WithViews().Divided().
		Report(s.Base, "/changes", changes.File, changes.Accepted)
}
