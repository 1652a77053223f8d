package affiliate

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Quarantined is a record of the exchange that could not be read, or a field of it. It is kept
// as received until the exchange sends it right.
type Quarantined[T any] struct {
	Record T      // what could be read; the rest is empty
	Field  string // the field that could not be read; empty: the whole is no record
	Value  string // of the field, as JSON as received, shortened; empty: it was not given
	Reason string // after the name of the field: "is not a number"
	Raw    string // the record as received, shortened
}

// String names field, value and reason: `commission "abc" is not a number`.
func (q Quarantined[T]) String() string {
	switch {
	case q.Field == "":
		return q.Reason
	case q.Value == "":
		return q.Field + " is " + strings.TrimPrefix(q.Reason, "is ")
	case strings.HasPrefix(q.Reason, strconv.Quote(strings.Trim(q.Value, `"`))):
		return q.Field + " " + q.Reason // which begins with the value
	}
	return q.Field + " " + q.Value + " " + q.Reason
}

// The most bytes that are kept of a quarantined record, and of its field.
const (
	MostOfRow   = 2048
	MostOfValue = 120
)

// Shortened returns text of at most a number of bytes, in whole characters and valid UTF-8.
func Shortened(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	cut := most - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
