package console

import (
	"errors"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/reports/phrase"
	"rebatedesk/web/templates/console/frame"
)

// Field is a parameter of an endpoint, of a kind of [frame.Field].
func Field(name, label, kind string) frame.Field {
	return frame.Field{Name: name, Label: label, Kind: kind}
}

// SpotField and contractField are fields for a pair of their market, which takes the ways in which
// people write it.
func SpotField(name, label string) frame.Field {
	return frame.Field{Name: name, Label: label, Kind: "text", SymbolOf: affiliate.SpotSymbolOf}
}

// Needed returns the field as one that the exchange requires.
func Needed(f frame.Field) frame.Field {
	f.Needed = true
	return f
}

// OneOfText returns the field as a choice.
func OneOfText[T ~string](f frame.Field, of []T) frame.Field {
	f.Kind = "select"
	for _, option := range of {
		f.Options = append(f.Options, string(option))
	}
	return f
}

// Column is a column of text.
func Column(name, label string) frame.SheetColumn {
	return frame.SheetColumn{Name: name, Label: label}
}

// Figure is a column of numbers.
func Figure(name, label string) frame.SheetColumn {
	return frame.SheetColumn{Name: name, Label: label, Numeric: true}
}

// Whole returns a validated number, or 0 if it was not given.
func (a Asking) Whole(name string) int {
	n, _ := strconv.Atoi(a.Values.Get(name)) // validated above: it is a number
	return n
}

// Millis returns a validated time.
func (a Asking) Millis(name string) affiliate.Millis {
	n, _ := strconv.ParseInt(a.Values.Get(name), 10, 64) // validated above: it is a number
	return affiliate.Millis(n)
}

// Link returns the address of another page about the same account.
func (a Asking) Link(path string, pairs ...string) string {
	values := url.Values{}
	if len(a.Console.Names()) > 1 {
		values.Set(AccountParam, string(a.Account))
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return path + "?" + values.Encode()
}

// Around returns the instants a second before and after a given one, as parameters.
func Around(m affiliate.Millis) (before, after string) {
	second := affiliate.Millis(time.Second.Milliseconds())
	return strconv.FormatInt(int64(m-second), 10), strconv.FormatInt(int64(m+second), 10)
}

// Turned returns the neighbouring pages of a page that is counted from first.
func Turned[T any](name string, at, first, size int, p exchange.Page[T]) (back, next url.Values) {
	if at > first {
		back = url.Values{name: {strconv.Itoa(at - 1)}}
	}
	if p.Next == affiliate.FlagOf(true) || p.Next == "" && len(p.Records) >= size {
		next = url.Values{name: {strconv.Itoa(at + 1)}}
	}
	return back, next
}

// Older requests records not newer than the oldest of a full answer. Records of the
// same millisecond are repeated, so that none is skipped.
func Older(name string, oldest affiliate.Millis, got, limit int) url.Values {
	if got < limit || !oldest.Known() {
		return nil
	}
	return url.Values{name: {strconv.FormatInt(int64(oldest+1), 10)}}
}

// RowsOf converts records to rows.
func RowsOf[T any](a Asking, records []T, row func(Asking, T) frame.SheetRow) []frame.SheetRow {
	rows := make([]frame.SheetRow, len(records))
	for i, r := range records {
		rows[i] = row(a, r)
	}
	return rows
}

// PageRows converts a page to rows. A record that could not be read has a row of what could.
func PageRows[T any](a Asking, page exchange.Page[T], row func(Asking, T) frame.SheetRow) []frame.SheetRow {
	rows := RowsOf(a, page.Records, row)
	for _, q := range page.Quarantined {
		rows = append(rows, row(a, q.Record))
	}
	return rows
}

// mostUnread is how many records that could not be read are named.
const mostUnread = 3

// Unread says what of a page could not be read, in a sentence, or nothing. name names a record, as far
// as it could be read.
func Unread[T any](page exchange.Page[T], noun string, name func(T) string) string {
	all := slices.Concat(page.Quarantined, page.Spared)
	if len(all) == 0 {
		return ""
	}
	var words []string
	for _, q := range all[:min(len(all), mostUnread)] {
		what := q.String()
		if of := name(q.Record); of != "" {
			what = of + ": " + what
		}
		words = append(words, what)
	}
	if more := len(all) - len(words); more > 0 {
		words = append(words, phrase.Count(more)+" more")
	}
	return phrase.Things(len(all), noun) + " could not be read completely: " + strings.Join(words, "; ") + "."
}

// AllRows converts an iteration over records to one over rows. A record that could not be read has
// a row of what could.
func AllRows[T any](a Asking, all iter.Seq2[T, error], row func(Asking, T) frame.SheetRow) iter.Seq2[frame.SheetRow, error] {
	return func(yield func(frame.SheetRow, error) bool) {
		for record, err := range all {
			if wrong, ok := errors.AsType[*exchange.RecordError[T]](err); ok {
				if wrong.Spared {
					continue
				}
				record, err = wrong.Record, nil
			}
			if err != nil {
				yield(frame.SheetRow{}, err)
				return
			}
			if !yield(row(a, record), nil) {
				return
			}
		}
	}
}

// UsualRows is how many rows the exchange lists on a page unless it is asked for another number.
const UsualRows = 100
