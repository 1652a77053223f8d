package reporttest

import (
	"rebatedesk/reports/months"
	"rebatedesk/reports/query"
)

// MonthQuery is the query of August.
func (d *Fixture) MonthQuery() query.Query {
	d.Helper()
	asked := d.QueryOf("", months.AcceptedOfOne)
	asked.Days = months.DaysOf(August)
	return asked
}
