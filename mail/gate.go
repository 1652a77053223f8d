package mail

import (
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
)

// lag is how long after it was earned a commission may first be listed by the
// exchange (4.17): a reading before that may lack the last of the period.
const lag = time.Hour

// Gate is whether a period is known completely.
type Gate struct {
	Closed  bool
	Words   string
	Missing []string // what is not known, for people
}

// gateOf holds the coverage of a period against its end. Closed means that all
// of it was read, and that the newest reading began when nothing more was to
// come of it.
func gateOf(c reports.Coverage, end time.Time, zone *time.Location) Gate {
	g := Gate{Words: "Complete"}
	for i, gap := range c.Gaps {
		if i == maxGaps {
			g.Missing = append(g.Missing, fmt.Sprintf("and %d more", len(c.Gaps)-maxGaps))
			break
		}
		g.Missing = append(g.Missing, gapWords(gap))
	}
	switch ripe := end.Add(lag); {
	case c.Wanted == 0:
		g.Missing = append(g.Missing, "none of its days was ever to be collected")
	case len(c.Gaps) > 0:
	case !c.Through.Known() || c.Through.Time().Before(end):
		g.Missing = append(g.Missing, "it was not read to its end")
	case !c.LastRun.Started.Known() || c.LastRun.Started.Time().Before(ripe):
		g.Missing = append(g.Missing, "its last hour may lack records: nothing was read since "+clock(ripe, zone))
	}
	g.Closed = len(g.Missing) == 0
	if !g.Closed {
		g.Words = "Not complete"
		if c.Wanted > 0 {
			g.Words += fmt.Sprintf(": %d of %s collected", c.Collected, things(c.Wanted, "day"))
		}
	}
	if c.Through.Known() {
		g.Words += ", read up to " + clock(c.Through.Time(), zone)
	}
	return g
}

// maxGaps is how many gaps a message names.
const maxGaps = 6

func gapWords(gap reports.Gap) string {
	words := string(gap.Stream.Kind)
	if gap.Stream.Product != "" {
		words = gap.Stream.Product.Label() + " " + words
	}
	words += " of " + plain(string(gap.Account)) + ", " + reports.Words(affiliate.Days(gap.Days), time.UTC)
	if gap.Reason != "" {
		words += ": " + cut(plain(gap.Reason), 200)
	}
	return words
}
