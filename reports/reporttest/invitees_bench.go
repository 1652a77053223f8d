package reporttest

import (
	"fmt"
	"testing"
	"time"

	"rebatedesk/affiliate"
)

// Crowd returns a fixture with the given number of invitees, who have registered and traded
// over the given number of days.
func Crowd(t testing.TB, people, span int) *Fixture {
	d := NewFixture(t, "UTC")
	d.Want("main", Today-affiliate.Day(span))
	var invitees []affiliate.Invitee
	var records []affiliate.Commission
	for n := range people {
		uid := affiliate.UID(fmt.Sprint(4667776800 + n))
		registered := Today - affiliate.Day(n*(span-1)/people)
		invitees = append(invitees, affiliate.Invitee{UID: uid, RegisterTime: Midnight(registered), InviteCode: fmt.Sprint("code-", n%40), KYC: "true"})
		for day := registered; day <= Today; day += affiliate.Day(3 + n%15) {
			r := Trade(day, Spot, n, affiliate.Number(fmt.Sprintf("%d.%08d", n%7, n*31+int(day))))
			r.DealTime += affiliate.Millis(n) * affiliate.Millis(time.Second.Milliseconds())
			if n%9 == 0 {
				r.Coin = "BTC"
			}
			records = append(records, r)
		}
	}
	d.ReadInvitees("main", Days(-span, 0), invitees...)
	d.Read("main", Spot, Days(-span, 0), records...)
	d.Read("main", Futures, Days(-span, 0))
	return d
}
