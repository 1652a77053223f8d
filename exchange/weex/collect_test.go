package weex

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

var askedNow = time.Date(2026, 9, 15, 10, 30, 0, 0, time.UTC)

// A window requests all of its days and at most a millisecond more, never the future and
// never what the exchange no longer lists.
func TestAskedRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := affiliate.MillisOf(askedNow) + affiliate.Millis(rapid.IntRange(0, 86_400_000).Draw(t, "now"))
		today := affiliate.DayOf(now.Time(), time.UTC)
		last := today - affiliate.Day(rapid.IntRange(0, 400).Draw(t, "days ago"))
		w := exchange.Window{Days: affiliate.Days{First: last - affiliate.Day(rapid.IntRange(0, maxDays-1).Draw(t, "length")), Last: last}, Now: now.Time()}
		reach := affiliate.Millis(0)
		if rapid.Bool().Draw(t, "reach") {
			reach = affiliate.MillisOf(now.Time().Add(-inviteesBack))
			if affiliate.MillisOf((w.Days.Last + 1).Start(time.UTC)) <= reach {
				return // not planned
			}
		}
		start, end := askedRange(w, reach)
		span := w.Days.Range(time.UTC)
		from, to := affiliate.MillisOf(span.From), affiliate.MillisOf(span.To)
		if start >= end || end > now || start < reach {
			t.Fatalf("%v asks for %s to %s at %s", w.Days, start, end, now)
		}
		if want := max(from-1, reach); start != want {
			t.Fatalf("%v starts at %s, want %s", w.Days, start, want)
		}
		if want := min(to, now); end != want {
			t.Fatalf("%v ends at %s, want %s", w.Days, end, want)
		}
		if end-start > 89*86_400_000 {
			t.Fatalf("%v asks for %d ms", w.Days, end-start)
		}
	})
}
