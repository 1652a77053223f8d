package invitees_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// The exchange's reach is counted from the requested instant, so that data known then
// remains known a year later.
func TestPeopleAsOfLongAgo(t *testing.T) {
	storetest.Engines(t, "states of the past", testPeopleAsOfLongAgo)
}

func testPeopleAsOfLongAgo(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-3)
	d.ReadEmpty(reporttest.Days(-3, 0))
	d.ReadInvitees("main", reporttest.Days(-365, 0), affiliate.Invitee{UID: "1", InviteCode: "a",
		RegisterTime: reporttest.Midnight(reporttest.Today - 2), FirstTrade: reporttest.Midnight(reporttest.Today - 1)})
	for _, query := range []string{"from=2026-09-13&to=2026-09-15", "from=2026-09-13&to=2026-09-15&code=a"} {
		d.Now = reporttest.Noon.Add(time.Minute)
		said := d.Overview(query)
		if !said.Invitees.FirstTraders.Known || said.Invitees.FirstTraders.N != 1 || len(said.Coverage.Gaps) != 0 {
			t.Fatalf("%s: %+v, %+v", query, said.Invitees, said.Coverage)
		}
		then := d.Now
		d.Now = reporttest.Noon.AddDate(1, 3, 0)
		again := d.Overview(query + "&as_of=" + then.Format(time.RFC3339))
		if again.Invitees != said.Invitees || len(again.Coverage.Gaps) != 0 {
			t.Errorf("%s: reported then\n%+v, as of then\n%+v, %+v", query, said.Invitees, again.Invitees, again.Coverage)
		}
	}
}

// A step that the exchange of one account never reports is unknown for this account,
// whatever another account reports.
func TestStepsAreKnownByAccount(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.ReadInvitees("main", reporttest.Days(-365, 0), affiliate.Invitee{UID: "1", RegisterTime: reporttest.Midnight(reporttest.Today - 2), FirstDeposit: reporttest.Midnight(reporttest.Today - 1)})
	d.ReadInvitees("other", reporttest.Days(-365, 0), affiliate.Invitee{UID: "2", RegisterTime: reporttest.Midnight(reporttest.Today - 2), FirstTrade: reporttest.Midnight(reporttest.Today - 1)})
	r, err := d.DB.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for account, want := range map[affiliate.Account][2]bool{"main": {true, false}, "other": {false, true}, "": {true, true}} {
		n, err := records.CountInvitees(t.Context(), r, records.InviteeFilter{Account: account}, reporttest.Days(-3, 0).Range(time.UTC))
		if err != nil || n.DepositsKnown != want[0] || n.TradesKnown != want[1] {
			t.Errorf("%q: %+v (%v)", account, n, err)
		}
	}
}

// If a part of the range was out of reach when it was collected, the collected invitees
// are a lower bound, and a bound of zero is unknown. Days that have not begun have no
// figures.
func TestPeopleBeyondReach(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-400)
	d.ReadEmpty(reporttest.Days(-400, 0))
	d.ReadInvitees("main", reporttest.Days(-364, 0), registrant(1, 300, "true", 24, 48), registrant(2, 200, "false", 24, -1), registrant(3, 5, "true", -1, -1))
	for query, want := range map[string][2]string{ // the cards, and the funnel with KYC at its end
		"from=2025-09-01&to=2026-09-15&compare=previous": {"≥3 ≥2 ≥1", "≥3 ≥2 ≥1 ≥2"},
		"from=2025-08-12&to=2025-08-20":                  {"beyond beyond beyond", "beyond beyond beyond beyond"},
		"from=2027-01-01&to=2027-01-20":                  {"ahead ahead ahead", "ahead ahead ahead ahead"},
		"from=2026-09-01&to=2026-09-15":                  {"1 0 0", "1 0 0 1"},
	} {
		view, codes := d.Overview(query), d.Codes(query)
		var steps []figures.Count
		for _, s := range append(slices.Clone(view.Funnel.Steps), view.Funnel.KYC) {
			steps = append(steps, s.Count)
		}
		cards := func(c invitees.Cards) string { return counted(c.Registered, c.FirstDepositors, c.FirstTraders) }
		if got := [2]string{cards(view.Invitees), counted(steps...)}; got != want {
			t.Errorf("%s: the overview says %q, want %q", query, got, want)
		}
		if codes.Empty == "" && cards(codes.People) != want[0] {
			t.Errorf("%s: codes say %s, want %s", query, cards(codes.People), want[0])
		}
		if c := view.Invitees.Registered; c.AtLeast && c.Change.Kind != figures.ChangeUnknown {
			t.Errorf("%s: a lower bound is compared: %+v", query, c)
		}
	}
}

// counted returns counts as one line.
func counted(counts ...figures.Count) string {
	said := map[string]string{
		"the exchange lists only invitees who registered in the last 365 days": "beyond",
		"these days have not begun": "ahead",
	}
	var list []string
	for _, c := range counts {
		switch {
		case !c.Known:
			list = append(list, said[c.Reason])
		case c.AtLeast:
			list = append(list, fmt.Sprintf("≥%d", c.N))
		default:
			list = append(list, fmt.Sprint(c.N))
		}
	}
	return strings.Join(list, " ")
}
