package findings

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/recent"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/outbox"
)

var _ = register(Kind{
	Finding: Restated{},
	Check: &Check{Place: 100, Of: "restated figures", Bound: true, Segments: true, Find: findRestated,
		Said: "records of any day that changed afterwards, noticed in the last 30 days, up and down together from 1 % of their commission"},
	Alert: &Alert{
		Name: "restatement", Place: 40, Title: "Past figures change",
		When:     "The exchange changed records of days already collected, by more than a set amount within 24 hours.",
		Help:     "figures of past days change by more than --above",
		Amount:   "Increases and decreases of commission are added up, regardless of direction.",
		Segments: true, Users: true,
		Words:   func(w *Watched) string { return "Figures of past days change by more than " + w.limit().Exact() },
		Signals: restatedSignals,
	},
	Events: []Event{{Name: "figures.restated", Place: 30, Label: "Figures of past days change",
		When: "Past figures changed so much that they need attention. Once a day and coin.", Key: "restatement|", Signals: restatedEvents}},
	Headline: func(*Watched, []outbox.Fact) string { return "figures of past days changed" },
})

const (
	// restatedPercent is the minimum share of a coin's commission that must have changed
	// after the fact. A few late records are normal for the exchange.
	restatedPercent = 1
	// restatedWithin is the period over which an alert adds up changes.
	restatedWithin = 24 * time.Hour
)

// Restated says that records changed after their days had been collected.
type Restated struct {
	commissions.Restated
	Within     affiliate.Days    // when the change was noticed: the last thirty days
	Commission decimal.Decimal   // of the days Within, as of now
	Share      figures.Ratio     // of the gross change in percent of Commission
	Worth      figures.Valuation // of the gross change
}

// Severity is a warning, because the earlier figures may have been used already.
func (Restated) Severity() Severity { return SeverityWarning }

func (f Restated) stake(s *recent.Snapshot) stake { return stakeOf(s, f.Gross(), f.Coin) }

func (f Restated) words(a About) Statement {
	w := Statement{Title: "Figures in " + string(f.Coin) + " changed afterwards", Link: "See the restatements", Href: a.within("/collection/restatements", f.Restated.Days, "coin", string(f.Coin))}
	if a.Some {
		w.Link, w.Href = "See what changed", "/changes"
	}
	both := !f.Up.IsZero() && !f.Down.IsZero()
	w.Text = phrase.Say(restated(f.Restated, a.Zone), a.worth(f.Worth, both), ", noticed in the last 30 days")
	if f.Share.Known {
		w.Text = append(w.Text, phrase.Say(". Up and down together that is "+phrase.Percent(f.Share.Percent)+" of what these 30 days brought")...)
	}
	w.Text = append(w.Text, phrase.Fragment{Text: "."})
	return w
}

// restated says by how much records changed after their day had been collected, increases
// and decreases separately.
func restated(n commissions.Restated, zone *time.Location) []phrase.Fragment {
	list := phrase.Say(phrase.Things(n.Records, "record") + " of " + phrase.DaysIn(n.Days, zone) + " changed after the day had been collected, by ")
	plus := func(value decimal.Decimal) phrase.Fragment {
		amount := money(value, n.Coin)
		return phrase.Fragment{Text: phrase.WithSign(value, amount.String()), Exact: phrase.WithSign(value, amount.Exact())}
	}
	switch {
	case n.Down.IsZero():
		return append(list, plus(n.Up))
	case n.Up.IsZero():
		return append(list, plus(n.Down))
	}
	up := phrase.Fragment{Text: phrase.WithSign(n.Up, money(n.Up, n.Coin).Short()), Exact: plus(n.Up).Exact}
	return append(list, up, phrase.Fragment{Text: " and "}, plus(n.Down))
}

// findRestated compares the gross restatements of the last days with their commission.
func findRestated(ctx context.Context, s *recent.Snapshot) ([]Finding, error) {
	list, err := commissions.RestatedByCoin(ctx, s.Snapshot, affiliate.MillisOf(s.Days.First.Start(s.Zone))-1)
	if err != nil {
		return nil, err
	}
	totals := figures.TotalsOf(figures.SumsWithin(s.Sums, s.Days))
	var found []Finding
	for _, n := range list {
		f := Restated{Restated: n, Within: s.Days, Commission: figures.TotalIn(totals, n.Coin).Commission}
		f.Share = figures.QuotientOf(f.Gross(), f.Commission)
		if s.Matters(f.Gross(), f.Coin) && recent.AtLeast(f.Gross(), f.Commission, restatedPercent) {
			f.Worth = s.Prices.Worth(affiliate.Amount{Value: f.Gross(), Coin: f.Coin})
			found = append(found, f)
		}
	}
	return found, nil
}

// restatedSignals reports changes whose sum is too large in either direction. It leaves out changes
// before the alert began, reported ones, and old ones.
func restatedSignals(ctx context.Context, w *Watched) ([]Signal, error) {
	key := fmt.Sprintf("restatement|%s|%s|", w.whose(), w.Coin) // the time at which the newest change was found follows
	since := max(w.Since, affiliate.MillisOf(w.Now.Add(-restatedWithin)))
	for _, f := range w.Known {
		if text, ok := strings.CutPrefix(f.Key, key); ok {
			if newest, err := strconv.ParseInt(text, 10, 64); err == nil {
				since = max(since, affiliate.Millis(newest))
			}
		}
	}
	about := query.Query{Account: w.Account, Coin: w.Coin, Segment: w.Segment, Zone: w.Zone, Today: w.today()}
	n, err := ask(ctx, w, about, func(ctx context.Context, q *snapshot.Snapshot) (commissions.Restated, error) {
		return commissions.RestatedSince(ctx, q, w.Coin, since)
	})
	if err != nil || n.Records == 0 || !n.Gross().GreaterThan(w.Amount.Decimal()) {
		return nil, err
	}
	one := restatedSignal(w, n, key+fmt.Sprint(int64(n.Newest)))
	one.Words += ", found " + phrase.Clock(n.Newest.Time(), w.Zone)
	return []Signal{one}, nil
}

// restatedEvents reports changes of past figures that need attention, once a day for each coin.
func restatedEvents(ctx context.Context, w *Watched) (found []Signal, err error) {
	list, err := ask(ctx, w, w.whole(), func(ctx context.Context, q *snapshot.Snapshot) ([]Finding, error) {
		s, err := recent.Read(ctx, q)
		if err != nil {
			return nil, err
		}
		return findRestated(ctx, s)
	})
	for _, f := range list {
		if n := f.(Restated).Restated; n.Newest > w.Since {
			found = append(found, restatedSignal(w, n, fmt.Sprintf("restatement|%s|%s", n.Coin, affiliate.DayOf(n.Newest.Time(), w.Zone))))
		}
	}
	return found, err
}

func restatedSignal(w *Watched, n commissions.Restated, key string) Signal {
	return Signal{Key: key, Words: phrase.Plain(restated(n, w.Zone)),
		Page: withQuery("/collection/restatements", "from", n.Days.First.String(), "to", n.Days.Last.String(), "coin", string(n.Coin), "account", string(w.Account), "segment", w.Segment),
		Detail: details("coin", string(n.Coin), "records", fmt.Sprint(n.Records), "up", n.Up.String(), "down", n.Down.String(), "difference", n.Up.Add(n.Down).String(),
			"from", n.Days.First.String(), "to", n.Days.Last.String(), "noticed", n.Newest.String())}
}
