package invitecodes_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/annotated"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store"
	"rebatedesk/store/annotations"
	"rebatedesk/store/audit"
	"rebatedesk/store/costs"
	"rebatedesk/store/storetest"
)

// Two invite codes that differ in letter case alone are two codes, in every sum. A code that is
// typed in another case means the stored one, if there is one alone.
func TestCodesThatDifferInCase(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-29)
	person := func(uid affiliate.UID, code string) affiliate.Invitee {
		return affiliate.Invitee{UID: uid, InviteCode: code, RegisterTime: reporttest.Midnight(reporttest.Today - 10)}
	}
	d.ReadInvitees("main", reporttest.Days(-364, 0), person("4667776801", "Summer"), person("4667776802", "SUMMER"), person("4667776803", "winter"))
	d.Read("main", reporttest.Spot, reporttest.Days(-29, 0), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "6"), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 2, "10"), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 3, "100"))
	d.Read("main", reporttest.Futures, reporttest.Days(-29, 0))
	d.NewSegment("Upper", "code=SUMMER")
	d.NewSegment("Cold", "code=Winter")
	const ambiguous = `No invitee with the invite code "summer" is stored; upper and lower case count: choose one of SUMMER, Summer.`
	for _, c := range []struct{ query, commission, unknown string }{
		{"code=Summer", "6", ""},
		{"code=SUMMER", "10", ""},
		{"code=SUMMER,Summer", "16", ""},
		{"code=summer", "0", ambiguous},
		{"code=WINTER", "100", ""},
		{"code=WINTER,Summer", "106", ""},
		{"segment=Upper", "10", ""},
		{"segment=Cold", "100", ""},
	} {
		query := "range=7d&" + c.query
		page := d.Overview(query)
		got := "0"
		for _, card := range page.Cards {
			got = card.Commission.Amount.Value.String()
		}
		if got != c.commission {
			t.Errorf("%s: %s on the overview, want %s", c.query, got, c.commission)
		}
		if got := fmt.Sprint(page.Options.Unknown); got != "["+c.unknown+"]" {
			t.Errorf("%s is said to be unknown with %s", c.query, got)
		}
		if got := d.Codes(query).Total.In("USDT").Commission.String(); got != c.commission {
			t.Errorf("%s: %s by code, want %s", c.query, got, c.commission)
		}
		var listed affiliate.Sum
		for _, line := range d.List(query).Lines {
			for _, total := range line.InRange {
				listed.AddDecimal(total.Commission)
			}
		}
		if got := listed.Decimal().String(); got != c.commission {
			t.Errorf("%s: %s by invitee, want %s", c.query, got, c.commission)
		}
	}
	for _, code := range []string{"Summer", "SUMMER", "WINTER"} {
		d.NewCost(costs.Cost{Scope: costs.OfCode, Value: code, Kind: costs.Once, Amount: "1", Coin: "USDT", First: reporttest.Today - 5})
	}
	got := map[string]string{}
	for _, row := range d.Returns("").Rows {
		got[row.Value] = reporttest.Printed(row)
	}
	if len(got) != 3 || got["winter"] == "" || got["Summer"] == got["SUMMER"] {
		t.Errorf("the costs are of %v", got)
	}
	for code, row := range got {
		if only := d.Returns("code=" + code).Only(); only == nil || reporttest.Printed(only) != row {
			t.Errorf("%s alone: %v, among others %s", code, only, row)
		}
	}
	desk := reports.NewAnnotationDesk(d.Service, annotated.Writer{Name: "ann"})
	_, err := desk.AddAnnotation(t.Context(), annotations.Annotation{Days: reporttest.Days(-1, -1), Words: "frost", Code: "WINTER"}, audit.Line{Actor: "ann"})
	storetest.Done(t, err)
	for code, want := range map[string]int{"winter": 1, "Winter": 1, "SUMMER": 0} {
		if got := d.Overview("range=7d&code=" + code).Daily.Annotations; len(got) != want {
			t.Errorf("%s has the annotations %v", code, got)
		}
	}
}

// A cost may be older than the first invitee of its code, and be written in another case. It is
// the cost of that code then, and cannot be added once more.
func TestCostsOlderThanTheirCode(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-29)
	monthly := costs.Cost{Scope: costs.OfCode, Value: "autumn", Kind: costs.Monthly, Amount: "20", Coin: "USDT", First: reporttest.Today - 5}
	d.NewCost(monthly)
	d.ReadInvitees("main", reporttest.Days(-364, 0), affiliate.Invitee{UID: "4667776801", InviteCode: "AUTUMN", RegisterTime: reporttest.Midnight(reporttest.Today - 20)})
	view := d.Returns("")
	if len(view.Rows) != 1 || view.Rows[0].Value != "AUTUMN" {
		t.Fatalf("the costs are of %+v", view.Rows)
	}
	desk := d.Service
	for _, code := range []string{"AUTUMN", "autumn", "Autumn"} {
		again := monthly
		again.Value = code
		_, err := desk.AddCost(t.Context(), again, reporttest.Manager)
		if rule, ok := errors.AsType[*store.RuleError](err); !ok || !strings.HasPrefix(rule.Problem, "The code AUTUMN already has a cost of this kind on these days: ") {
			t.Errorf("the cost of %s was added once more: %v", code, err)
		}
	}
	if cost := d.Returns("code=AUTUMN").Only().Cost.String(); cost != "20" {
		t.Errorf("the code cost %s, want 20", cost)
	}
	storetest.Done(t, desk.EndCost(t.Context(), view.Rows[0].Costs[0].ID, reporttest.Today, reporttest.Manager))
	if view = d.Returns(""); len(view.Rows) != 1 || view.Rows[0].Value != "AUTUMN" || len(view.Rows[0].Costs) != 1 {
		t.Errorf("after its end the costs are of %+v", view.Rows)
	}
}
