package simulator

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// wording is how one answer is written.
type wording struct {
	version    string // "v2" or "v3"
	date       bool   // DateField
	otherTypes bool   // OtherTypes
	product    bool   // ProductField
	nulls      bool   // NullFields
	timeText   bool   // RequestTimeText
	old        bool   // OldEnvelope
	without    Fault  // NullList or NoList, if the page has no records

	wrongEcho   bool // WrongEcho
	emptyFields bool // EmptyFields
	zeroTotals  bool // ZeroTotals
}

// encoder appends JSON to a buffer. It supports only the few forms that the exchange uses,
// because a page is written for each request.
type encoder struct {
	wording
	b      []byte
	record ledgerCommission // the one being written; a new one each time would be garbage
}

func (e *encoder) raw(text string) { e.b = append(e.b, text...) }

// name begins a field.
func (e *encoder) name(name string) {
	if last := e.b[len(e.b)-1]; last != '{' {
		e.b = append(e.b, ',')
	}
	e.b = append(e.b, '"')
	e.b = append(e.b, name...)
	e.b = append(e.b, '"', ':')
}

func (e *encoder) quoted(text string) {
	// The error reports text that is not UTF-8. Invalid bytes have been replaced by then,
	// as any JSON writer does.
	e.b, _ = jsontext.AppendQuote(e.b, text)
}

func (e *encoder) text(name, value string) {
	e.name(name)
	e.quoted(value)
}

// digits writes a number, true or false, either as such or as text. A value inserted by a
// test may be anything, and is always written as text if it is not valid JSON.
func (e *encoder) digits(name, value string, asText bool) {
	if asText || !literal(value) {
		e.text(name, value)
		return
	}
	e.name(name)
	e.raw(value)
}

// literal reports whether value is valid JSON without quotes.
func literal(value string) bool {
	return jsontext.Value(value).IsValid() && !strings.ContainsAny(value, "\"[{ ")
}

// count writes a total: a number, unless OtherTypes is set.
func (e *encoder) count(name string, n int) {
	e.digits(name, strconv.Itoa(n), e.otherTypes)
}

// refusal writes a business error.
func (e *encoder) refusal(r *refusal, now int64) {
	e.raw("{")
	if e.version == "v3" {
		e.digits("code", strconv.Itoa(r.old), false)
		e.text("msg", r.msg)
		e.raw("}")
		return
	}
	e.text("code", r.code)
	e.text("msg", r.msg)
	e.clock("requestTime", now)
	e.raw(`,"data":null}`)
}

// list writes an array of n elements.
func (e *encoder) list(n int, element func(i int)) {
	e.raw("[")
	for i := range n {
		if i > 0 {
			e.raw(",")
		}
		element(i)
	}
	e.raw("]")
}

// long writes a value documented as a number. It writes text if OtherTypes is set.
func (e *encoder) long(name string, n int64) {
	e.digits(name, strconv.FormatInt(n, 10), e.otherTypes)
}

func (e *encoder) null(name string) {
	e.name(name)
	e.raw("null")
}

// optional writes a text that may be empty. An empty text is written as null if NullFields
// is set.
func (e *encoder) optional(name, value string) {
	if value == "" && e.nulls {
		e.null(name)
		return
	}
	e.text(name, value)
}

// clock writes the exchange's time.
func (e *encoder) clock(name string, now int64) {
	e.digits(name, strconv.FormatInt(now, 10), e.timeText)
}
