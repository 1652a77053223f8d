package mail

import (
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
)

// A message stores the instant of its figures: the state of that instant has them, though the
// clock stood still while records came late right afterwards.
func TestReportedState(t *testing.T) {
	t.Parallel()
	d := sentDays(t, 1, nil)
	log := d.log()
	if len(log) == 0 {
		t.Fatal("no summary was queued")
	}
	m := d.stored(log[0].Message)
	d.readAll(lateOn(m.Days.First, "1000"))
	totals := func(asOf affiliate.Millis) map[affiliate.Coin]string {
		basis, err := d.reports.Basis(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		q := query.Query{Range: query.Custom, Days: m.Days, Compare: query.CompareNone, AsOf: asOf.Time(), Zone: basis.Zone,
			Today: affiliate.DayOf(basis.Now, basis.Zone), Page: 1, Per: 1, By: "product"}
		report, err := reports.Ask(t.Context(), d.reports, q, overview.Make)
		if err != nil {
			t.Fatal(err)
		}
		found := map[affiliate.Coin]string{}
		for _, c := range report.Cards {
			found[c.Coin] = c.Commission.Amount.Value.String()
		}
		return found
	}
	then, now := totals(m.AsOf), totals(0)
	if len(m.Totals) == 0 || !m.AsOf.Known() {
		t.Fatalf("made at %s as of %s with %d totals", m.Made, m.AsOf, len(m.Totals))
	}
	for _, one := range m.Totals {
		if then[one.Coin] != one.Commission.Decimal().String() {
			t.Errorf("%s: the mail says %s, the state of its instant %s", one.Coin, one.Commission, then[one.Coin])
		}
	}
	if now["USDT"] == then["USDT"] {
		t.Error("nothing changed after the mail")
	}
}
