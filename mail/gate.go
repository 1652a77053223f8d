package mail

import (
	"context"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/phrase"
)

// Gate states whether a period is known completely.
type Gate struct {
	Closed  bool
	Words   string
	Missing []string // the missing data, in words
}

// gate returns whether all data that a summary reports for a period is known
// completely. It runs before the figures are read: a complete period stays complete.
func (a *author) gate(ctx context.Context, about Schedule, p dispatch.Period) (Gate, error) {
	q := &question{author: a, about: about, Summary: Summary{Period: p}}
	if err := q.open(ctx); err != nil {
		return Gate{}, err
	}
	kinds := []affiliate.StreamKind{affiliate.Commissions, affiliate.Invitees}
	if about.tells(SectionSubAffiliates) {
		kinds = append(kinds, affiliate.SubAffiliates)
	}
	covered, err := q.reports.Settled(ctx, q.query, kinds...)
	if err != nil {
		return Gate{}, err
	}
	return gateOf(covered, p.Range(q.query.Zone).To, q.query.Zone), nil
}

// gateOf compares the coverage of a period with its end.
func gateOf(c coverage.Coverage, end time.Time, zone *time.Location) Gate {
	var g Gate
	for i, gap := range c.Gaps {
		if i == maxGaps {
			g.Missing = append(g.Missing, fmt.Sprintf("and %d more", len(c.Gaps)-maxGaps))
			break
		}
		g.Missing = append(g.Missing, phrase.Gap(gap))
	}
	switch {
	case c.Wanted == 0:
		g.Missing = append(g.Missing, "this period lies outside the days that are collected")
	case len(c.Gaps) > 0:
	case !c.Through.Known() || c.Through.Time().Before(end):
		g.Missing = append(g.Missing, "the end of the period is not collected yet")
	}
	g.Closed = len(g.Missing) == 0
	if g.Closed {
		g.Words = phrase.Coverage(c, zone)
		return g
	}
	g.Words = "Not complete"
	if len(c.Gaps) > 0 {
		g.Words += ": " + phrase.Lack(c)
	}
	if c.Through.Known() {
		g.Words += ", collected up to " + phrase.Clock(c.Through.Time(), zone)
	}
	return g
}

// maxGaps is how many gaps a message lists.
const maxGaps = 6
