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
	templates "rebatedesk/web/templates/console"
)

func field(name, label, kind string) templates.ConsoleField {
	return templates.ConsoleField{Name: name, Label: label, Kind: kind}
}

// spotField and contractField are fields for a pair of their market, which takes the ways in which
// people write it.
func spotField(name, label string) templates.ConsoleField {
	return templates.ConsoleField{Name: name, Label: label, Kind: "text", SymbolOf: affiliate.SpotSymbolOf}
}

func contractField(name, label string) templates.ConsoleField {
	return templates.ConsoleField{Name: name, Label: label, Kind: "text", SymbolOf: affiliate.ContractSymbolOf}
}

func needed(f templates.ConsoleField) templates.ConsoleField {
	f.Needed = true
	return f
}

func oneOfText[T ~string](f templates.ConsoleField, of []T) templates.ConsoleField {
	f.Kind = "select"
	for _, option := range of {
		f.Options = append(f.Options, string(option))
	}
	return f
}

func column(name, label string) templates.SheetColumn {
	return templates.SheetColumn{Name: name, Label: label}
}

func figure(name, label string) templates.SheetColumn {
	return templates.SheetColumn{Name: name, Label: label, Numeric: true}
}

// whole returns a validated number, or 0 if it was not given.
func (a asking) whole(name string) int {
	n, _ := strconv.Atoi(a.values.Get(name)) // validated above: it is a number
	return n
}

// millis returns a validated time.
func (a asking) millis(name string) affiliate.Millis {
	n, _ := strconv.ParseInt(a.values.Get(name), 10, 64) // validated above: it is a number
	return affiliate.Millis(n)
}

// link returns the address of another page about the same account.
func (a asking) link(path string, pairs ...string) string {
	values := url.Values{}
	if len(a.console.Names()) > 1 {
		values.Set(accountParam, string(a.account))
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return path + "?" + values.Encode()
}

// around returns the instants a second before and after a given one, as parameters.
func around(m affiliate.Millis) (before, after string) {
	second := affiliate.Millis(time.Second.Milliseconds())
	return strconv.FormatInt(int64(m-second), 10), strconv.FormatInt(int64(m+second), 10)
}

// turned returns the neighbouring pages of a page that is counted from first.
func turned[T any](name string, at, first, size int, p exchange.Page[T]) (back, next url.Values) {
	if at > first {
		back = url.Values{name: {strconv.Itoa(at - 1)}}
	}
	if p.Next == affiliate.FlagOf(true) || p.Next == "" && len(p.Records) >= size {
		next = url.Values{name: {strconv.Itoa(at + 1)}}
	}
	return back, next
}

// older requests records not newer than the oldest of a full answer. Records of the
// same millisecond are repeated, so that none is skipped.
func older(name string, oldest affiliate.Millis, got, limit int) url.Values {
	if got < limit || !oldest.Known() {
		return nil
	}
	return url.Values{name: {strconv.FormatInt(int64(oldest+1), 10)}}
}

// rowsOf converts records to rows.
func rowsOf[T any](a asking, records []T, row func(asking, T) templates.SheetRow) []templates.SheetRow {
	rows := make([]templates.SheetRow, len(records))
	for i, r := range records {
		rows[i] = row(a, r)
	}
	return rows
}

// pageRows converts a page to rows. A record that could not be read has a row of what could.
func pageRows[T any](a asking, page exchange.Page[T], row func(asking, T) templates.SheetRow) []templates.SheetRow {
	rows := rowsOf(a, page.Records, row)
	for _, q := range page.Quarantined {
		rows = append(rows, row(a, q.Record))
	}
	return rows
}

// mostUnread is how many records that could not be read are named.
const mostUnread = 3

// unread says what of a page could not be read, in a sentence, or nothing. name names a record, as far
// as it could be read.
func unread[T any](page exchange.Page[T], noun string, name func(T) string) string {
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

// allRows converts an iteration over records to one over rows. A record that could not be read has
// a row of what could.
func allRows[T any](a asking, all iter.Seq2[T, error], row func(asking, T) templates.SheetRow) iter.Seq2[templates.SheetRow, error] {
	return func(yield func(templates.SheetRow, error) bool) {
		for record, err := range all {
			if wrong, ok := errors.AsType[*exchange.RecordError[T]](err); ok {
				if wrong.Spared {
					continue
				}
				record, err = wrong.Record, nil
			}
			if err != nil {
				yield(templates.SheetRow{}, err)
				return
			}
			if !yield(row(a, record), nil) {
				return
			}
		}
	}
}

const records = 100 // the default number on a page

func orWhole(n, usual int) int {
	if n == 0 {
		return usual
	}
	return n
}
