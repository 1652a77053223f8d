package reports_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/store/audit"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/store/records"
)

func (d *fixture) list(query string) invitees.List {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.askInvitees(query), invitees.MakeList)
	if err != nil {
		d.Fatal(err)
	}
	return view
}

// askInvitees parses a query string as the list of invitees does.
func (d *fixture) askInvitees(text string) query.Query {
	d.Helper()
	return d.queryOf(text, query.AcceptedParams{Tags: true, Sorts: invitees.Sorts, Order: query.Sort{Field: "uid"}, States: invitees.StateChoices()})
}

// uids returns the last digits of the UIDs of the lines, in order.
func uids(view invitees.List) string {
	var list []string
	for _, line := range view.Lines {
		list = append(list, string(line.UID[len(line.UID)-1:]))
	}
	return strings.Join(list, " ")
}

// programme returns a fixture with an invitee of each state and status, identified by the
// last digit of the UID.
func programme(t *testing.T) *fixture {
	d := newFixture(t, "UTC")
	d.now = noon.Add(-3 * 24 * time.Hour)
	d.want("main", today-400)
	invitee := func(n int, ago affiliate.Day, code string, kyc affiliate.Flag) affiliate.Invitee {
		return affiliate.Invitee{UID: affiliate.UID(fmt.Sprint(4667776800 + n)), RegisterTime: midnight(today - ago), InviteCode: code, KYC: kyc}
	}
	list := []affiliate.Invitee{
		invitee(1, 5, "a", "true"), invitee(2, 200, "a", "false"), invitee(3, 200, "b", ""), invitee(4, 300, "b", "true"),
		invitee(5, 100, "a", "true"), invitee(6, 364, "c", "true"),
	}
	list[4].LastTrade = midnight(today - 50) // no commission of this trade is known
	d.readInvitees("main", days(-365, -3), list[1:]...)
	d.now = noon
	d.readInvitees("main", days(-363, 0), list[:5]...)
	d.readInvitees("main", days(-201, -190), list[1]) // invitee 3 has vanished
	var records []affiliate.Commission
	for day := affiliate.Day(60); day >= 2; day -= 2 {
		records = append(records, trade(today-day, spot, 2, "1")) // every other day, up to now
		if day >= 6 {
			records = append(records, trade(today-day, spot, 4, "2.50")) // the same until 6 days ago
		}
	}
	btc := trade(today-300, spot, 7, "0.5")
	btc.Coin = "BTC"
	records = append(records, btc, trade(today-300, spot, 7, "3"), trade(today-1, spot, 7, "4"))
	d.read("main", spot, days(-400, 0), records...)
	d.read("main", futures, days(-400, 0), trade(today-1, futures, 2, "7"))
	return d
}

func TestInviteeListDistinguishesStates(t *testing.T) {
	d := programme(t)
	view := d.list("range=7d")
	type facts struct {
		status  records.InviteeStatus
		state   invitees.State
		silent  int
		gap     string
		inRange string
		ever    string
	}
	want := map[string]facts{
		"1": {records.InviteeListed, invitees.StateNew, 0, "", "", ""},
		"2": {records.InviteeListed, invitees.StateActive, 1, "2", "10", "37"},
		"3": {records.InviteeVanished, invitees.StateNeverTraded, 0, "", "", ""},
		"4": {records.InviteeListed, invitees.StateSlowing, 6, "2", "2.5", "70"},
		"5": {records.InviteeListed, invitees.StateSilent, 50, "", "", ""},
		"6": {records.InviteeListed, invitees.StateNeverTraded, 0, "", "", ""},
		"7": {records.InviteeCommissionOnly, invitees.StateActive, 1, "", "4", "7"},
	}
	sum := func(list []figures.Totals) string {
		for _, t := range list {
			if t.Coin == "USDT" {
				return t.Commission.String()
			}
		}
		return ""
	}
	for _, line := range view.Lines {
		got := facts{line.Status, line.State, line.SilentDays, line.UsualGap.String(), sum(line.InRange), sum(line.Lifetime)}
		if w := want[string(line.UID[9:])]; got != w {
			t.Errorf("%s: %+v, want %+v", line.UID, got, w)
		}
	}
	if view.Count != 7 || len(view.Lines) != 7 || view.Coin != "USDT" || view.Totals[0].Commission.Amount.Value.String() != "16.5" || view.Pages != 1 {
		t.Errorf("%d invitees, %+v", view.Count, view.Totals)
	}
	choices := map[string]int{"new": 1, "active": 2, "slowing": 1, "silent": 1, "never-traded": 2, "traded": 3, "vanished": 1, "commission-only": 1}
	if fmt.Sprint(view.Choices) != fmt.Sprint(choices) {
		t.Errorf("the choices are %v, want %v", view.Choices, choices)
	}
	d.later(3 * 24 * time.Hour) // the oldest invitee leaves the exchange's reach
	if line := d.list("uid=4667776806").Lines[0]; line.Status != records.InviteeBeyondReach {
		t.Errorf("registered 367 days ago: %s", line.Status)
	}
	then := d.list("range=7d&as_of=" + noon.Add(-24*time.Hour).Format(time.RFC3339))
	if got := uids(then); got != "2 3 4 5 6" || then.Lines[1].Status != records.InviteeListed || len(then.Lines[0].Lifetime) != 0 {
		t.Errorf("as of a day before the first known trade: %s, %+v", got, then.Lines)
	}
}

