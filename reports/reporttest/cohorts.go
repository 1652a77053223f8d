package reporttest

import (
	"rebatedesk/reports"
	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/query"
)

func (d *Fixture) CohortQuery(asked string) query.Query {
	d.Helper()
	return d.QueryOf(asked, query.AcceptedParams{Usual: query.Last12M, By: cohorts.Periods(), Metrics: cohorts.Metrics()})
}

func (d *Fixture) Cohorts(query string) cohorts.Report {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.CohortQuery(query), cohorts.Make)
	if err != nil {
		d.Fatalf("%s: %v", query, err)
	}
	return view
}
