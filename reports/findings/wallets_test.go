package findings_test

import (
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/outbox"
)

// Bills and transfers have gaps and findings of their own. Nothing about commissions depends on
// them.
func TestAttentionToBillsAndTransfers(t *testing.T) {
	w := &reporttest.Watched{Fixture: reporttest.NewFixture(t, "UTC")}
	w.Want("main", reporttest.Today-9)
	w.ReadEmpty(reporttest.Days(-9, 0))
	gaps := found[findings.Gap](w.Look(""))
	if len(gaps) != 2 || gaps[0].Money || gaps[0].Severity() != findings.SeverityWarning || !gaps[1].Money || gaps[1].Severity() != findings.SeverityInfo || len(gaps[1].Streams) != 3 {
		t.Fatalf("%+v", gaps)
	}
	missing := w.Signals(outbox.Subscription{Watches: "gap"})
	if len(missing) == 0 || slices.ContainsFunc(missing, func(s findings.Signal) bool {
		return strings.Contains(s.Words, "bills") || strings.Contains(s.Words, "ransfers")
	}) {
		t.Errorf("alerts hear of %+v", missing)
	}
	w.Refuse(affiliate.SpotBills, 0)
	w.Refuse(affiliate.Transfers, 0)
	w.Refuse(affiliate.FundingBills, reporttest.Today-2)
	refused := found[findings.Refused](w.Look(""))
	if len(refused) != 1 || len(refused[0].Streams) != 2 || refused[0].Account != "main" || refused[0].Error != "40014: no permission" || !refused[0].Since.Known() || refused[0].Severity() != findings.SeverityInfo {
		t.Fatalf("%+v", refused)
	}
	gaps = found[findings.Gap](w.Look(""))
	if len(gaps) != 2 || len(gaps[1].Streams) != 1 || gaps[1].Streams[0].Kind != affiliate.FundingBills || gaps[1].Days != 3 {
		t.Errorf("%+v", gaps)
	}
}

// A refused stream, and days that the exchange does not give, are out of reach and no gaps. What
// was read before counts.
func TestRefusedStreamsAreBeyondReach(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-9)
	d.ReadEmpty(reporttest.Days(-9, 0))
	d.ReadWallets(reporttest.Days(-9, -8), affiliate.Transfers)
	d.Refuse(affiliate.SpotBills, 0)
	d.Refuse(affiliate.FundingBills, reporttest.Today-4)
	d.ReadWallets(reporttest.Days(-4, -1), affiliate.Transfers, affiliate.SpotBills)
	report, err := d.Collection(t.Context())
	if err != nil || len(report.Refused) != 2 {
		t.Fatalf("%+v (%v)", report, err)
	}
	calendar := d.ReadCalendar("main")
	for kind, want := range map[affiliate.StreamKind]struct{ beyond, gaps, collected, calendar int }{
		affiliate.SpotBills:    {7, 0, 2, 8}, // today is not due, but the calendar has it
		affiliate.FundingBills: {3, 1, 6, 3},
		affiliate.Transfers:    {0, 10, 0, 0},
	} {
		stream := affiliate.Stream{Kind: kind}
		i := slices.IndexFunc(report.Streams, func(s coverage.StreamCoverage) bool { return s.Stream == stream })
		s := report.Streams[i]
		var missing int
		for _, gap := range s.Coverage.Gaps {
			missing += gap.Days.Len()
		}
		if s.OutOfReach != want.beyond || missing != want.gaps || s.Coverage.Collected-s.OutOfReach != want.collected {
			t.Errorf("%s: %d out of reach, %d missing, %d collected of %+v; want %+v", kind, s.OutOfReach, missing, s.Coverage.Collected-s.OutOfReach, s.Coverage, want)
		}
		var beyond int
		for _, day := range calendar[stream] {
			if day.State == coverage.CalendarBeyond {
				beyond++
			}
		}
		if beyond != want.calendar {
			t.Errorf("%s: %d days of the calendar are out of reach", kind, beyond)
		}
	}
	if c := d.Overview("from=2026-09-06&to=2026-09-15").Coverage; !c.Complete() || c.Beyond != 0 {
		t.Errorf("commissions are %+v", c)
	}
}
