package collection

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/collection"
	"rebatedesk/reports/coverage"
	"rebatedesk/store/payments"
)

// Days out of reach are neither planned nor collected, and a day missing from one
// stream is missing from the whole.
func TestCollectionSums(t *testing.T) {
	stream := func(wanted, read, beyond int, through affiliate.Millis) coverage.StreamCoverage {
		return coverage.StreamCoverage{Account: "main", Days: affiliate.Days{First: pagetest.Today - affiliate.Day(wanted) + 1, Last: pagetest.Today},
			Coverage: coverage.Coverage{Wanted: wanted, Collected: read, Through: through}, OutOfReach: beyond}
	}
	v := CollectionView{Report: collection.Report{Streams: []coverage.StreamCoverage{stream(400, 400, 35, 9), stream(400, 100, 0, 4)}}}
	want := collected{Days: affiliate.Days{First: pagetest.Today - 399, Last: pagetest.Today}, Planned: 765, Collected: 465, OutOfReach: 35, Through: 4}
	if got := v.sum(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	bills := stream(400, 0, 400, 0)
	bills.Stream.Kind = affiliate.SpotBills
	v.Report.Streams = append(v.Report.Streams, bills)
	if got := v.sum(); got != want || len(v.streams(true)) != 1 || len(v.streams(false)) != 2 {
		t.Errorf("bills change the sum to %+v", got)
	}
	if (CollectionView{}).sum() != (collected{}) || v.accounts() != 1 {
		t.Error("no records are not shown as none")
	}
}

// The panel of bills and transfers names what a key may not read, once for each account.
func TestRefusedStreamsAreNamed(t *testing.T) {
	refused := func(account affiliate.Account, kind affiliate.StreamKind, since affiliate.Millis, first affiliate.Day) payments.Refusal {
		return payments.Refusal{Account: account, Stream: kind, Since: since, Error: "40014: <no>", FirstDay: first}
	}
	v := CollectionView{Zone: time.UTC, Report: collection.Report{Refused: []payments.Refusal{
		refused("asia", affiliate.FundingBills, 5, pagetest.Today), refused("main", affiliate.SpotBills, 5, 0), refused("main", affiliate.Transfers, 4, 0)}}}
	list := v.refused()
	if len(list) != 1 || list[0].Account != "main" || len(list[0].Streams) != 2 || list[0].Since != 4 {
		t.Fatalf("%+v", list)
	}
	var page strings.Builder
	if err := walletsPanel(v).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"This key may not read spot bills and transfers. Add the permission", "40014: &lt;no&gt;"} {
		if !strings.Contains(page.String(), words) {
			t.Errorf("%q is not in %s", words, page.String())
		}
	}
}
