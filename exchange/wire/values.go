package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
)

const (
	MaxText   = 256     // bytes of one text field
	maxCount  = 1 << 40 // of pages or records; more is nonsense
	maxNumber = 64      // bytes of a number; ParseNumber allows fewer
)

const (
	IsMillis  = "is a time in milliseconds (13 digits)"
	NotMillis = "is not a time in milliseconds (13 digits)"
)

// The range of valid instants. A value outside it was not in milliseconds: today's date in
// seconds, for example, read as milliseconds is in January 1970.
const (
	FirstInstant affiliate.Millis = 1262304000000 // 2010-01-01
	LastInstant  affiliate.Millis = 4102444800000 // 2100-01-01
)

// formats decode the types of record fields. Numbers may come as text and text as
// numbers; absent, null and empty mean unknown, which is not a fault by itself.
var formats = json.WithUnmarshalers(json.JoinUnmarshalers(
	format(parseNumber),
	format(parseInstant),
	format(parseFlag),
	format(parseDay),
	format(parseCount),
	format(parseIdentity[string]),
	format(parseIdentity[affiliate.Coin]),
	format(parseIdentity[affiliate.UID]),
	format(parseText[affiliate.Product]),
	format(parseText[FreeText]),
	format(parseSource),
))

// format is the way one type is read.
func format[T any](parse func([]byte, jsontext.Kind) (T, error)) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(d *jsontext.Decoder, v *T) error { return readValue(d, v, parse) })
}

func readValue[T any](d *jsontext.Decoder, v *T, parse func([]byte, jsontext.Kind) (T, error)) error {
	b, kind, err := scalar(d)
	if err == nil {
		*v, err = parse(b, kind)
	}
	return err
}

// ReadText reads a word of an open set.
func ReadText[T ~string](d *jsontext.Decoder, v *T) error { return readValue(d, v, parseText[T]) }

var errNested = errors.New("is not a simple value")

// scalar reads the next value as text, whether it is a string, a number or a boolean; null
// gives nil. The text is valid until the next read.
func scalar(d *jsontext.Decoder) ([]byte, jsontext.Kind, error) {
	kind := d.PeekKind()
	if kind == jsontext.KindBeginObject || kind == jsontext.KindBeginArray {
		if err := d.SkipValue(); err != nil {
			return nil, kind, err
		}
		return nil, kind, errNested
	}
	v, err := d.ReadValue()
	if err != nil {
		return nil, kind, err
	}
	switch kind {
	case jsontext.KindString:
		return unquote(v), kind, nil
	case jsontext.KindNull:
		return nil, kind, nil
	}
	return v, kind, nil
}

// unquote returns the text of a JSON string.
func unquote(v jsontext.Value) []byte {
	if len(v) < 2 || v[0] != '"' {
		return nil
	}
	if text := v[1 : len(v)-1]; bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	// Its error only reports invalid UTF-8, which it has already replaced.
	text, _ := jsontext.AppendUnquote(nil, v)
	return text
}

func boolean(kind jsontext.Kind) bool {
	return kind == jsontext.KindTrue || kind == jsontext.KindFalse
}

// parseText reads free text, such as a pair or an invite code. Control characters are
// replaced. Text that is too long is a fault, because cutting it could make two texts
// equal.
func parseText[T ~string](b []byte, kind jsontext.Kind) (T, error) {
	switch {
	case boolean(kind):
		return "", errors.New("is not text")
	case len(b) > MaxText:
		return "", errTooLong
	case clean(b):
		return T(b), nil
	}
	return T(Cleaned(string(b))), nil
}

// parseSource reads where a commission comes from.
func parseSource(b []byte, kind jsontext.Kind) (affiliate.Source, error) {
	word, err := parseText[string](b, kind)
	return affiliate.SourceOf(word), err
}

var errTooLong = fmt.Errorf("is longer than %d bytes", MaxText)

