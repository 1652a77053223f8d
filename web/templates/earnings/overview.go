// Package earnings draws the overview, the commissions and the findings that need
// attention.
package earnings

import (
	"rebatedesk/reports/months"
	"rebatedesk/reports/overview"
	"rebatedesk/web/templates/ui"
)

// OverviewView is the front page.
type OverviewView struct {
	Report overview.Report
	Links  ui.Links
	Closed []months.MonthLine // the closed months in the range
}
