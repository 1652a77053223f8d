package mail

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/attention"
	"rebatedesk/reports/books"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/goals"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/rates"
	"rebatedesk/store/outbox"
)

const (
	// dropDays is how long after its end a day that was collected late is still
	// reported.
	dropDays = 7
	// restatedWithin is the period over which changes are added up.
	restatedWithin = 24 * time.Hour
)

// dropSignals reports days that brought too little. Days that ended before the alert
// began are left out.
func (a Alert) dropSignals(days []overview.Weekday, zone *time.Location) (found []signal) {
	for _, d := range days {
		over := !d.Day.Range(zone).To.After(a.Since.Time())
		if over || !d.Usual.IsPositive() || !d.Commission.Shift(2).LessThan(d.Usual.Mul(decimal.NewFromInt(int64(a.Percent)))) {
			continue
		}
		found = append(found, signal{
			Key:    fmt.Sprintf("drop|%s|%s|%s", a.whose(), d.Coin, d.Day),
			Words:  phrase.Weekday(d, zone),
			Page:   withQuery("/", "from", d.Day.String(), "to", d.Day.String(), "coin", string(d.Coin), "account", string(a.Account), "segment", a.Segment),
			Detail: details("account", string(a.Account), "coin", string(d.Coin), "day", d.Day.String(), "commission", d.Commission.String(), "usual", d.Usual.String()),
		})
	}
	return found
}

// restatedKey returns the start of the key of changes in the alert's coin; the time at
// which the newest change was found follows.
func (a Alert) restatedKey() string { return fmt.Sprintf("restatement|%s|%s|", a.whose(), a.Coin) }

// whose identifies whose commission an alert is about.
func (a Alert) whose() string {
	if a.Segment == "" {
		return string(a.Account)
	}
	return string(a.Account) + "/" + a.Segment
}

// restatedSince returns the instant after which changes count. It excludes changes
// before the alert began, reported ones, and old ones.
func (a Alert) restatedSince(known []outbox.Fact, now time.Time) affiliate.Millis {
	since := max(a.Since, affiliate.MillisOf(now.Add(-restatedWithin)))
	for _, f := range known {
		if text, ok := strings.CutPrefix(f.Key, a.restatedKey()); ok {
			if newest, err := strconv.ParseInt(text, 10, 64); err == nil {
				since = max(since, affiliate.Millis(newest))
			}
		}
	}
	return since
}

// restatedSignals reports changes whose sum is too large in either direction.
func (a Alert) restatedSignals(n commissions.Restated, zone *time.Location) []signal {
	if n.Records == 0 || !n.Gross().GreaterThan(a.Amount.Decimal()) {
		return nil
	}
	return []signal{{
		Key:    a.restatedKey() + fmt.Sprint(int64(n.Newest)),
		Words:  phrase.Restated(n, zone) + ", found " + phrase.Clock(n.Newest.Time(), zone),
		Page:   withQuery("/collection/restatements", "from", n.Days.First.String(), "to", n.Days.Last.String(), "coin", string(a.Coin), "account", string(a.Account), "segment", a.Segment),
		Detail: restatedDetails(n),
	}}
}

// restatedDetails are changes of past figures as programs get them.
func restatedDetails(n commissions.Restated) string {
	return details("coin", string(n.Coin), "records", fmt.Sprint(n.Records), "up", n.Up.String(), "down", n.Down.String(), "difference", n.Up.Add(n.Down).String(),
		"from", n.Days.First.String(), "to", n.Days.Last.String(), "noticed", n.Newest.String())
}

// silenceSignals reports invitees who stopped trading. An invitee who trades again and
// falls silent again is reported again.
func (a Alert) silenceSignals(list []attention.SilentFinding) (found []signal) {
	for _, f := range list {
		for _, one := range f.Most {
			if f.Coin != a.Coin || !one.AtRisk.GreaterThan(a.Amount.Decimal()) {
				continue
			}
			found = append(found, signal{
				Key:    fmt.Sprintf("silence|%s|%s|%s|%s", one.Account, one.UID, f.Coin, one.Last),
				Words:  phrase.Silence(one, f.Coin),
				Page:   withQuery("/invitees/"+url.PathEscape(string(one.UID)), "account", string(one.Account)),
				Detail: details("account", string(one.Account), "uid", string(one.UID), "coin", string(f.Coin), "at_risk", one.AtRisk.String(), "last_trade", one.Last.String(), "days_silent", fmt.Sprint(one.Days)),
			})
		}
	}
	return found
}

// toldStates are the states of payments that an alert reports.
var toldStates = []books.State{books.Missing, books.Short, books.Late, books.Twice}

// lapses reports whether findings that were held back are dropped once they no longer hold:
// nobody needs to hear that a payment is missing that has arrived, that a goal was behind, or that a
// rate differed before its term was corrected.
func (a Alert) lapses() bool {
	return a.Watches == WatchPayment || a.Watches == WatchOutstanding || a.Watches == WatchGoal || a.Watches == WatchRate
}

