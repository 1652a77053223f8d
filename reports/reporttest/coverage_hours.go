package reporttest

import (
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/store/records"
)

// ReadAll reads every stream of some weeks, and the invitees of a year, up to a UTC day
// or up to now.
func (d *Fixture) ReadAll(last affiliate.Day) {
	d.Helper()
	span := affiliate.Days{First: last - 40, Last: last}
	d.ReadEmpty(span)
	d.ReadInvitees("main", affiliate.Days{First: last - 366, Last: last})
	d.ReadWallets(span)
	for _, stream := range affiliate.Streams() {
		if stream.Kind == affiliate.SubAffiliates {
			if _, err := records.ReplaceSubAffiliateDays(d.Context(), d.DB, d.Slice("main", stream, span), nil); err != nil {
				d.Fatal(err)
			}
		}
	}
}

// Incomplete checks that an export says that it is incomplete.
func (d *Fixture) Incomplete(kind *export.Kind, query string, since time.Duration) {
	d.Helper()
	e := d.Open(kind, d.Ask(query))
	if name := e.FileName(export.CSV); !strings.HasPrefix(name, "incomplete-") || e.Facts().Complete {
		d.Errorf("%s of %s after %s: %s, %+v", kind, query, since, name, e.Facts())
	}
	if err := e.Close(); err != nil {
		d.Error(err)
	}
}
