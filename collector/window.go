package collector

import (
	"rebatedesk/affiliate"
)

const (
	// recordsPerWindow is the length that windows are given by the density of the last one. A
	// long window loses more work if the list moves while it is read; a short one wastes the
	// rest of its last page, half a page on average.
	recordsPerWindow = 6000
	// mostRecords is how long a window may turn out to be; a longer one is split.
	mostRecords = 8000
)

// window is a range of whole UTC days of one stream that is read and written at once.
type window struct {
	stream  affiliate.Stream
	days    affiliate.Days
	recheck bool // its days were read before, and are only read once more

	uncounted bool // its days are left out of the progress
	whole     bool // its list is given whole, whatever is asked for: shorter windows would read as much
}

// counted returns how many stream-days of the progress the window has.
func (w window) counted() int {
	if w.uncounted {
		return 0
	}
	return w.days.Len()
}

// halves splits the window in two, the newer first; it returns false for a single day, and for a list
// that is given whole.
func (w window) halves() (newer, older window, ok bool) {
	n := w.days.Len()
	if n < 2 || w.whole {
		return w, w, false
	}
	middle := w.days.First + affiliate.Day(n/2)
	newer, older = w, w
	newer.days.First, older.days.Last = middle, middle-1
	return newer, older, true
}
