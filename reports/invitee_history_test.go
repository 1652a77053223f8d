package reports_test

import (
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/invitees"
	"rebatedesk/store/records"
)

func (d *fixture) history(query string) invitees.History {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.ask(query), invitees.MakeOne)
	if err != nil || !view.Chosen {
		d.Fatalf("%s: %+v, %v", query, view.Known, err)
	}
	return view.History
}

// later advances the clock and returns the stamp of the next write.
func (d *fixture) later(by time.Duration) affiliate.Millis {
	d.now = d.now.Add(by)
	return affiliate.MillisOf(d.now)
}

// The history separates when an event happened from when it was noticed. A step that the
// first reading already reported has no later notice.
func TestInviteeHistory(t *testing.T) {
	d := newFixture(t, "UTC")
	i := affiliate.Invitee{UID: "1", InviteCode: "a", RegisterTime: midnight(today - 9), KYC: "false", FirstDeposit: midnight(today - 8)}
	span := days(-30, 0)
	seen := d.later(time.Hour)
	d.readInvitees("main", span, i)

	traded := d.later(time.Hour)
	i.KYC, i.FirstTrade, i.LastTrade = "true", midnight(today-1), midnight(today-1)
	d.readInvitees("main", span, i)
	h := d.history("uid=1")
	if h.Account != "main" || h.Invitee != i || h.FirstSeen != seen || h.LastSeen != traded || h.Status != records.InviteeListed {
		t.Errorf("%+v", h)
	}
	for name, c := range map[string]struct{ got, want invitees.Milestone }{
		"KYC":         {h.PassedKYC, invitees.Milestone{Reached: true, Noticed: traded}},
		"the deposit": {h.FirstDeposited, invitees.Milestone{Reached: true, Happened: midnight(today - 8), Noticed: seen, Before: true}},
		"the trade":   {h.FirstTraded, invitees.Milestone{Reached: true, Happened: midnight(today - 1), Noticed: traded}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", name, c.got, c.want)
		}
	}

	corrected := d.later(time.Hour)
	i.FirstTrade, i.InviteCode = midnight(today-2), "b"
	d.readInvitees("main", span, i)
	vanished := d.later(time.Hour)
	d.readInvitees("main", span)
	reappeared := d.later(time.Hour)
	d.readInvitees("main", span, i)
	h = d.history("uid=1&account=main")
	if h.FirstTraded != (invitees.Milestone{Reached: true, Happened: midnight(today - 2), Noticed: traded}) {
		t.Errorf("a corrected first trade: %+v", h.FirstTraded)
	}
	day := func(ago int) string { return midnight(today - affiliate.Day(ago)).String() }
	want := []invitees.HistoryChange{
		{Noticed: traded, Event: invitees.EventChanged, Field: records.FieldKYC, Was: "false", Became: "true"},
		{Noticed: traded, Event: invitees.EventChanged, Field: records.FieldFirstTrade, Became: day(1)},
		{Noticed: traded, Event: invitees.EventChanged, Field: records.FieldLastTrade, Became: day(1)},
		{Noticed: corrected, Event: invitees.EventChanged, Field: records.FieldInviteCode, Was: "a", Became: "b"},
		{Noticed: corrected, Event: invitees.EventChanged, Field: records.FieldFirstTrade, Was: day(1), Became: day(2)},
		{Noticed: vanished, Event: invitees.EventVanished},
		{Noticed: reappeared, Event: invitees.EventReappeared},
	}
	if !slices.Equal(h.Changes, want) {
		t.Errorf("the changes are\n%+v, want\n%+v", h.Changes, want)
	}
	then := d.history("uid=1&as_of=" + vanished.String())
	if then.Status != records.InviteeVanished || then.LastSeen != corrected || then.Vanished != vanished || len(then.Changes) != 6 {
		t.Errorf("as of the time when it had vanished: %+v", then)
	}
	if then := d.history("uid=1&as_of=" + seen.String()); then.KYC != "false" || then.FirstTraded.Reached || len(then.Changes) != 0 {
		t.Errorf("as of the time when it was first seen: %+v", then)
	}
}

// The status separates invitees beyond reach, vanished invitees, and UIDs that were never
// listed.
func TestInviteesTheExchangeDoesNotList(t *testing.T) {
	d := newFixture(t, "UTC")
	old, young := affiliate.Invitee{UID: "1", RegisterTime: midnight(today - 364)}, affiliate.Invitee{UID: "2", RegisterTime: midnight(today - 100)}
	d.readInvitees("main", days(-365, 0), old, young)
	d.read("main", spot, days(-9, 0), trade(today-9, spot, 1, "1"), trade(today-2, spot, 1, "1"))
	d.later(5 * 24 * time.Hour)
	d.readInvitees("main", affiliate.Days{First: today - 360, Last: today + 5})
	for uid, want := range map[string]records.InviteeStatus{"1": records.InviteeBeyondReach, "2": records.InviteeVanished, "4667776801": records.InviteeCommissionOnly} {
		if h := d.history("uid=" + uid); h.Status != want || string(h.UID) != uid || h.Account != "main" {
			t.Errorf("%s: %s, want %s", uid, h.Status, want)
		}
	}
	h := d.history("uid=4667776801")
	if h.FirstCommission != trade(today-9, spot, 1, "1").DealTime || h.LastCommission != trade(today-2, spot, 1, "1").DealTime || h.FirstSeen.Known() || h.PassedKYC.Reached {
		t.Errorf("known from commission only: %+v", h)
	}
	if view, err := reports.Ask(t.Context(), d.Service, d.ask("uid=3"), invitees.MakeOne); err != nil || len(view.Known) != 0 {
		t.Errorf("an unknown UID: %v", err)
	}
}