// paymentSignals reports payments that are missing, too low, late or made twice. Those that
// came late or twice before the alert began are left out.
func (a Alert) paymentSignals(view payments.Overview, known []outbox.Fact, zone *time.Location) (found []signal) {
	for _, line := range view.Faults {
		over := (line.State == books.Late || line.State == books.Twice) && line.Noticed() <= a.Since
		if over || !slices.Contains(toldStates, line.State) {
			continue
		}
		one := signal{Key: paymentKey(line), Words: phrase.PaymentFault(line, false, zone) + tooMuch(view, line), Page: payments.LineAddress(line.Key(), time.Time{}), Detail: paymentDetails(line)}
		if !slices.ContainsFunc(known, func(f outbox.Fact) bool { return f.Key != one.Key && f.Message != 0 && tellsOf(f.Key, line) }) {
			found = append(found, one)
		}
	}
	return found
}

// tooMuch says after a line that is not paid in full what was paid too much in its coin.
func tooMuch(view payments.Overview, line payments.PaymentLine) string {
	unpaid := line.Unpaid()
	for i := range view.AllTime {
		if all := &view.AllTime[i]; all.Coin == line.Coin && unpaid.Cmp(new(affiliate.Sum)) > 0 {
			if words := phrase.TooMuch([]affiliate.Amount{{Value: all.Excess.Decimal(), Coin: all.Coin}}); words != "" {
				return ". Of all time, " + words
			}
		}
	}
	return ""
}

// paymentDetails are a line as programs get it.
func paymentDetails(l payments.PaymentLine) string {
	difference, restated := l.Difference(), l.Restated()
	return details("account", string(l.Account), "coin", string(l.Coin), "kind", string(l.Kind), "state", string(l.State), "period_from", l.From.String(), "period_to", l.To.String(),
		"earned", l.Earned.String(), "paid", l.Paid.String(), "difference", difference.String(), "restated", restated.String())
}

// paymentKey identifies a line in its state. A missing payment that comes late is two events.
func paymentKey(l payments.PaymentLine) string {
	return fmt.Sprintf("%s%s|%d|%d|%s", paymentsOf(l), l.Kind, l.From, l.To, l.State)
}

// paymentsOf is the start of the keys of an account and a coin.
func paymentsOf(l payments.PaymentLine) string {
	return fmt.Sprintf("payment|%s|%s|", l.Account, l.Coin)
}

// tellsOf reports whether a key is about a time that the line is about too, and the same
// state: the periods of another payout rule are not reported again.
func tellsOf(key string, l payments.PaymentLine) bool {
	text, ok := strings.CutPrefix(key, paymentsOf(l))
	parts := strings.Split(text, "|")
	if !ok || len(parts) != 4 {
		return false
	}
	from, err1 := strconv.ParseInt(parts[1], 10, 64)
	to, err2 := strconv.ParseInt(parts[2], 10, 64)
	kind := books.Kind(parts[0])
	return err1 == nil && err2 == nil && parts[3] == string(l.State) && (kind == l.Kind || kind == books.All || l.Kind == books.All) &&
		affiliate.Millis(from) < l.To && l.From < affiliate.Millis(to)
}

// outstandingSignals reports that more than the alert's amount is due and was not paid. As
// long as that does not change, it is one event.
func (a Alert) outstandingSignals(o payments.Outstanding, known []outbox.Fact, zone *time.Location) []signal {
	if !o.Since.Known() {
		return nil
	}
	begins := fmt.Sprintf("outstanding|%s|%s|", a.Account, a.Coin)
	one := signal{Key: begins + fmt.Sprint(int64(o.Since)), Words: phrase.Outstanding(o, a.limit(), zone),
		Page:   withQuery("/payments", "account", string(a.Account), "coin", string(a.Coin), "range", "all"),
		Detail: details("account", string(a.Account), "coin", string(a.Coin), "limit", a.limit().Value.String())}
	for _, f := range known {
		if strings.HasPrefix(f.Key, begins) && f.Seen >= o.Since {
			one.Key = f.Key // seen since then, even if a change of the records moved the beginning
		}
	}
	return []signal{one}
}

// limit returns the amount of the alert with its coin.
func (a Alert) limit() affiliate.Amount {
	amount := affiliate.Amount{Coin: a.Coin}
	if a.Amount.Known() {
		amount.Value = a.Amount.Decimal()
	}
	return amount
}

// paymentHeadline counts payments by what is wrong with them.
func paymentHeadline(facts []outbox.Fact) string {
	words := map[books.State]string{books.Missing: "missing", books.Short: "too low", books.Late: "late", books.Twice: "made twice"}
	var parts []string
	for _, state := range toldStates {
		n := 0
		for _, f := range facts {
			if strings.HasSuffix(f.Key, "|"+string(state)) {
				n++
			}
		}
		switch {
		case n == 0:
		case len(parts) == 0:
			parts = append(parts, phrase.Things(n, "payment")+" "+words[state])
		default:
			parts = append(parts, phrase.Count(n)+" "+words[state])
		}
	}
	return strings.Join(parts, ", ")
}

