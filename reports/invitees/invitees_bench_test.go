package invitees_test

import (
	"testing"

	"rebatedesk/reports/reporttest"
	"rebatedesk/store/audit"
)

// BenchmarkInvitees lists 5,000 invitees, a tenth of whom trade each day, over thirty
// days of a year. The aim is 50 ms without a write since the previous list.
func BenchmarkInvitees(b *testing.B) {
	d := reporttest.Crowd(b, 5000, 365)
	for _, query := range []string{"range=30d&sort=-commission", "range=30d&sort=-commission&state=active", "range=30d&sort=-commission&product=SPOT"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				if view := d.List(query); len(view.Lines) == 0 {
					b.Fatal("the list is empty")
				}
			}
		})
	}
	b.Run("after a write", func(b *testing.B) {
		for b.Loop() {
			if err := d.AddTag(b.Context(), "main", "4667776800", "vip", audit.Line{Actor: "ann"}); err != nil {
				b.Fatal(err)
			}
			d.List("range=30d&sort=-commission")
		}
	})
}
