package pages_test

import (
	"slices"

	"rebatedesk/acceptance/site"
)

// hasFigures reports whether a route is a page of figures.
func hasFigures(route string) bool {
	return slices.ContainsFunc(site.EveryPage, func(p site.ReportPage) bool { return p.Route == route })
}
