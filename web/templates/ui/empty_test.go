package ui

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/internal/golden"
	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/coverage"
)

// Each reason for an empty page has a separate text and an offer that helps.
func TestEmptyStates(t *testing.T) {
	failed := coverage.Coverage{Wanted: 30, Collected: 12, Through: affiliate.MillisOf(time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)),
		Gaps: []coverage.Gap{{Account: "main", Reason: "the exchange refused the signature (40009)"}}}
	cases := []struct {
		name     string
		kind     coverage.EmptyKind
		coverage coverage.Coverage
		run      CollectionRun
		query    string
	}{
		{"not-collected", coverage.EmptyNotCollected, coverage.Coverage{Wanted: 30}, CollectionRun{CanCollect: true}, "range=30d"},
		{"not-collected-no-account", coverage.EmptyNotCollected, coverage.Coverage{Wanted: 30}, CollectionRun{Progress: collector.Progress{NoAccount: true}}, "range=30d"},
		{"not-collected-running", coverage.EmptyNotCollected, coverage.Coverage{Wanted: 30}, CollectionRun{CanCollect: true, Progress: collector.Progress{Running: true, Done: 1, Wanted: 4}}, "range=30d"},
		{"truly", coverage.EmptyTruly, coverage.Coverage{Wanted: 30, Collected: 30}, CollectionRun{}, "range=30d"},
		{"filtered", coverage.EmptyFiltered, coverage.Coverage{Wanted: 30, Collected: 30}, CollectionRun{}, "range=7d&coin=BTC&q=x"},
		{"future", coverage.EmptyFuture, coverage.Coverage{}, CollectionRun{CanCollect: true}, "from=2026-12-01&to=2026-12-31"},
		{"before", coverage.EmptyBefore, coverage.Coverage{Wanted: 31}, CollectionRun{CanCollect: true}, "from=2019-12-01&to=2019-12-31"},
		{"then", coverage.EmptyThen, coverage.Coverage{Wanted: 18, FirstRead: affiliate.MillisOf(time.Date(2026, 11, 19, 9, 30, 0, 0, time.UTC))}, CollectionRun{CanCollect: true}, "range=30d&coin=BTC&as_of=2026-11-10T12:00:00Z"},
		{"then-hours", coverage.EmptyThen, coverage.Coverage{Wanted: 18, FirstRead: affiliate.MillisOf(time.Date(2026, 11, 10, 12, 30, 0, 0, time.UTC))}, CollectionRun{CanCollect: true}, "range=30d&as_of=2026-11-10T12:00:00Z"},
		{"then-in-part", coverage.EmptyThen, coverage.Coverage{Wanted: 18, Collected: 3, Begun: true}, CollectionRun{CanCollect: true}, "range=30d&as_of=2026-11-10T12:00:00Z"},
		{"then-future", coverage.EmptyThen, coverage.Coverage{}, CollectionRun{CanCollect: true}, "from=2026-11-11&to=2026-11-12&as_of=2026-11-10T12:00:00Z"},
		{"then-failed", coverage.EmptyFailed, failed, CollectionRun{CanCollect: true}, "range=30d&as_of=2026-11-10T12:00:00Z"},
		{"failed", coverage.EmptyFailed, failed, CollectionRun{CanCollect: true}, "range=30d"},
	}
	texts := map[string]string{}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var page bytes.Buffer
			links := Links{Path: "/commissions", Query: pagetest.Ask(t, c.query)}
			if err := Empty(c.kind, c.coverage, links, c.run).Render(context.Background(), &page); err != nil {
				t.Fatal(err)
			}
			golden.Equal(t, "empty-"+c.name+".html", page.Bytes())
			for other, text := range texts {
				if text == page.String() {
					t.Errorf("%s has the text of %s", c.name, other)
				}
			}
			texts[c.name] = page.String()
		})
	}
	for _, name := range []string{"not-collected-running", "future", "before", "then", "then-hours", "then-in-part", "then-future", "then-failed"} {
		if strings.Contains(texts[name], "<form") {
			t.Errorf("%s: the page offers a collection that would change nothing", name)
		}
	}
}
