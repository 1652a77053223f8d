package templates

import "rebatedesk/reports"

// CommissionsView is one page of commission records.
type CommissionsView struct {
	Report reports.CommissionsReport
	Links  Links
	Chart  Chart
	Why    *reports.Why // nil: the question is too wide to have one cause
}
