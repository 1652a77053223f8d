package simulator

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// wording says how one answer is written.
type wording struct {
	version    string // "v2" or "v3"
	date       bool   // DateField
	otherTypes bool   // OtherTypes
	product    bool   // ProductField
	nulls      bool   // NullFields
	timeText   bool   // RequestTimeText
	old        bool   // OldEnvelope
	without    Fault  // NullList or NoList, where the page has no records

	wrongEcho   bool // WrongEcho
	emptyFields bool // EmptyFields
	zeroTotals  bool // ZeroTotals
}

// encoder appends JSON to a buffer. It knows the few forms that the exchange
// uses and does nothing else, because a page is written for each request.
type encoder struct {
	wording
	b []byte
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
	// The error says that text is not UTF-8. What is not has been replaced
	// then, as any JSON writer does.
	e.b, _ = jsontext.AppendQuote(e.b, text)
}

func (e *encoder) text(name, value string) {
	e.name(name)
	e.quoted(value)
}

// digits writes a number, or true and false, as such or as a text. What a test
// inserted may be anything, and is always a text then.
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

// count writes a total: a number, unless types are exchanged.
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

// long writes what is documented as a number: as a text, where types are
// exchanged.
func (e *encoder) long(name string, n int64) {
	e.digits(name, strconv.FormatInt(n, 10), e.otherTypes)
}

func (e *encoder) null(name string) {
	e.name(name)
	e.raw("null")
}

// optional writes a text that may be empty; null then, where NullFields says so.
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
