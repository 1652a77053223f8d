package invitees_test

import (
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/records"
)

// The history separates when an event happened from when it was noticed. A step that the
// first reading already reported has no later notice.
func TestInviteeHistory(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	i := affiliate.Invitee{UID: "1", InviteCode: "a", RegisterTime: reporttest.Midnight(reporttest.Today - 9), KYC: "false", FirstDeposit: reporttest.Midnight(reporttest.Today - 8)}
	span := reporttest.Days(-30, 0)
	seen := d.Later(time.Hour)
	d.ReadInvitees("main", span, i)

	traded := d.Later(time.Hour)
	i.KYC, i.FirstTrade, i.LastTrade = "true", reporttest.Midnight(reporttest.Today-1), reporttest.Midnight(reporttest.Today-1)
	d.ReadInvitees("main", span, i)
	h := d.History("uid=1")
	if h.Account != "main" || h.Invitee != i || h.FirstSeen != seen || h.LastSeen != traded || h.Status != records.InviteeListed {
		t.Errorf("%+v", h)
	}
	for name, c := range map[string]struct{ got, want invitees.Milestone }{
		"KYC":         {h.PassedKYC, invitees.Milestone{Reached: true, Noticed: traded}},
		"the deposit": {h.FirstDeposited, invitees.Milestone{Reached: true, Happened: reporttest.Midnight(reporttest.Today - 8), Noticed: seen, Before: true}},
		"the trade":   {h.FirstTraded, invitees.Milestone{Reached: true, Happened: reporttest.Midnight(reporttest.Today - 1), Noticed: traded}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", name, c.got, c.want)
		}
	}

	corrected := d.Later(time.Hour)
	i.FirstTrade, i.InviteCode = reporttest.Midnight(reporttest.Today-2), "b"
	d.ReadInvitees("main", span, i)
	vanished := d.Later(time.Hour)
	d.ReadInvitees("main", span)
	reappeared := d.Later(time.Hour)
	d.ReadInvitees("main", span, i)
	h = d.History("uid=1&account=main")
	if h.FirstTraded != (invitees.Milestone{Reached: true, Happened: reporttest.Midnight(reporttest.Today - 2), Noticed: traded}) {
		t.Errorf("a corrected first trade: %+v", h.FirstTraded)
	}
	day := func(ago int) string { return reporttest.Midnight(reporttest.Today - affiliate.Day(ago)).String() }
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
	then := d.History("uid=1&as_of=" + vanished.String())
	if then.Status != records.InviteeVanished || then.LastSeen != corrected || then.Vanished != vanished || len(then.Changes) != 6 {
		t.Errorf("as of the time when it had vanished: %+v", then)
	}
	if then := d.History("uid=1&as_of=" + seen.String()); then.KYC != "false" || then.FirstTraded.Reached || len(then.Changes) != 0 {
		t.Errorf("as of the time when it was first seen: %+v", then)
	}
}

// The status separates invitees beyond reach, vanished invitees, and UIDs that were never
// listed.
func TestInviteesTheExchangeDoesNotList(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	old, young := affiliate.Invitee{UID: "1", RegisterTime: reporttest.Midnight(reporttest.Today - 364)}, affiliate.Invitee{UID: "2", RegisterTime: reporttest.Midnight(reporttest.Today - 100)}
	d.ReadInvitees("main", reporttest.Days(-365, 0), old, young)
	d.Read("main", reporttest.Spot, reporttest.Days(-9, 0), reporttest.Trade(reporttest.Today-9, reporttest.Spot, 1, "1"), reporttest.Trade(reporttest.Today-2, reporttest.Spot, 1, "1"))
	d.Later(5 * 24 * time.Hour)
	d.ReadInvitees("main", affiliate.Days{First: reporttest.Today - 360, Last: reporttest.Today + 5})
	for uid, want := range map[string]records.InviteeStatus{"1": records.InviteeBeyondReach, "2": records.InviteeVanished, "4667776801": records.InviteeCommissionOnly} {
		if h := d.History("uid=" + uid); h.Status != want || string(h.UID) != uid || h.Account != "main" {
			t.Errorf("%s: %s, want %s", uid, h.Status, want)
		}
	}
	h := d.History("uid=4667776801")
	if h.FirstCommission != reporttest.Trade(reporttest.Today-9, reporttest.Spot, 1, "1").DealTime || h.LastCommission != reporttest.Trade(reporttest.Today-2, reporttest.Spot, 1, "1").DealTime || h.FirstSeen.Known() || h.PassedKYC.Reached {
		t.Errorf("known from commission only: %+v", h)
	}
	if view, err := reports.Ask(t.Context(), d.Service, d.Ask("uid=3"), invitees.MakeOne); err != nil || len(view.Known) != 0 {
		t.Errorf("an unknown UID: %v", err)
	}
}
