package findings

import (
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
)

// The days of one outage are one line of the message, and each is a separate fact.
func TestJoinedDays(t *testing.T) {
	first := affiliate.NewDay(2026, time.September, 1)
	w := &Watched{Subscription: outbox.Subscription{Hours: 1}, Now: time.Date(2026, time.September, 2, 7, 30, 0, 0, time.UTC)}
	stream := affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}
	gap := func(account affiliate.Account, from, to affiliate.Day, reason string) coverage.Gap {
		return coverage.Gap{Account: account, Stream: stream, Days: affiliate.Days{First: first + from, Last: first + to}, Reason: reason}
	}
	var facts []outbox.Fact
	for _, gaps := range [][]coverage.Gap{{gap("main", -40, -31, "HTTP 502"), gap("main", -30, -29, "HTTP 503"), gap("main", -9, -9, "HTTP 503")}, {gap("b|c", -8, -8, "")}} {
		for _, one := range gapSignals(w, gaps) {
			facts = append(facts, outbox.Fact{Key: one.Key, Words: one.Words})
		}
	}
	facts = append(facts, outbox.Fact{Key: "other", Words: "Other"})
	want := []string{"main, 23 Jul 2026 – 1 Aug 2026 (UTC): Spot commissions not collected – HTTP 502", "main, 2 Aug 2026 – 3 Aug 2026 (UTC): Spot commissions not collected – HTTP 503",
		"main, 23 Aug 2026 (UTC): Spot commissions not collected – HTTP 503", "b|c, 24 Aug 2026 (UTC): Spot commissions not collected", "Other"}
	var got []string
	for _, one := range Joined(facts) {
		got = append(got, one.Words)
	}
	if len(facts) != 15 || !slices.Equal(got, want) {
		t.Errorf("of %d facts\n%q, want\n%q", len(facts), got, want)
	}
}

// Days that wait for their turn in a successful run are no gaps.
func TestGapsOfRunUnderWay(t *testing.T) {
	first := affiliate.NewDay(2026, time.September, 1)
	daysOf := func(first, last affiliate.Day) affiliate.Days { return affiliate.Days{First: first, Last: last} }
	w := &Watched{Now: time.Date(2026, time.September, 2, 7, 30, 0, 0, time.UTC), Collecting: []records.Collecting{{Account: "main", Read: 1}, {Account: "b"}}}
	spot := affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}
	gaps := []coverage.Gap{{Account: "main", Stream: spot, Days: daysOf(first, first)}, {Account: "main", Stream: spot, Days: daysOf(first-9, first-8), Reason: "HTTP 502"},
		{Account: "b", Stream: spot, Days: daysOf(first, first+1)}}
	var keys []string
	for _, one := range gapSignals(w, gaps) {
		keys = append(keys, one.Key)
	}
	if want := []string{"gap|main|2026-08-23", "gap|main|2026-08-24", "gap|b|2026-09-01"}; !slices.Equal(keys, want) {
		t.Errorf("%q, want %q", keys, want)
	}
}

// What the running collection is about to read is nothing to look at, unless a try of it failed.
func TestGapsThatAreBeingRead(t *testing.T) {
	t.Parallel()
	gap := Gap{Account: "main", Streams: []affiliate.Stream{{Kind: affiliate.Invitees}}, Days: 12, Oldest: 20000}
	failed := gap
	failed.Reason = "no answer"
	for _, c := range []struct {
		gap      Gap
		reading  bool
		title    string
		severity Severity
	}{
		{gap, false, "Invitees: 12 days not collected", SeverityWarning},
		{gap, true, "Invitees: 12 days still to be read", SeverityInfo},
		{failed, true, "Invitees: 12 days failed", SeverityAlert},
	} {
		about := About{Zone: time.UTC, Today: 20100, Reading: c.reading}
		if w := about.Finding(c.gap); w.Title != c.title || w.Severity != c.severity {
			t.Errorf("while reading: %v: %q of severity %d, want %q of %d", c.reading, w.Title, w.Severity, c.title, c.severity)
		}
	}
}
