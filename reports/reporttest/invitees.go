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
