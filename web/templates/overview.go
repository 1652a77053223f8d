package templates

import "rebatedesk/reports"

// OverviewView is the front page.
type OverviewView struct {
	Report reports.Overview
	Links  Links
	Chart  Chart // commission per day
	Users  Chart // users over time
}
