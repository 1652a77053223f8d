package collector

import (
	"time"

	"rebatedesk/affiliate"
)

// Limits of one window, in whole UTC days. The exchange accepts 3 calendar months (at least
// 89 days) for commissions and 90 × 86,400,000 ms for invitees; a window requests one
// millisecond more than its days on either side.
const (
	maxDays = 88
	// recentDays is the length of the first window: small, so that a page has something to
	// show at once, and a measurement of the density of records.
	recentDays = 7
	// pagesPerWindow is the length that windows are given by the density of the last one. A
	// long window loses more work if the list moves while it is read; a short one wastes the
	// rest of its last page, half a page on average.
	pagesPerWindow = 60
	// mostPages is how long a window may turn out to be; a longer one is split.
	mostPages = 80
	// pageSize is the maximum number of records of a page.
	pageSize = 100
)

// inviteeReach is how far back the exchange lists registrations, by its own clock, minus a
// margin for the duration of a read.
const inviteeReach = 365*24*time.Hour - 5*time.Minute

// window is a range of whole UTC days of one stream that is read and written at once.
type window struct {
	stream  affiliate.Stream
	days    affiliate.Days
	recheck bool // its days were read before, and are only read once more

	uncounted bool // its days are left out of the progress
}

// counted returns how many stream-days of the progress the window has.
func (w window) counted() int {
	if w.uncounted {
		return 0
	}
	return w.days.Len()
}

// ask returns the range to request from the exchange. Whether its bounds are inclusive is
// not documented, so it begins a millisecond early and ends on the first instant after;
// records outside the window are dropped afterwards. It never ends after now nor begins
// before earliest.
func (w window) ask(earliest, now affiliate.Millis) (start, end affiliate.Millis) {
	span := w.days.Range(time.UTC)
	start = max(affiliate.MillisOf(span.From)-1, earliest)
	end = min(affiliate.MillisOf(span.To), now)
	return start, end
}

// reach returns the range of the window's records, up to now.
func (w window) reach(now time.Time) affiliate.Range {
	span := w.days.Range(time.UTC)
	if span.To.After(now) {
		span.To = now
	}
	return span
}

// tooLong reports whether a window that can be split has more records than are worth reading at
// once.
func (w window) tooLong(records int) bool { return w.days.Len() > 1 && records > mostPages*pageSize }

// halves splits the window in two, the newer first; it returns false for a single day.
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
