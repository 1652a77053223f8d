package invitees_test

import (
	"fmt"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// rates returns the values of a line, with a dash for unknown.
func rates(line figures.Curve) string {
	var list []string
	for i, v := range line.Values {
		if line.IsKnown(i) {
			list = append(list, v.String())
		} else {
			list = append(list, "-")
		}
	}
	return strings.Join(list, " ")
}

func TestInviteeKnownFromCommissionOnly(t *testing.T) {
	d := reporttest.Programme(t)
	view := d.Invitee("uid=4667776807&range=7d")
	if view.Line.Status != records.InviteeCommissionOnly || view.History.FirstSeen.Known() || view.Line.InviteCode != "" {
		t.Errorf("it is %+v", view.Line)
	}
	months := view.Rates.Steps
	if len(months) != 11 || months[0] != (affiliate.Days{First: affiliate.NewDay(2025, 11, 1), Last: affiliate.NewDay(2025, 11, 30)}) {
		t.Errorf("the months are %v", months)
	}
	for i, want := range []string{"USDT: 300 - - - - - - - - - 400", "BTC: 50 - - - - - - - - - -"} {
		if got := view.Rates.Parts[i].Name + ": " + rates(view.Rates.Parts[i]); got != want {
			t.Errorf("the rates are %s, want %s", got, want)
		}
	}
	if got := fmt.Sprint(view.Rank); got != "{USDT 2 3 {24.2 true false}}" { // of 10, 4 and 2.50
		t.Errorf("its rank is %s", got)
	}
}

// A month whose trades paid no fee has an unknown rate, not zero.
func TestInviteeRateWithoutFee(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	free, paid := reporttest.Trade(reporttest.Today-40, reporttest.Spot, 1, "0"), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "0.37")
	free.Fee = "0"
	d.Read("main", reporttest.Spot, reporttest.Days(-60, 0), free, paid)
	if got := rates(d.Invitee("uid=4667776801").Rates.Parts[0]); got != "- 37" {
		t.Errorf("the rates are %s", got)
	}
}

// The page says why a known invitee brought nothing in the range, and still shows who it
// is.
func TestInviteeWithNothingInRange(t *testing.T) {
	d := reporttest.Programme(t)
	for query, want := range map[string]coverage.EmptyKind{
		"uid=4667776804&range=today":                   coverage.EmptyTruly,
		"uid=4667776802&range=7d&symbol=ETHUSDT":       coverage.EmptyFiltered,
		"uid=4667776803&range=30d":                     coverage.EmptyTruly,
		"uid=4667776802&from=2030-01-01&to=2030-01-02": coverage.EmptyFuture,
		"uid=4667776802&range=7d":                      "",
	} {
		view := d.Invitee(query)
		if view.Empty != want || !view.Chosen || view.Line.State == "" {
			t.Errorf("%s: %q, want %q", query, view.Empty, want)
		}
		if rank := view.Rank; (want == "") != (rank.Place > 0) {
			t.Errorf("%s: %+v", query, rank)
		}
	}
}

// Before the first reading with commission of a UID, the UID was unknown.
func TestInviteeAsOf(t *testing.T) { storetest.Engines(t, "states of the past", testInviteeAsOf) }

func testInviteeAsOf(t *testing.T) {
	d := reporttest.Programme(t)
	if view := d.Invitee("uid=4667776807&as_of=2026-09-14T00:00:00Z"); len(view.Known) != 0 {
		t.Errorf("as of the instant it was known as %+v", view.Known)
	}
	if view := d.Invitee("uid=4667776802&as_of=2026-09-14T00:00:00Z&range=7d"); !view.Chosen || len(view.Cards) != 0 || len(view.Line.Lifetime) != 0 {
		t.Errorf("as of the instant it had brought %+v", view.Cards)
	}
}
