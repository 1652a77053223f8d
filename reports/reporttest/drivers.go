package reporttest

import (
	"rebatedesk/reports"
	"rebatedesk/reports/drivers"
)

func (d *Fixture) DriversOf(text string) drivers.Report {
	d.Helper()
	r, err := reports.Ask(d.Context(), d.Service, d.QueryOf(text, drivers.Accepted), drivers.Make)
	if err != nil {
		d.Fatal(err)
	}
	return r
}
