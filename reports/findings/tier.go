package findings

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"rebatedesk/reports/phrase"
	"rebatedesk/reports/tiers"
)

var _ = register(Kind{
	Alert: &Alert{
		Name: "tier", Place: 85, Title: "A tier is within reach",
		When:    "At the present pace the next tier of an agreed rate is reached this month. Once for each term and month. Months with missing days never cause an alert.",
		Help:    "the next tier of an agreed rate is within reach this month",
		Lapses:  true, // the pace may fall again
		Words:   func(*Watched) string { return "The next tier of an agreed rate is within reach" },
		Signals: tierSignals,
	},
	Headline: counted("a tier is within reach", "tier", " are within reach"),
})

// tierAfter is how long a tier must have been within reach before that is reported: its pace moves with each day.
const tierAfter = 12 * time.Hour

// tierSignals reports the tiers of this month that are reached in it at the present pace.
func tierSignals(ctx context.Context, w *Watched) (found []Signal, err error) {
	r, err := shared(ctx, w, "tiers", w.whole(), tiers.Make)
	if err != nil || !r.Coverage.Complete() {
		return nil, err
	}
	month := r.Days.First.Format("2006-01")
	for i := range r.Tiers {
		t := &r.Tiers[i]
		if !t.Within() {
			continue
		}
		found = append(found, Signal{
			Key: fmt.Sprintf("tier|%s|%d|%s", month, t.Next.ID, t.Who), Words: phrase.Tier(t), After: tierAfter, Page: withQuery("/tiers", "month", month, "account", string(w.Account)),
			Detail: details("term", strconv.FormatInt(t.Next.ID, 10), "about", t.About(), "month", month, "missing", string(t.Missing), "next_rate", string(t.Next.Rate),
				"reached_on", t.ReachedOn.String(), "worth", string(t.WorthInUSDT())),
		})
	}
	return found, nil
}
