package reporttest

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/invitees"
)

func (d *Fixture) History(query string) invitees.History {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.Ask(query), invitees.MakeOne)
	if err != nil || !view.Chosen {
		d.Fatalf("%s: %+v, %v", query, view.Known, err)
	}
	return view.History
}

// Later advances the clock and returns the stamp of the next write.
func (d *Fixture) Later(by time.Duration) affiliate.Millis {
	d.Now = d.Now.Add(by)
	return affiliate.MillisOf(d.Now)
}
