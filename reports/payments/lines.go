package payments

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/payments"
)

// Sorts lists the columns by which lines can be sorted.
var Sorts = []string{"period", "account", "coin", "kind", "earned", "paid", "difference", "state", "due", "paid_at", "bills"}

// selected returns the lines of a query, oldest first. They belong to the ledger.
func (l *ledger) selected(q *snapshot.Snapshot) []*PaymentLine {
	days, narrow := rangeOf(q), narrowTo(q.Query)
	text, part := strings.ToLower(q.Text), Part(q.Own("part"))
	var list []*PaymentLine
	for i := range l.lines {
		line := &l.lines[i]
		if days.touches(line) && narrow(line) && (q.State == "" || string(line.State) == q.State) && (part == "" || line.hasPart(part)) &&
			(text == "" || line.has(text)) {
			list = append(list, line)
		}
	}
	return list
}

// span is a range of time that excludes its end.
type span books.Stretch

func spanOf(days affiliate.Days) span {
	utc := days.Range(time.UTC)
	return span{affiliate.MillisOf(utc.From), affiliate.MillisOf(utc.To)}
}

// rangeOf returns the span of the query. All time has no bounds: the first bills that are
// collected may pay for periods before all that is collected.
func rangeOf(q *snapshot.Snapshot) span {
	if q.Range == query.AllTime {
		return spanOf(snapshot.AllDays)
	}
	return spanOf(q.Days)
}

func (s span) contains(at affiliate.Millis) bool { return at >= s.From && at < s.To }

// touches reports whether a part of the line's period lies in the span. A payment without a
// period has the instant at which it arrived.
func (s span) touches(line *PaymentLine) bool {
	return line.From < s.To && (line.To > s.From || line.From >= s.From)
}

// narrowTo returns the filters of a query that say whose money is meant, and not in which
// state it is: account, coin and kind.
func narrowTo(q query.Query) func(*PaymentLine) bool {
	coins, kind := affiliate.Asked(q.Coin), q.Own("kind")
	asks := func(coin affiliate.Coin) bool { // in any spelling: the books have one
		return slices.ContainsFunc(coins, func(c affiliate.Coin) bool { return affiliate.Folded(string(c)) == affiliate.Folded(string(coin)) })
	}
	return func(line *PaymentLine) bool {
		return (q.Account == "" || line.Account == q.Account) && (q.Coin == "" || asks(line.Coin)) &&
			(kind == "" || string(line.Kind) == kind)
	}
}

// has reports whether a text in lower case is part of a bill's id or business type, or of a
// note.
func (l *PaymentLine) has(text string) bool {
	return slices.ContainsFunc(l.Bills, func(b books.Bill) bool {
		return strings.Contains(strings.ToLower(b.ID), text) || strings.Contains(strings.ToLower(b.Business), text)
	}) || slices.ContainsFunc(l.Notes, func(n payments.Note) bool {
		return strings.Contains(strings.ToLower(n.Text), text) || strings.Contains(string(n.Verdict), text)
	})
}

// coinSorts are the columns that are sorted within each coin.
var coinSorts = []string{"earned", "paid", "difference"}

// sortLines sorts lines that are in order of time. Equal ones stay in that order, or in the
// reverse order if the sort is descending.
func sortLines(lines []*PaymentLine, by query.Sort) {
	compare := compareBy(by.Field)
	if by.Descending {
		slices.Reverse(lines)
		ascending := compare
		compare = func(a, b *PaymentLine) int { return ascending(b, a) }
	}
	if slices.Contains(coinSorts, by.Field) {
		within := compare
		compare = func(a, b *PaymentLine) int { return cmp.Or(figures.CompareCoins(a.Coin, b.Coin), within(a, b)) }
	}
	slices.SortStableFunc(lines, compare)
}

func compareBy(column string) func(a, b *PaymentLine) int {
	sums := func(of func(*PaymentLine) affiliate.Sum) func(a, b *PaymentLine) int {
		return func(a, b *PaymentLine) int {
			x, y := of(a), of(b)
			return x.Cmp(&y)
		}
	}
	switch column {
	case "account":
		return func(a, b *PaymentLine) int { return cmp.Compare(a.Account, b.Account) }
	case "coin":
		return func(a, b *PaymentLine) int { return cmp.Compare(a.Coin, b.Coin) }
	case "kind":
		return func(a, b *PaymentLine) int { return cmp.Compare(a.Kind, b.Kind) }
	case "earned":
		return sums(func(l *PaymentLine) affiliate.Sum { return l.Earned })
	case "paid":
		return sums(func(l *PaymentLine) affiliate.Sum { return l.Paid })
	case "difference":
		return sums((*PaymentLine).difference)
	case "state":
		return func(a, b *PaymentLine) int {
			return cmp.Compare(slices.Index(States(), a.State), slices.Index(States(), b.State))
		}
	case "due":
		return func(a, b *PaymentLine) int { return cmp.Compare(a.Due, b.Due) }
	case "paid_at":
		return func(a, b *PaymentLine) int { return cmp.Compare(a.FirstPaid(), b.FirstPaid()) }
	case "bills":
		return func(a, b *PaymentLine) int { return cmp.Compare(len(a.Bills), len(b.Bills)) }
	}
	return compareLines
}

func (l *PaymentLine) difference() affiliate.Sum { return l.Difference() }

// FirstPaid returns when the first bill of the line arrived; unknown without one.
func (l *PaymentLine) FirstPaid() affiliate.Millis {
	if len(l.Bills) == 0 {
		return 0
	}
	return l.Bills[0].Created
}

// LastPaid returns when the last bill of the line arrived; unknown without one.
func (l *PaymentLine) LastPaid() affiliate.Millis {
	if len(l.Bills) == 0 {
		return 0
	}
	return l.Bills[len(l.Bills)-1].Created
}

// values returns copies of lines.
func values(lines []*PaymentLine) []PaymentLine {
	list := make([]PaymentLine, len(lines))
	for i, line := range lines {
		list[i] = *line
	}
	return list
}

// LinePath is the path of the page about one line.
const LinePath = "/payments/line"

// LineAddress returns the address of the page about a line, for the links of pages, mails and
// calendars. The zero instant means now.
func LineAddress(key payments.LineKey, asOf time.Time) string {
	values := url.Values{
		"account": {string(key.Account)}, "coin": {string(key.Coin)}, "kind": {key.Kind},
		"start": {key.From.String()}, "end": {key.To.String()},
	}
	if key.Bill != "" {
		values.Set("bill", key.Bill)
	}
	if !asOf.IsZero() {
		values.Set("as_of", asOf.UTC().Format(time.RFC3339Nano))
	}
	return LinePath + "?" + values.Encode()
}
