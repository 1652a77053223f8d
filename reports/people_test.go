package reports_test

import (
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// How far back the exchange lists invitees is counted from the instant that is
// asked for: what was known then does not become unknown when a year has passed.
func TestPeopleAsOfLongAgo(t *testing.T) {
	d := newDesk(t, "UTC")
	d.want("main", today-3)
	d.readEmpty(days(-3, 0))
	d.readInvitees("main", days(-365, 0), affiliate.Invitee{UID: "1", InviteCode: "a",
		RegisterTime: midnight(today - 2), FirstTrade: midnight(today - 1)})
	for _, query := range []string{"from=2026-09-13&to=2026-09-15", "from=2026-09-13&to=2026-09-15&code=a"} {
		d.now = noon.Add(time.Minute)
		said := d.overview(query)
		if !said.Invitees.FirstTraders.Known || said.Invitees.FirstTraders.N != 1 || len(said.Coverage.Gaps) != 0 {
			t.Fatalf("%s: %+v, %+v", query, said.Invitees, said.Coverage)
		}
		then := d.now
		d.now = noon.AddDate(1, 3, 0)
		again := d.overview(query + "&as_of=" + then.Format(time.RFC3339))
		if again.Invitees != said.Invitees || len(again.Coverage.Gaps) != 0 {
			t.Errorf("%s: it was said\n%+v, as of then\n%+v, %+v", query, said.Invitees, again.Invitees, again.Coverage)
		}
	}
}

// What an account's exchange never tells is unknown, whatever that of another
// account tells.
func TestStepsAreKnownByAccount(t *testing.T) {
	d := newDesk(t, "UTC")
	d.readInvitees("main", days(-365, 0), affiliate.Invitee{UID: "1", RegisterTime: midnight(today - 2), FirstDeposit: midnight(today - 1)})
	d.readInvitees("other", days(-365, 0), affiliate.Invitee{UID: "2", RegisterTime: midnight(today - 2), FirstTrade: midnight(today - 1)})
	r, err := d.store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for account, want := range map[affiliate.Account][2]bool{"main": {true, false}, "other": {false, true}, "": {true, true}} {
		n, err := r.InviteeCounts(t.Context(), store.InviteeFilter{Account: account}, days(-3, 0).Range(time.UTC))
		if err != nil || n.DepositsKnown != want[0] || n.TradesKnown != want[1] {
			t.Errorf("%q: %+v (%v)", account, n, err)
		}
	}
}
