package invitees_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/reporttest"
)

// registrant returns an invitee who registered the given number of days ago and took its
// steps the given numbers of hours later; a negative number omits the step.
func registrant(n int, ago affiliate.Day, kyc affiliate.Flag, deposit, trade int) affiliate.Invitee {
	i := affiliate.Invitee{UID: affiliate.UID(fmt.Sprint(4667776800 + n)), RegisterTime: reporttest.Midnight(reporttest.Today - ago), KYC: kyc}
	after := func(hours int) affiliate.Millis {
		if hours < 0 {
			return 0
		}
		return i.RegisterTime + affiliate.Millis(time.Duration(hours)*time.Hour/time.Millisecond)
	}
	i.FirstDeposit, i.FirstTrade = after(deposit), after(trade)
	return i
}

// steps returns a funnel as one line: count, share of all, share of the step before and
// median days of each step, with KYC at the end and a dash for unknown.
func steps(f invitees.Funnel) string {
	var list []string
	or := func(known bool, text string) string {
		if known {
			return text
		}
		return "-"
	}
	for _, s := range append(slices.Clone(f.Steps), f.KYC) {
		list = append(list, strings.Join([]string{or(s.Count.Known, fmt.Sprint(s.Count.N)), or(s.All.Known, s.All.Percent.String()),
			or(s.Next.Known, s.Next.Percent.String()), or(s.Wait.Known, s.Wait.Days.String())}, " "))
	}
	return strings.Join(list, " | ")
}

func TestFunnel(t *testing.T) {
	cohort := []affiliate.Invitee{
		registrant(1, 50, "true", 12, 36), registrant(2, 50, "true", 60, 84), registrant(3, 50, "true", 24, -1),
		registrant(4, 45, "false", 24, 30), registrant(5, 45, "false", -1, -1), registrant(6, 40, "true", -1, 48),
		registrant(7, 70, "true", 24*25, -1), // registered before the range, deposits in it
	}
	untold := append([]affiliate.Invitee{}, cohort...)
	untold[4].KYC = ""
	silent := []affiliate.Invitee{registrant(1, 50, "", -1, -1)}
	const query = "from=2026-07-20&to=2026-08-10"
	for name, c := range map[string]struct {
		invitees []affiliate.Invitee
		read     affiliate.Days
		want     string
	}{
		"complete":        {cohort, reporttest.Days(-363, 0), "6 100 - - | 4 66.7 66.7 1 | 4 66.7 75 1 | 4 66.7 - -"},
		"the mean of two": {cohort[1:3], reporttest.Days(-363, 0), "2 100 - - | 2 100 100 1.8 | 1 50 50 1 | 2 100 - -"},
		"KYC not told":    {untold, reporttest.Days(-363, 0), "6 100 - - | 4 66.7 66.7 1 | 4 66.7 75 1 | - - - -"},
		"nothing told":    {silent, reporttest.Days(-363, 0), "1 100 - - | - - - - | - - - - | - - - -"},
		"not collected":   {cohort, reporttest.Days(-50, -48), "- - - - | - - - - | - - - - | - - - -"},
		"nobody":          {nil, reporttest.Days(-363, 0), "0 - - - | - - - - | - - - - | 0 - - -"},
		"nobody in range": {cohort[6:], reporttest.Days(-363, 0), "0 - - - | 0 - - - | - - - - | 0 - - -"},
	} {
		t.Run(name, func(t *testing.T) {
			d := reporttest.NewFixture(t, "UTC")
			d.ReadInvitees("main", c.read, c.invitees...)
			view := d.Overview(query)
			if got := steps(view.Funnel); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			first := view.Funnel.Steps[0].Count
			if first.N != view.Invitees.Registered.N || first.Known != view.Invitees.Registered.Known {
				t.Errorf("the funnel begins with %+v, the card says %+v", first, view.Invitees.Registered)
			}
			if view.Funnel.Young != 0 {
				t.Errorf("%d are recent", view.Funnel.Young)
			}
		})
	}
}

