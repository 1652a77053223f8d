package findings

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
)

// Signal is a condition that holds at the time of the check.
type Signal struct {
	Key    string // the same at each check
	Words  string
	Page   string        // path of the page with the details
	Detail string        // JSON object for programs
	After  time.Duration // how long it must have been seen before it is reported
}

// Watched is what an alert or a channel watches at one instant. A channel has no limits, and watches
// all accounts since it was made.
type Watched struct {
	outbox.Subscription
	Known      []outbox.Fact        // found before
	Collecting []records.Collecting // of its account, or of all
	Now        time.Time
	Zone       *time.Location // of reporting days
	// Ask answers a question, as the user sees it whose invitees it is about.
	Ask func(context.Context, query.Query, func(context.Context, *snapshot.Snapshot) error) error
}

// today is the present reporting day.
func (w *Watched) today() affiliate.Day { return affiliate.DayOf(w.Now, w.Zone) }

// whole is the query of what the alert is about, in all its coins, of today.
func (w *Watched) whole() query.Query {
	today := w.today()
	return query.Query{Account: w.Account, Segment: w.Segment, Zone: w.Zone, Today: today, Days: affiliate.Days{First: today, Last: today}, Page: 1, Per: query.DefaultPer}
}

// inCoin is the query of what the alert is about in its coin.
func (w *Watched) inCoin(days affiliate.Days) query.Query {
	q := w.whole()
	q.Coin, q.Days = w.Coin, days
	return q
}

// ask answers a question with a report.
func ask[T any](ctx context.Context, w *Watched, q query.Query, make func(context.Context, *snapshot.Snapshot) (T, error)) (v T, err error) {
	err = w.Ask(ctx, q, func(ctx context.Context, q *snapshot.Snapshot) (err error) {
		v, err = make(ctx, q)
		return err
	})
	return v, err
}

// shared is [ask] for a report that several alerts and channels need: it is made once.
func shared[T any](ctx context.Context, w *Watched, name string, q query.Query, make func(context.Context, *snapshot.Snapshot) (T, error)) (T, error) {
	return ask(ctx, w, q, func(ctx context.Context, opened *snapshot.Snapshot) (T, error) {
		return snapshot.PartOfMinute(ctx, opened, name, q, func(ctx context.Context) (T, error) { return make(ctx, opened) })
	})
}

// limit returns the amount of the alert with its coin.
func (w *Watched) limit() affiliate.Amount {
	amount := affiliate.Amount{Coin: w.Coin}
	if w.Amount.Known() {
		amount.Value = w.Amount.Decimal()
	}
	return amount
}

// whose identifies whose commission an alert is about.
func (w *Watched) whose() string {
	if w.Segment == "" {
		return string(w.Account)
	}
	return string(w.Account) + "/" + w.Segment
}

// ofCoin names the coin of an alert, if it has one.
func (w *Watched) ofCoin() string {
	if w.Coin == "" {
		return ""
	}
	return " in " + string(w.Coin)
}

// counted heads facts with one text for one of them, and with a text for their number.
func counted(one, noun, several string) func(*Watched, []outbox.Fact) string {
	return func(_ *Watched, facts []outbox.Fact) string {
		if len(facts) == 1 && one != "" {
			return one
		}
		return phrase.Things(len(facts), noun) + several
	}
}

// details returns a JSON object of names and values; empty values are left out.
func details(pairs ...string) string {
	values := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values[pairs[i]] = pairs[i+1]
		}
	}
	text, err := json.Marshal(values)
	if err != nil {
		panic("findings: details cannot be written: " + err.Error()) // texts always can
	}
	return string(text)
}

// withQuery returns the address of a page with its non-empty parameters.
func withQuery(path string, pairs ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Set(pairs[i], pairs[i+1])
		}
	}
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}
