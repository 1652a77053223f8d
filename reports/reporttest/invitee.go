package reporttest

import (
	"rebatedesk/reports"
	"rebatedesk/reports/invitees"
)

func (d *Fixture) Invitee(query string) invitees.Detail {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.Ask(query), invitees.MakeOne)
	if err != nil {
		d.Fatal(err)
	}
	return view
}
