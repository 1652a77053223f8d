package reports_test

import (
	"fmt"
	"testing"
	"time"

	"rebatedesk/store/audit"

	"rebatedesk/affiliate"
)

// BenchmarkInvitees lists 5,000 invitees, a tenth of whom trade each day, over thirty
// days of a year. The aim is 50 ms without a write since the previous list.
func BenchmarkInvitees(b *testing.B) {
	d := crowd(b, 5000, 365)
	for _, query := range []string{"range=30d&sort=-commission", "range=30d&sort=-commission&state=active", "range=30d&sort=-commission&product=SPOT"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				if view := d.list(query); len(view.Lines) == 0 {
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
			d.list("range=30d&sort=-commission")
		}
	})
}

// crowd returns a fixture with the given number of invitees, who have registered and traded
// over the given number of days.
func crowd(t testing.TB, people, span int) *fixture {
	d := newFixture(t, "UTC")
	d.want("main", today-affiliate.Day(span))
	var invitees []affiliate.Invitee
	var records []affiliate.Commission
	for n := range people {
		uid := affiliate.UID(fmt.Sprint(4667776800 + n))
		registered := today - affiliate.Day(n*(span-1)/people)
		invitees = append(invitees, affiliate.Invitee{UID: uid, RegisterTime: midnight(registered), InviteCode: fmt.Sprint("code-", n%40), KYC: "true"})
		for day := registered; day <= today; day += affiliate.Day(3 + n%15) {
			r := trade(day, spot, n, affiliate.Number(fmt.Sprintf("%d.%08d", n%7, n*31+int(day))))
			r.DealTime += affiliate.Millis(n) * affiliate.Millis(time.Second.Milliseconds())
			if n%9 == 0 {
				r.Coin = "BTC"
			}
			records = append(records, r)
		}
	}
	d.readInvitees("main", days(-span, 0), invitees...)
	d.read("main", spot, days(-span, 0), records...)
	d.read("main", futures, days(-span, 0))
	return d
}