const (
	// goalAfter is how long a goal must have been out of reach before that is reported: the
	// range of a forecast moves with each collection.
	goalAfter = 12 * time.Hour
	// goalDays is how long after the end of a month its goals are still reported.
	goalDays = 7
)

// The events of a goal, each reported once.
const (
	goalOut = "out of reach"
	goalHas = "reached"
)

// goalSignals reports the goals of this month, and of one that ended some days ago, that are out
// of reach or reached. q says what the alert is about.
func (s *Service) goalSignals(ctx context.Context, a Alert, q query.Query) (found []signal, err error) {
	asked := affiliate.Day(0)
	for _, day := range []affiliate.Day{q.Today - goalDays, q.Today} {
		q.Days = affiliate.Days{First: day, Last: day}
		view, err := reports.Ask(ctx, s.reports, q, goals.Make)
		if err != nil {
			return nil, err
		}
		if view.Days.First == asked {
			break // both days are of one month
		}
		asked = view.Days.First
		for _, g := range view.Goals {
			if event := a.goalEvent(g, q.Zone); event != "" {
				found = append(found, signal{Key: goalKey(g, event), Words: phrase.GoalEvent(g), Page: goalPage(g), Detail: details("month", g.Month.Format("2006-01"), "account", string(g.Account), "coin", string(g.Coin), "event", event)})
			}
		}
	}
	for i := range found {
		if strings.HasSuffix(found[i].Key, goalOut) {
			found[i].After = goalAfter
		}
	}
	return found, nil
}

// goalEvent returns what is to be reported of a goal: nothing while days are not collected, or
// of what was so before the alert began or the goal was set.
func (a Alert) goalEvent(g goals.Progress, zone *time.Location) string {
	since := max(a.Since, g.Created).Time()
	over := func(day affiliate.Day) bool { return !day.Range(zone).To.After(since) }
	switch {
	case !g.Complete():
	case g.State == goals.Reached && !over(g.ReachedOn):
		return goalHas
	case g.State == goals.Behind, g.State == goals.Missed && !over(g.Days.Last):
		return goalOut
	}
	return ""
}

// goalKey identifies an event of a goal. A goal with another amount is another goal.
func goalKey(g goals.Progress, event string) string {
	return fmt.Sprintf("goal|%s|%q|%q|%q|%q|%s|%s", g.Month, g.Account, g.Coin, g.Code, aboutInvitees(g), g.Goal.Amount, event)
}

// aboutInvitees is the tag of a goal, and its segment if it has one.
func aboutInvitees(g goals.Progress) string {
	if g.Segment == "" {
		return g.Tag
	}
	return g.Tag + "|" + g.Segment
}

// goalPage returns the address of the goals of a month.
func goalPage(g goals.Progress) string {
	return withQuery("/forecast", "month", g.Month.Format("2006-01"))
}

// goalHeadline counts goals by what became of them.
func goalHeadline(facts []outbox.Fact) string {
	var parts []string
	for _, event := range []string{goalOut, goalHas} {
		n := 0
		for _, f := range facts {
			if strings.HasSuffix(f.Key, "|"+event) {
				n++
			}
		}
		switch {
		case n == 1:
			parts = append(parts, "a goal is "+event)
		case n > 1:
			parts = append(parts, phrase.Things(n, "goal")+" are "+event)
		}
	}
	return strings.Join(parts, ", ")
}

// rateDays is how many days up to today an alert compares.
const rateDays = 30

// rateSignals reports findings about rates, each once. Those that had ended before the alert began
// are left out.
func (a Alert) rateSignals(list []rates.Deviation, asked query.Query) (found []signal) {
	for _, d := range list {
		if !d.Days.Last.Range(asked.Zone).To.After(a.Since.Time()) {
			continue
		}
		found = append(found, signal{Key: "rate|" + d.ID, Words: phrase.RateDeviation(d, a.Account != ""), Page: ratePage(d, asked), Detail: rateDetails(d)})
	}
	return found
}

// rateDetails are a finding about a rate as programs get it. Amounts are those of the coin with
// most records.
func rateDetails(d rates.Deviation) string {
	pairs := []string{"id", d.ID, "account", string(d.Account), "scope", string(d.Scope), "value", d.Value, "product_type", string(d.Product), "from", d.Days.First.String(), "to", d.Days.Last.String()}
	if len(d.Costs) > 0 {
		c := d.Costs[0]
		pairs = append(pairs, "coin", string(c.Coin), "due", c.Due.String(), "commission", c.Commission.String(), "difference", c.Difference.String())
	}
	return details(pairs...)
}

// ratePage returns the address of a finding among those of its days.
func ratePage(d rates.Deviation, asked query.Query) string {
	return withQuery("/rates", "from", asked.Days.First.String(), "to", asked.Days.Last.String(), "account", string(asked.Account), "coin", string(asked.Coin), "segment", asked.Segment) +
		"#finding-" + d.ID
}