func TestInviteeListFiltersAndOrders(t *testing.T) {
	d := programme(t)
	for choice, want := range map[string]string{"active": "2 7", "vanished": "3", "never-traded": "3 6", "traded": "2 4 7", "commission-only": "7", "beyond-reach": ""} {
		if got := uids(d.list("state=" + choice)); got != want {
			t.Errorf("%s: %s, want %s", choice, got, want)
		}
	}
	if choices := invitees.StateChoices(); len(choices) != 10 || slices.Contains(choices, string(records.InviteeListed)) {
		t.Errorf("the choices are %q", choices)
	}
	if err := d.AddTag(t.Context(), "main", "4667776802", "VIP", audit.Line{Actor: "ann"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query, want string
	}{
		{"code=A", "1 2 5"},
		{"q=6807", "7"},
		{"q=C", "6"},
		{"uid=4667776804", "4"},
		{"kyc=true", "1 4 5 6"},
		{"kyc=unknown", "3 7"},
		{"tag=vip", "2"},
		{"sort=registered", "7 6 4 2 3 5 1"},
		{"sort=-lifetime", "4 2 7 6 3 5 1"},
		{"sort=-commission&range=7d", "2 7 4 6 3 5 1"},
		{"sort=-silent", "5 4 7 2 6 3 1"},
		{"sort=-last-trade&per=2&page=2", "4 5"},
		{"sort=code", "7 2 5 1 4 3 6"},
		{"product=FUTURES&sort=-lifetime&per=1", "2"},
	} {
		view := d.list(c.query)
		if got := uids(view); got != c.want {
			t.Errorf("%s: %s, want %s", c.query, got, c.want)
		}
	}
	var wrong *query.ParamError
	if _, err := reports.Ask(t.Context(), d.Service, d.askInvitees("page=9"), invitees.MakeList); !errors.As(err, &wrong) || wrong.Param != "page" {
		t.Errorf("a page number beyond the last: %v", err)
	}
	if view := d.list("code=none"); view.Empty != coverage.EmptyFiltered || view.Count != 0 {
		t.Errorf("no invitee has the code: %q", view.Empty)
	}
	if view := newFixture(t, "UTC").list(""); view.Empty != coverage.EmptyNotCollected || view.Pages != 1 {
		t.Errorf("nothing collected: %q", view.Empty)
	}
}

// Data that was read for one list is used for the next, until a write changes it.
func TestInviteeListFollowsWritesAndDays(t *testing.T) {
	d := programme(t)
	if view := d.list("range=7d&sort=-commission"); view.Lines[0].UID != "4667776802" || view.Lines[0].Lifetime[0].Records != 31 {
		t.Fatalf("at first %+v", view.Lines[0])
	}
	d.read("main", futures, days(-1, 0), trade(today-1, futures, 2, "7"), trade(today, futures, 3, "90"))
	view := d.list("range=7d&sort=-commission")
	if line := view.Lines[0]; line.UID != "4667776803" || line.State != invitees.StateActive || line.SilentDays != 0 || line.Lifetime[0].Records != 1 {
		t.Errorf("after a trade the line is %+v", line)
	}
	d.later(3 * 24 * time.Hour)
	for _, line := range d.list("range=7d").Lines {
		if line.UID == "4667776803" && line.SilentDays != 3 {
			t.Errorf("three days later it is silent for %d days", line.SilentDays)
		}
	}
	if err := d.AddTag(t.Context(), "main", "4667776803", "new friend", audit.Line{Actor: "ann"}); err != nil {
		t.Fatal(err)
	}
	if got := uids(d.list("tag=New+Friend")); got != "3" {
		t.Errorf("the tagged invitees are %s", got)
	}
}

func TestInviteeListCompares(t *testing.T) {
	d := programme(t)
	changes := func(query string) string {
		var list []string
		for _, line := range d.list(query).Lines {
			list = append(list, string(line.UID[9:])+" "+string(line.Change.Kind)+" "+string(line.Presence))
		}
		return strings.Join(list, ", ")
	}
	// In the 14 days before, 2 brought 7 and 4 brought 17.50; in these 14 days, 13 and
	// 10.
	for query, want := range map[string]string{
		"range=14d&compare=previous&sort=-change&state=active":  "2 up both, 7 up reactivated",
		"range=14d&compare=previous&sort=-change&state=slowing": "4 down both",
		"range=90d&compare=year&sort=uid&state=active":          "2 unknown , 7 unknown ",
		"range=14d&sort=uid&state=active":                       "2 none , 7 none ",
	} {
		if got := changes(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	view := d.list("range=14d&compare=previous")
	if c := view.Totals[0].Commission; c.Amount.Value.String() != "27" || c.Reference.Value.String() != "24.5" || c.Change.Kind != figures.ChangeUp {
		t.Errorf("the total is %+v", c)
	}
}
