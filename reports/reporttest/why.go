package reporttest

import (
	"rebatedesk/reports"
	"rebatedesk/reports/overview"
)

func (d *Fixture) Why(query string) overview.Why {
	d.Helper()
	q := d.Ask(query)
	if !q.Whyable() {
		d.Fatalf("%s has not exactly one cause", query)
	}
	w, err := reports.Ask(d.Context(), d.Service, q, overview.MakeWhy)
	if err != nil {
		d.Fatal(err)
	}
	return w
}
