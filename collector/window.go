package collector

import (
	"time"

	"rebatedesk/affiliate"
)

// Limits of one window, in whole UTC days. The exchange takes 3 calendar
// months (89 days at the least) for commissions and 90 × 86,400,000 ms for
// invitees; a window asks for a millisecond more than its days on either side.
const (
	maxDays = 88
	// recentDays is the length of the first window: small, so that a page has
	// something to show at once, and a measure of how dense the records lie.
	recentDays = 7
	// pagesPerWindow is how long a window may get. A long one loses more work
	// when the list moves while it is read; a short one wastes the rest of
	// its last page.
	pagesPerWindow = 40
	// pageSize is the most records a page can have.
	pageSize = 100
)

// inviteeReach is how far back the exchange lists registrations, at its own
// clock, less a margin for the time a read takes.
const inviteeReach = 365*24*time.Hour - 5*time.Minute

// window is a stretch of whole UTC days of one stream that is read at once and
// written at once.
type window struct {
	stream  affiliate.Stream
	days    affiliate.Days
	recheck bool // its days were read before, and are only seen once more
}

// ask is the range to ask the exchange for. Whether its bounds are inclusive
// is not documented, so it begins a millisecond early and ends on the first
// instant after; what does not belong is left out afterwards. It never ends
// after now nor begins before earliest.
func (w window) ask(earliest, now affiliate.Millis) (start, end affiliate.Millis) {
	span := w.days.Range(time.UTC)
	start = max(affiliate.MillisOf(span.From)-1, earliest)
	end = min(affiliate.MillisOf(span.To), now)
	return start, end
}

// halves splits the window in two, the newer first; false for a single day.
func (w window) halves() (newer, older window, ok bool) {
	n := w.days.Len()
	if n < 2 {
		return w, w, false
	}
	middle := w.days.First + affiliate.Day(n/2)
	newer, older = w, w
	newer.days.First, older.days.Last = middle, middle-1
	return newer, older, true
}
