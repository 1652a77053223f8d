package reports_test

import (
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/reporttest"
)

// collectedLate returns a fixture that was read in part on 15 September and completely on 22
// September, with trades on the 3rd and the 6th.
func collectedLate(t *testing.T) *reporttest.Fixture {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-30)
	d.Read("main", reporttest.Spot, reporttest.Days(-12, -11), reporttest.Trade(reporttest.Today-12, reporttest.Spot, 1, "2"))
	d.Read("main", reporttest.Futures, reporttest.Days(-12, -11))
	d.Later(7 * 24 * time.Hour)
	d.Read("main", reporttest.Spot, reporttest.Days(-30, 7), reporttest.Trade(reporttest.Today-12, reporttest.Spot, 1, "2"), reporttest.Trade(reporttest.Today-9, reporttest.Spot, 2, "3"))
	d.Read("main", reporttest.Futures, reporttest.Days(-30, 7))
	reach := reporttest.Days(-364, 7)
	d.ReadInvitees("main", reach, affiliate.Invitee{UID: "4667776801", InviteCode: "a", RegisterTime: reporttest.Midnight(reporttest.Today - 20)})
	d.ReadSubAffiliates(reporttest.Days(-30, 7))
	return d
}

// As of an instant at which nothing of the range was read, each report says so: no figure
// is zero, and a collection today would not change it.
func TestAsOfBeforeTheFirstReading(t *testing.T) {
	d := collectedLate(t)
	type said struct {
		Empty    coverage.EmptyKind
		Coverage coverage.Coverage
	}
	ask := func(query string) map[string]said {
		overview := d.Overview(query)
		commissions, err := reports.Ask(t.Context(), d.Service, d.Ask(query), commissions.Make)
		if err != nil {
			t.Fatal(err)
		}
		invitees, codes, cohorts, subs := d.List(query), d.Codes(query), d.Cohorts(query), d.SubAffiliates(query)
		return map[string]said{
			"overview": {overview.Empty, overview.Coverage}, "commissions": {commissions.Empty, commissions.Coverage},
			"invitees": {invitees.Empty, invitees.Listed}, "codes": {codes.Empty, codes.Coverage.With(codes.Listed)},
			"cohorts": {cohorts.Empty, cohorts.Coverage}, "sub-affiliates": {subs.Empty, subs.Coverage},
		}
	}
	for _, query := range []string{"range=30d", "range=30d&account=main", "from=2026-09-05&to=2026-09-22", "from=2026-09-15&to=2026-09-22"} {
		for report, s := range ask(query + "&as_of=2026-09-14T12:00:00Z") {
			if s.Empty != coverage.EmptyThen || s.Coverage.Begun || s.Coverage.Complete() || s.Coverage.Collected != 0 {
				t.Errorf("%s?%s: %q, %+v", report, query, s.Empty, s.Coverage)
			}
			if first := s.Coverage.FirstRead.Time().Truncate(time.Second); query == "from=2026-09-05&to=2026-09-22" && first != d.Now {
				t.Errorf("%s?%s was first read at %s, want %s", report, query, first, d.Now)
			}
		}
	}
	// An instant in the future gives the present state.
	if view := d.Overview("from=2026-08-20&to=2026-08-21&as_of=2027-01-01T00:00:00Z"); view.Empty != coverage.EmptyTruly {
		t.Errorf("as of the next year: %q", view.Empty)
	}
}

// A report about the part that was read depends on this part alone.
func TestAsOfAPartlyReadRange(t *testing.T) {
	d := collectedLate(t)
	const then = "&as_of=2026-09-17T12:00:00Z"
	// The first day was read and has no records; the next five were not read.
	none := d.Overview("from=2026-09-04&to=2026-09-09" + then)
	if none.Empty != coverage.EmptyThen || !none.Coverage.Begun || none.Coverage.Collected != 1 || none.Coverage.Wanted != 6 {
		t.Errorf("a part without records: %q, %+v", none.Empty, none.Coverage)
	}
	for name, c := range map[string]figures.Count{"registered": none.Invitees.Registered, "deposits": none.Invitees.FirstDepositors,
		"trades": none.Invitees.FirstTraders, "active": none.Invitees.ActiveTraders} {
		if c.Known || c.Reason == "" {
			t.Errorf("%s are known to be %d, because %q", name, c.N, c.Reason)
		}
	}
	if whole := d.Overview("from=2026-09-04&to=2026-09-04" + then); whole.Empty != coverage.EmptyTruly || !whole.Invitees.ActiveTraders.Known || whole.Invitees.ActiveTraders.N != 0 {
		t.Errorf("the day that was read: %q, %+v", whole.Empty, whole.Invitees.ActiveTraders)
	}
	some := d.Overview("from=2026-09-01&to=2026-09-09" + then)
	if some.Empty != "" || some.Coverage.Complete() || some.Cards[0].Commission.Amount.Exact() != "2 USDT" || some.Invitees.ActiveTraders.N != 1 {
		t.Errorf("a part with a record: %q, %+v, %+v", some.Empty, some.Coverage, some.Cards)
	}
	if !some.Users.AnyKnown() {
		t.Error("the two days that were read have no figures")
	}
	if year := d.Overview("range=12m" + then); year.Empty != "" || year.Users.AnyKnown() {
		t.Errorf("no week was read completely, but the users are %+v", year.Users)
	}
	if now := d.Overview("from=2026-09-04&to=2026-09-09"); now.Empty != "" || now.Invitees.ActiveTraders.N != 1 {
		t.Errorf("now: %q, %+v", now.Empty, now.Invitees.ActiveTraders)
	}
}

// The words of the range name the instant instead of now.
func TestRangeWordsOfAnEarlierState(t *testing.T) {
	d := reporttest.NewFixture(t, "Europe/Berlin")
	for query, want := range map[string]string{
		"range=7d&as_of=2026-09-10T12:00:00Z":                      "9 Sep 2026 – 15 Sep 2026 (Europe/Berlin), as known on 10 Sep 2026 14:00 CEST",
		"from=2026-09-01&to=2026-09-02&as_of=2026-09-10T12:00:00Z": "1 Sep 2026 – 2 Sep 2026 (Europe/Berlin), as known on 10 Sep 2026 14:00 CEST",
		"range=7d&as_of=2027-09-10T12:00:00Z":                      "9 Sep 2026 – 15 Sep 2026 (Europe/Berlin), to now",
	} {
		if got := phrase.Range(d.Ask(query)); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}