func TestFunnelCountsRecentInvitees(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.ReadInvitees("main", reporttest.Days(-363, 0), registrant(1, 29, "true", 1, 2), registrant(2, 31, "true", 1, 2), registrant(3, 0, "true", -1, -1))
	if young := d.Overview("range=90d").Funnel.Young; young != 2 {
		t.Errorf("%d are recent, want 2", young)
	}
}

// Lines of users add up to the cards, by day and by week, and break at unknown days.
func TestUsersOverTime(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "Asia/Kathmandu")
	d.Want("main", reporttest.Today-300)
	var invitees []affiliate.Invitee
	var records []affiliate.Commission
	for n := range 40 {
		invitees = append(invitees, registrant(n, affiliate.Day(n*7), "true", n%3*24-1, n%4*24-1))
		for back := 0; back < 290; back += 1 + n%9 {
			records = append(records, reporttest.Trade(reporttest.Today-affiliate.Day(back), reporttest.Spot, n%11, "1"))
		}
	}
	d.ReadInvitees("main", reporttest.Days(-363, 0), invitees...)
	d.Read("main", reporttest.Spot, reporttest.Days(-300, 0), records...)
	d.Read("main", reporttest.Futures, reporttest.Days(-300, 0))
	for query, weekly := range map[string]bool{"range=30d": false, "range=90d&product=SPOT": false, "from=2026-01-06&to=2026-09-14": true,
		"from=2026-01-06&to=2026-09-14&uid=4667776803": true, "range=all&product=SPOT": true} {
		view := d.Overview(query)
		cards := []figures.Count{view.Invitees.Registered, view.Invitees.FirstDepositors, view.Invitees.FirstTraders}
		for i, card := range cards {
			line := view.Users.Parts[i+1]
			if sum := decimal.Sum(decimal.Zero, line.Values...); !sum.Equal(decimal.NewFromInt(card.N)) {
				t.Errorf("%s: %s add up to %s, the card says %d", query, line.Name, sum, card.N)
			}
		}
		checkActive(t, d, query, view)
		if step := view.Users.Steps[1]; (step.Len() == 7) != weekly {
			t.Errorf("%s: steps of %d days", query, step.Len())
		}
	}
}

// checkActive requests the traders of each step separately.
func checkActive(t *testing.T, d *reporttest.Fixture, query string, view overview.Report) {
	t.Helper()
	active := view.Users.Parts[0]
	for i, step := range view.Users.Steps {
		if !active.IsKnown(i) {
			continue
		}
		q := view.Query
		q.Days = step
		one, err := reports.Ask(d.Context(), d.Service, q, overview.Make)
		if err != nil {
			t.Fatal(err)
		}
		if got := active.Values[i]; !got.Equal(decimal.NewFromInt(one.Invitees.ActiveTraders.N)) {
			t.Errorf("%s: %s traders from %s on, a separate query has %d", query, got, step.First, one.Invitees.ActiveTraders.N)
		}
	}
}

func TestUsersUnknown(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-20)
	d.ReadInvitees("main", reporttest.Days(-20, 0), registrant(1, 5, "true", 1, 2))
	d.Read("main", reporttest.Spot, reporttest.Days(-20, 0), reporttest.Trade(reporttest.Today-2, reporttest.Spot, 1, "1"))
	d.Read("main", reporttest.Futures, reporttest.Days(-20, -4))
	d.Read("main", reporttest.Futures, reporttest.Days(-2, 0))
	users := d.Overview("range=7d").Users
	for i, want := range []string{"1110111", "1111111", "0000000", "0000000"} { // invitees older than twenty days are not read
		got := ""
		for n := range users.Steps {
			if users.Parts[i].IsKnown(n) {
				got += "1"
			} else {
				got += "0"
			}
		}
		if got != want {
			t.Errorf("%s is known as %s, want %s", users.Parts[i].Name, got, want)
		}
	}
}
