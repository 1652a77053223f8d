package templates

import (
	"rebatedesk/reports/overview"
)

// OverviewView is the front page.
type OverviewView struct {
	Report overview.Report
	Links  Links
	Chart  Chart // commission per day
	Users  Chart // users over time
}
