package mail

import (
	"context"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/query"
)

// Gate is whether a period is known completely.
type Gate struct {
	Closed  bool
	Words   string
	Missing []string // what is not known, for people
}

// gate asks whether a period is known completely in all that a summary tells of
// it. It is asked before the figures: what is known completely stays so.
func (a *author) gate(ctx context.Context, about Schedule, p Period) (Gate, error) {
	q := &question{author: a, about: about, Summary: Summary{Period: p}}
	if err := q.open(ctx); err != nil {
		return Gate{}, err
	}
	kinds := []affiliate.StreamKind{affiliate.Commissions, affiliate.Invitees}
	if about.tells(SectionSubAffiliates) {
		kinds = append(kinds, affiliate.SubAffiliates)
	}
	covered, err := a.reports.Settled(ctx, q.query, kinds...)
	if err != nil {
		return Gate{}, err
	}
	return gateOf(covered, p.Range(q.query.Zone).To, q.query.Zone), nil
}

// gateOf holds the coverage of a period against its end.
func gateOf(c coverage.Coverage, end time.Time, zone *time.Location) Gate {
	g := Gate{Words: "Complete"}
	for i, gap := range c.Gaps {
		if i == maxGaps {
			g.Missing = append(g.Missing, fmt.Sprintf("and %d more", len(c.Gaps)-maxGaps))
			break
		}
		g.Missing = append(g.Missing, gapWords(gap))
	}
	switch {
	case c.Wanted == 0:
		g.Missing = append(g.Missing, "this period lies outside the days that are collected")
	case len(c.Gaps) > 0:
	case !c.Through.Known() || c.Through.Time().Before(end):
		g.Missing = append(g.Missing, "the end of the period is not collected yet")
	}
	g.Closed = len(g.Missing) == 0
	if !g.Closed {
		g.Words = "Not complete"
		if len(c.Gaps) > 0 {
			g.Words += fmt.Sprintf(": %d of %s collected", c.Collected, things(c.Wanted, "day"))
		}
	}
	if c.Through.Known() {
		g.Words += ", collected up to " + clock(c.Through.Time(), zone)
	}
	return g
}

// maxGaps is how many gaps a message names.
const maxGaps = 6

func gapWords(gap coverage.Gap) string {
	words := string(gap.Stream.Kind)
	if gap.Stream.Product != "" {
		words = gap.Stream.Product.Label() + " " + words
	}
	words += " of " + affiliate.OneLine(string(gap.Account)) + ", " + query.Words(affiliate.Days(gap.Days), time.UTC)
	if gap.Reason != "" {
		words += ": " + mailer.Cut(affiliate.OneLine(gap.Reason), 200)
	}
	return words
}