// parseIdentity reads an identifier: of a user, a coin, an order. Control characters
// are a fault; a number must be whole.
func parseIdentity[T ~string](b []byte, kind jsontext.Kind) (T, error) {
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0:
		return "", nil
	case kind != jsontext.KindString && !OnlyDigits(b):
		return "", errors.New("is not a whole number")
	case len(b) > MaxText:
		return "", errTooLong
	case !clean(b) && !Printable(b):
		return "", errors.New("contains characters that cannot be shown")
	}
	return T(b), nil
}

// parseNumber reads a decimal number exactly as it is written.
func parseNumber(b []byte, kind jsontext.Kind) (affiliate.Number, error) {
	switch {
	case len(b) == 0:
		return "", nil
	case boolean(kind) || len(b) > maxNumber:
		return "", fmt.Errorf("%s is not a number", shown(b))
	}
	return affiliate.ParseNumber(string(b))
}

// parseInstant reads a time; 0 also means unknown.
func parseInstant(b []byte, _ jsontext.Kind) (affiliate.Millis, error) {
	if len(b) == 0 || string(b) == "0" {
		return 0, nil
	}
	m, ok := parseMillis(b)
	if !ok {
		return 0, errors.New(NotMillis)
	}
	return m, nil
}

// parseMillis reads 13 digits that lie in a plausible year.
func parseMillis(b []byte) (affiliate.Millis, bool) {
	if len(b) != 13 || !OnlyDigits(b) {
		return 0, false
	}
	var m affiliate.Millis
	for _, digit := range b {
		m = m*10 + affiliate.Millis(digit-'0')
	}
	if m < FirstInstant || m >= LastInstant {
		return 0, false
	}
	return m, true
}

// parseDay reads YYYY-MM-DD, or an instant within the UTC day. Zero means unknown.
func parseDay(b []byte, _ jsontext.Kind) (affiliate.Day, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if m, ok := parseMillis(b); ok {
		return affiliate.Day(m / 86_400_000), nil
	}
	if len(b) == len("2006-01-02") {
		d, err := affiliate.ParseDay(string(b))
		if err == nil && d >= affiliate.Day(FirstInstant/86_400_000) && d < affiliate.Day(LastInstant/86_400_000) {
			return d, nil
		}
	}
	return 0, fmt.Errorf("%s is not a day of the form YYYY-MM-DD", shown(b))
}

// parseFlag reads a yes or no in any of its spellings.
func parseFlag(b []byte, _ jsontext.Kind) (affiliate.Flag, error) {
	switch strings.ToLower(string(b)) {
	case "":
		return "", nil
	case "true", "1":
		return affiliate.FlagOf(true), nil
	case "false", "0":
		return affiliate.FlagOf(false), nil
	}
	return "", fmt.Errorf("%s is neither true nor false", shown(b))
}

// parseCount reads a count; -1 means unknown.
func parseCount(b []byte, _ jsontext.Kind) (int, error) {
	if len(b) == 0 {
		return -1, nil
	}
	n, err := strconv.ParseUint(string(b), 10, 64)
	if err != nil || n > maxCount {
		return -1, fmt.Errorf("%s is not a count", shown(b))
	}
	return int(n), nil
}

// OnlyDigits reports whether b consists of digits and is not empty.
func OnlyDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// clean is the fast path for printable ASCII.
func clean(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// Printable reports whether b is valid text without control characters.
func Printable(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, unicode.IsControl) && !bytes.ContainsRune(b, utf8.RuneError)
}

// Cleaned replaces invalid bytes and control characters.
func Cleaned(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return utf8.RuneError
		}
		return c
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

// shown quotes a foreign value completely or omits it entirely: a part of a credential that
// an answer repeats would not be recognised and hidden.
func shown(b []byte) string {
	if len(b) > 40 {
		return fmt.Sprintf("a text of %d bytes", len(b))
	}
	return strconv.Quote(string(b))
}

// Millis reads 13 digits that lie in a plausible year.
func Millis(text string) (affiliate.Millis, bool) { return parseMillis([]byte(text)) }
