package exchange

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
)

const (
	maxText   = 256     // bytes of one text field
	maxSeen   = 512     // texts of a page that are kept once
	maxCount  = 1 << 40 // of pages or records; more is nonsense
	maxNumber = 64      // bytes of a number; ParseNumber allows fewer
)

const (
	isMillis  = "is a time in milliseconds (13 digits)"
	notMillis = "is not a time in milliseconds (13 digits)"
)

// The instants that are believed. Outside of them a value was not milliseconds:
// seconds of today, for one, are milliseconds of January 1970.
const (
	earliest affiliate.Millis = 1262304000000 // 2010-01-01
	latest   affiliate.Millis = 4102444800000 // 2100-01-01
)

// scalar reads the next value as text, be it a string, a number or a boolean.
// null and anything nested give nil, nested with a fault.
func (r *reader) scalar() ([]byte, jsontext.Kind) {
	kind := r.kind()
	switch kind {
	case jsontext.KindBeginObject, jsontext.KindBeginArray:
		r.skip()
		r.wrong("is not a simple value")
		return nil, kind
	case jsontext.KindString:
		return r.unquote(r.value()), kind
	case jsontext.KindNull:
		r.value()
		return nil, kind
	default:
		return r.value(), kind
	}
}

// text reads words: a pair, an invite code. What would break a line or a file
// is replaced; too long a text is a fault, because cutting it could make two
// different ones equal.
func (r *reader) text() string {
	b, kind := r.scalar()
	if kind == jsontext.KindTrue || kind == jsontext.KindFalse {
		r.wrong("is not text")
		return ""
	}
	if len(b) > maxText {
		r.wrong("is longer than %d bytes", maxText)
		return ""
	}
	if clean(b) {
		return r.once(b)
	}
	return cleaned(string(b))
}

// identity reads the text that tells one thing from another: a user, a coin.
// It must be clean as it comes; a number must be whole.
func (r *reader) identity() string {
	b, kind := r.scalar()
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0:
		return ""
	case kind != jsontext.KindString && !onlyDigits(b):
		r.wrong("is not a whole number")
	case len(b) > maxText:
		r.wrong("is longer than %d bytes", maxText)
	case !clean(b) && !printable(b):
		r.wrong("contains characters that cannot be shown")
	default:
		return r.once(b)
	}
	return ""
}

// number reads a decimal number exactly as it is written; absent, null and
// empty are unknown.
func (r *reader) number() affiliate.Number {
	b, kind := r.scalar()
	switch {
	case len(b) == 0:
		return ""
	case kind == jsontext.KindTrue || kind == jsontext.KindFalse || len(b) > maxNumber:
		r.wrong("%s is not a number", shown(b))
		return ""
	}
	n, err := affiliate.ParseNumber(string(b))
	if err != nil {
		r.wrong("%v", err)
	}
	return n
}

// millis reads an instant; absent, null, empty and 0 are unknown.
func (r *reader) millis() affiliate.Millis {
	m, ok := r.instant()
	if !ok {
		r.wrong(notMillis)
	}
	return m
}

// instant is millis for a value that may turn out not to matter: false instead
// of a fault.
func (r *reader) instant() (affiliate.Millis, bool) {
	b, _ := r.scalar()
	if len(b) == 0 || string(b) == "0" {
		return 0, true
	}
	return parseMillis(b)
}

// parseMillis reads 13 digits that lie in a believable year.
func parseMillis(b []byte) (affiliate.Millis, bool) {
	if len(b) != 13 || !onlyDigits(b) {
		return 0, false
	}
	var m affiliate.Millis
	for _, digit := range b {
		m = m*10 + affiliate.Millis(digit-'0')
	}
	if m < earliest || m >= latest {
		return 0, false
	}
	return m, true
}

// day reads YYYY-MM-DD, or the instant at which the UTC day begins or lies.
// There is no unknown day: false is absent or a fault.
func (r *reader) day() (affiliate.Day, bool) {
	b, _ := r.scalar()
	if len(b) == 0 {
		return 0, false
	}
	if m, ok := parseMillis(b); ok {
		return affiliate.Day(m / 86_400_000), true
	}
	if len(b) == len("2006-01-02") {
		d, err := affiliate.ParseDay(string(b))
		if err == nil && d >= affiliate.Day(earliest/86_400_000) && d < affiliate.Day(latest/86_400_000) {
			return d, true
		}
	}
	r.wrong("%s is not a day of the form YYYY-MM-DD", shown(b))
	return 0, false
}

// flag reads a yes or no in any of its spellings; absent, null and empty are
// unknown.
func (r *reader) flag() affiliate.Flag {
	b, _ := r.scalar()
	switch strings.ToLower(string(b)) {
	case "":
		return ""
	case "true", "1":
		return affiliate.FlagOf(true)
	case "false", "0":
		return affiliate.FlagOf(false)
	}
	r.wrong("%s is neither true nor false", shown(b))
	return ""
}

// next reads whether there is another page. The document shows a boolean in one
// place and null in another; anything else says nothing.
func (r *reader) next() affiliate.Flag {
	switch r.kind() {
	case jsontext.KindTrue, jsontext.KindFalse, jsontext.KindString:
	default:
		r.skip()
		return ""
	}
	switch b, _ := r.scalar(); string(b) {
	case "true":
		return affiliate.FlagOf(true)
	case "false":
		return affiliate.FlagOf(false)
	}
	return ""
}

// given reads text that may be left open.
func (r *reader) given() Text {
	if r.kind() == jsontext.KindNull {
		r.skip()
		return Text{}
	}
	return Text{Value: r.text(), Given: true}
}

// count reads how many there are; absent, null and empty give -1.
func (r *reader) count() int {
	b, _ := r.scalar()
	if len(b) == 0 {
		return -1
	}
	n, err := strconv.ParseUint(string(b), 10, 64)
	if err != nil || n > maxCount {
		r.wrong("%s is not a count", shown(b))
		return -1
	}
	return int(n)
}

// once keeps equal texts of a page only once: coins, pairs and users repeat.
func (r *reader) once(b []byte) string {
	if s, ok := r.seen[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(r.seen) < maxSeen {
		r.seen[s] = s
	}
	return s
}

func onlyDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// clean recognises the usual case, printable ASCII.
func clean(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// printable reports whether b is valid text without control characters.
func printable(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, unicode.IsControl) && !bytes.ContainsRune(b, utf8.RuneError)
}

// cleaned replaces invalid bytes and control characters.
func cleaned(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return utf8.RuneError
		}
		return c
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

// shown quotes a foreign value whole or not at all: a part of a credential that
// an answer repeats would not be recognised as one, and not be hidden.
func shown(b []byte) string {
	if len(b) > 40 {
		return fmt.Sprintf("a text of %d bytes", len(b))
	}
	return strconv.Quote(string(b))
}
