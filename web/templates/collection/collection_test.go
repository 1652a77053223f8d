package collection

import (
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/collection"
	"rebatedesk/reports/coverage"
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
	if (CollectionView{}).sum() != (collected{}) || v.accounts() != 1 {
		t.Error("no records are not shown as none")
	}
}
