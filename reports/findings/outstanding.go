package findings

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/outbox"
)

var _ = register(Kind{
	Alert: &Alert{
		Name: "outstanding", Place: 70, Title: "Too much is outstanding",
		When:    "More than a set amount of a coin is due and was not paid. You get another mail only after it was less in between.",
		Help:    "more than --above is due and not paid",
		Amount:  "Of all periods that are due, missing and too low, except those that somebody has accepted.",
		Lapses:  true, // it may be paid
		Words:   func(w *Watched) string { return "More than " + w.limit().Exact() + " is due and not paid" },
		Signals: outstandingSignals,
	},
	Headline: func(w *Watched, _ []outbox.Fact) string { return "more than " + w.limit().Exact() + " outstanding" },
	Gauges: []Gauge{{Name: "outstanding_payments", Amount: true, Labels: []string{"account", "coin"},
		Help: "What is due and was not paid, in units of a coin. No series while no payout rule is known or bills may not be read."}},
	Measure: measureOutstanding,
})

// outstandingSignals reports that more than the alert's amount is due and was not paid. As
// long as that does not change, it is one event.
func outstandingSignals(ctx context.Context, w *Watched) ([]Signal, error) {
	o, err := ask(ctx, w, w.inCoin(affiliate.Days{}), func(ctx context.Context, q *snapshot.Snapshot) (payments.Outstanding, error) {
		return payments.MakeOutstanding(ctx, q, w.Amount)
	})
	if err != nil || !o.Since.Known() {
		return nil, err
	}
	begins := fmt.Sprintf("outstanding|%s|%s|", w.Account, w.Coin)
	one := Signal{Key: begins + fmt.Sprint(int64(o.Since)), Words: outstandingWords(o, w.limit(), w.Zone),
		Page:   withQuery("/payments", "account", string(w.Account), "coin", string(w.Coin), "range", "all"),
		Detail: details("account", string(w.Account), "coin", string(w.Coin), "limit", w.limit().Value.String())}
	for _, f := range w.Known {
		if strings.HasPrefix(f.Key, begins) && f.Seen >= o.Since {
			one.Key = f.Key // seen since then, even if a change of the records moved the beginning
		}
	}
	return []Signal{one}, nil
}

// outstandingWords say what is due and was not paid, and since when it is more than a limit.
func outstandingWords(o payments.Outstanding, limit affiliate.Amount, zone *time.Location) string {
	words := money(o.Sum.Decimal(), o.Coin).String() + " are outstanding, in " + phrase.Things(o.Lines, "payment") +
		"; since " + phrase.Clock(o.Since.Time(), zone) + " it is more than " + limit.Exact()
	if o.Oldest != nil {
		words += ". The oldest, for " + phrase.PaymentPeriod(o.Oldest.From, o.Oldest.To) + " (UTC), was due on " + phrase.Clock(o.Oldest.Due.Time(), zone)
	}
	if more := phrase.TooMuch([]affiliate.Amount{money(o.Excess.Decimal(), o.Coin)}); more != "" {
		words += ". Of all time, " + more
	}
	return words
}

// measureOutstanding adds the outstanding payments of each account. Nothing is known of them without a
// payout rule, or if the exchange does not give the bills.
func measureOutstanding(ctx context.Context, m *Measuring) error {
	return m.ofAccounts(func(q *snapshot.Snapshot) error {
		paid, err := payments.MakeOverview(ctx, q)
		if err != nil || !paid.Ruled() || len(paid.Unread()) > 0 {
			return err
		}
		for i := range paid.AllTime {
			balance := &paid.AllTime[i]
			m.add("outstanding_payments", balance.Outstanding.Decimal(), string(q.Account), string(balance.Coin))
		}
		return nil
	})
}
