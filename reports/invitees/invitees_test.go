package invitees_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/reports"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/audit"
	"rebatedesk/store/records"
)

func TestInviteeListDistinguishesStates(t *testing.T) {
	d := reporttest.Programme(t)
	view := d.List("range=7d")
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
	d.Later(3 * 24 * time.Hour) // the oldest invitee leaves the exchange's reach
	if line := d.List("uid=4667776806").Lines[0]; line.Status != records.InviteeBeyondReach {
		t.Errorf("registered 367 days ago: %s", line.Status)
	}
	then := d.List("range=7d&as_of=" + reporttest.Noon.Add(-24*time.Hour).Format(time.RFC3339))
	if got := reporttest.Uids(then); got != "2 3 4 5 6" || then.Lines[1].Status != records.InviteeListed || len(then.Lines[0].Lifetime) != 0 {
		t.Errorf("as of a day before the first known trade: %s, %+v", got, then.Lines)
	}
}

func TestInviteeListFiltersAndOrders(t *testing.T) {
	d := reporttest.Programme(t)
	for choice, want := range map[string]string{"active": "2 7", "vanished": "3", "never-traded": "3 6", "traded": "2 4 7", "commission-only": "7", "beyond-reach": ""} {
		if got := reporttest.Uids(d.List("state=" + choice)); got != want {
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
		view := d.List(c.query)
		if got := reporttest.Uids(view); got != c.want {
			t.Errorf("%s: %s, want %s", c.query, got, c.want)
		}
	}
	var wrong *query.ParamError
	if _, err := reports.Ask(t.Context(), d.Service, d.AskInvitees("page=9"), invitees.MakeList); !errors.As(err, &wrong) || wrong.Param != "page" {
		t.Errorf("a page number beyond the last: %v", err)
	}
	if view := d.List("code=none"); view.Empty != coverage.EmptyFiltered || view.Count != 0 {
		t.Errorf("no invitee has the code: %q", view.Empty)
	}
	if view := reporttest.NewFixture(t, "UTC").List(""); view.Empty != coverage.EmptyNotCollected || view.Pages != 1 {
		t.Errorf("nothing collected: %q", view.Empty)
	}
}

// Data that was read for one list is used for the next, until a write changes it.
func TestInviteeListFollowsWritesAndDays(t *testing.T) {
	d := reporttest.Programme(t)
	if view := d.List("range=7d&sort=-commission"); view.Lines[0].UID != "4667776802" || view.Lines[0].Lifetime[0].Records != 31 {
		t.Fatalf("at first %+v", view.Lines[0])
	}
	d.Read("main", reporttest.Futures, reporttest.Days(-1, 0), reporttest.Trade(reporttest.Today-1, reporttest.Futures, 2, "7"), reporttest.Trade(reporttest.Today, reporttest.Futures, 3, "90"))
	view := d.List("range=7d&sort=-commission")
	if line := view.Lines[0]; line.UID != "4667776803" || line.State != invitees.StateActive || line.SilentDays != 0 || line.Lifetime[0].Records != 1 {
		t.Errorf("after a trade the line is %+v", line)
	}
	d.Later(3 * 24 * time.Hour)
	for _, line := range d.List("range=7d").Lines {
		if line.UID == "4667776803" && line.SilentDays != 3 {
			t.Errorf("three days later it is silent for %d days", line.SilentDays)
		}
	}
	if err := d.AddTag(t.Context(), "main", "4667776803", "new friend", audit.Line{Actor: "ann"}); err != nil {
		t.Fatal(err)
	}
	if got := reporttest.Uids(d.List("tag=New+Friend")); got != "3" {
		t.Errorf("the tagged invitees are %s", got)
	}
}

func TestInviteeListCompares(t *testing.T) {
	d := reporttest.Programme(t)
	changes := func(query string) string {
		var list []string
		for _, line := range d.List(query).Lines {
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
	view := d.List("range=14d&compare=previous")
	if c := view.Totals[0].Commission; c.Amount.Value.String() != "27" || c.Reference.Value.String() != "24.5" || c.Change.Kind != figures.ChangeUp {
		t.Errorf("the total is %+v", c)
	}
}
