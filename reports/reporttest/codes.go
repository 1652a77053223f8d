package reporttest

import (
	"rebatedesk/reports"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/query"
)

func (d *Fixture) Codes(query string) invitecodes.Report {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.CodeQuery(query), invitecodes.Make)
	if err != nil {
		d.Fatalf("%s: %v", query, err)
	}
	return view
}

func (d *Fixture) CodeQuery(asked string) query.Query {
	d.Helper()
	return d.QueryOf(asked, query.AcceptedParams{Sorts: invitecodes.Sorts, Order: query.Sort{Field: "commission", Descending: true}})
}
