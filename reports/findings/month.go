package findings

import (
	"context"
	"fmt"

	"rebatedesk/reports/phrase"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/closings"
	"rebatedesk/store/outbox"
)

var _ = register(Kind{
	Events:   []Event{{Name: "month.closed", Place: 90, Label: "A month is closed", When: "A month is closed.", Key: "month|", Signals: monthSignals}},
	Headline: func(_ *Watched, facts []outbox.Fact) string { return phrase.Things(len(facts), "month") + " closed" },
})

// monthSignals reports months that were closed.
func monthSignals(ctx context.Context, w *Watched) (found []Signal, err error) {
	list, err := ask(ctx, w, w.whole(), func(ctx context.Context, q *snapshot.Snapshot) ([]closings.Closing, error) {
		return closings.List(ctx, q.Tx, 0)
	})
	for _, c := range list {
		if !c.InForce() || c.Closed <= w.Since {
			continue
		}
		month := closings.MonthText(c.Month)
		found = append(found, Signal{Key: fmt.Sprintf("month|%s|%d", month, c.Closed), Words: "The month " + month + " was closed", Page: "/months/" + month,
			Detail: details("month", month, "closed", c.Closed.String(), "by", c.Actor)})
	}
	return found, err
}
