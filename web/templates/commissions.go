package templates

import (
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/overview"
)

// CommissionsView is one page of commission records.
type CommissionsView struct {
	Report commissions.Report
	Links  Links
	Chart  Chart
	Why    *overview.Why // nil: the question is too wide to have one cause
}
