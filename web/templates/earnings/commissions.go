package earnings

import (
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/overview"
	"rebatedesk/web/templates/ui"
)

// CommissionsView is one page of commission records.
type CommissionsView struct {
	Report commissions.Report
	Links  ui.Links
	Chart  ui.Chart
	Why    *overview.Why // nil: the question is too wide to have one cause
}
