package reporttest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
)

func (d *Fixture) List(query string) invitees.List {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.AskInvitees(query), invitees.MakeList)
	if err != nil {
		d.Fatal(err)
	}
	return view
}

// AskInvitees parses a query string as the list of invitees does.
func (d *Fixture) AskInvitees(text string) query.Query {
	d.Helper()
	return d.QueryOf(text, query.AcceptedParams{Tags: true, Sorts: invitees.Sorts, Order: query.Sort{Field: "uid"}, States: invitees.StateChoices()})
}

// Uids returns the last digits of the UIDs of the lines, in order.
func Uids(view invitees.List) string {
	var list []string
	for _, line := range view.Lines {
		list = append(list, string(line.UID[len(line.UID)-1:]))
	}
	return strings.Join(list, " ")
}

// Programme returns a fixture with an invitee of each state and status, identified by the
// last digit of the UID.
func Programme(t *testing.T) *Fixture {
	d := NewFixture(t, "UTC")
	d.Now = Noon.Add(-3 * 24 * time.Hour)
	d.Want("main", Today-400)
	invitee := func(n int, ago affiliate.Day, code string, kyc affiliate.Flag) affiliate.Invitee {
		return affiliate.Invitee{UID: affiliate.UID(fmt.Sprint(4667776800 + n)), RegisterTime: Midnight(Today - ago), InviteCode: code, KYC: kyc}
	}
	list := []affiliate.Invitee{
		invitee(1, 5, "a", "true"), invitee(2, 200, "a", "false"), invitee(3, 200, "b", ""), invitee(4, 300, "b", "true"),
		invitee(5, 100, "a", "true"), invitee(6, 364, "c", "true"),
	}
	list[4].LastTrade = Midnight(Today - 50) // no commission of this trade is known
	d.ReadInvitees("main", Days(-365, -3), list[1:]...)
	d.Now = Noon
	d.ReadInvitees("main", Days(-363, 0), list[:5]...)
	d.ReadInvitees("main", Days(-201, -190), list[1]) // invitee 3 has vanished
	var records []affiliate.Commission
	for day := affiliate.Day(60); day >= 2; day -= 2 {
		records = append(records, Trade(Today-day, Spot, 2, "1")) // every other day, up to now
		if day >= 6 {
			records = append(records, Trade(Today-day, Spot, 4, "2.50")) // the same until 6 days ago
		}
	}
	btc := Trade(Today-300, Spot, 7, "0.5")
	btc.Coin = "BTC"
	records = append(records, btc, Trade(Today-300, Spot, 7, "3"), Trade(Today-1, Spot, 7, "4"))
	d.Read("main", Spot, Days(-400, 0), records...)
	d.Read("main", Futures, Days(-400, 0), Trade(Today-1, Futures, 2, "7"))
	return d
}

func (d *Fixture) Invitee(query string) invitees.Detail {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.Ask(query), invitees.MakeOne)
	if err != nil {
		d.Fatal(err)
	}
	return view
}

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
