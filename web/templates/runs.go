package templates

import (
	"fmt"
	"strconv"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
)

// took prints how long something took, with as much detail as its length
// deserves: "850 ms", "12.4 s", "3 min 12 s", "2 h 5 min".
func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d%sms", d.Milliseconds(), space)
	case d < 59950*time.Millisecond: // what rounds to 60.0 s is a minute
		return fmt.Sprintf("%.1f%ss", d.Seconds(), space)
	case d < time.Hour-time.Second/2:
		d = d.Round(time.Second)
		return fmt.Sprintf("%d%smin %d%ss", d/time.Minute, space, d%time.Minute/time.Second, space)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d%sh %d%smin", d/time.Hour, space, d%time.Hour/time.Minute, space)
}

// span is the time between two instants. A clock that was set back in between
// leaves none.
func span(from, to affiliate.Millis) time.Duration {
	return max(0, to.Time().Sub(from.Time()))
}

// runID names the failures of a run, which stay unfolded while the page is
// refreshed.
func runID(r reports.RunRow) string { return "run-" + strconv.FormatInt(r.ID, 10) }

// pages is how many pages some rows fill: at least one.
func pages(rows int64, per int) int {
	return max(1, int((rows+int64(per)-1)/int64(per)))
}

// rowsWords says which rows of how many stand on a page.
func rowsWords(q reports.Query, shown int, all int64, one string) string {
	first := int64(q.Page-1)*int64(q.Per) + 1
	if shown == 0 || all <= int64(shown) {
		return things(all, one)
	}
	return count(first) + "–" + count(first+int64(shown)-1) + " of " + things(all, one)
}
