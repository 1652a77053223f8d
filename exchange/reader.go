package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
)

const (
	maxDepth   = 64     // levels of an answer; real ones nest four deep
	maxRecords = 20_000 // of an answer; real ones have two thousand
)

var (
	errTooDeep  = fmt.Errorf("nested deeper than %d levels", maxDepth)
	errTrailing = errors.New("there is more after the end of the JSON value")
)

// reader walks one JSON body from front to back. Names are case-sensitive and
// a repeated name is refused: where a body can be read in two ways, it is not
// read at all.
//
// Two kinds of trouble are kept apart. err is a break in the JSON itself;
// nothing can be read after it. fault is the first value that does not mean
// what it should; the walk goes on after it, because the exchange's error code
// may stand behind the payload and explains more.
type reader struct {
	dec     *jsontext.Decoder
	err     error
	fault   error
	name    []byte           // of the member whose value comes next; gone after reading it
	stamp   affiliate.Millis // the time of the envelope, once it was read
	success bool             // a code of success was read
	kept    int              // how many records were kept
	record  int              // the record being read, counted from 1; 0 outside of records

	scratch []byte
	seen    map[string]string
}

// newReader reads body, which must not change meanwhile. Invalid UTF-8 is let
// through here and replaced where text is taken, so that one bad byte in an
// invite code does not make a whole page unreadable.
func newReader(body []byte) *reader {
	return &reader{
		dec:  jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true)),
		seen: map[string]string{},
	}
}

// kind is the kind of the value that comes next.
func (r *reader) kind() jsontext.Kind {
	if r.err != nil {
		return jsontext.KindInvalid
	}
	return r.dec.PeekKind()
}

// token reads one token, usually a bracket.
func (r *reader) token() {
	if r.err != nil {
		return
	}
	if _, r.err = r.dec.ReadToken(); r.err == nil && r.dec.StackDepth() > maxDepth {
		r.err = errTooDeep
	}
}

// value reads a whole string, number, boolean or null.
func (r *reader) value() jsontext.Value {
	if r.err != nil {
		return nil
	}
	var v jsontext.Value
	v, r.err = r.dec.ReadValue()
	return v
}

// members steps to the next member of the object that was entered with token
// and leaves its name in r.name. After the last one it leaves the object and
// is false. The value of each member must be read before the next step.
func (r *reader) members() bool {
	if r.kind() == jsontext.KindEndObject {
		r.token()
		return false
	}
	r.name = r.unquote(r.value())
	return r.err == nil
}

// elements is members for an array.
func (r *reader) elements() bool {
	if r.kind() == jsontext.KindEndArray {
		r.token()
		return false
	}
	return r.err == nil
}

// skip passes over the next value, whatever it is, without going too deep.
func (r *reader) skip() {
	switch r.kind() {
	case jsontext.KindBeginObject, jsontext.KindBeginArray:
		outside := r.dec.StackDepth()
		for r.token(); r.err == nil && r.dec.StackDepth() > outside; {
			r.token()
		}
	default:
		r.value()
	}
}

// skipArray is skip for an array, and reports whether there is anything in it.
func (r *reader) skipArray() (filled bool) {
	for r.token(); r.elements(); {
		filled = true
		r.skip()
	}
	return filled
}

// end makes sure that nothing follows the value that was read.
func (r *reader) end() {
	if r.err != nil {
		return
	}
	switch _, err := r.dec.ReadToken(); {
	case err == nil:
		r.err = errTrailing
	case !errors.Is(err, io.EOF):
		r.err = err
	}
}

// unquote is the text of a JSON string; it holds until the next call.
func (r *reader) unquote(v jsontext.Value) []byte {
	if len(v) < 2 || v[0] != '"' {
		return nil
	}
	if text := v[1 : len(v)-1]; bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	// Its error tells of invalid UTF-8 only, which it has replaced.
	r.scratch, _ = jsontext.AppendUnquote(r.scratch[:0], v)
	return r.scratch
}

// wrong notes a fault of the value just read.
func (r *reader) wrong(format string, args ...any) {
	if r.fault == nil && r.err == nil {
		r.note(r.dec.StackPointer().LastToken(), fmt.Sprintf(format, args...))
	}
}

// keep reports whether the record just read may be kept: after a fault none
// is, and no answer holds more than maxRecords, so that eight megabytes of tiny
// records do not become half a gigabyte.
func (r *reader) keep() bool {
	if r.kept++; r.kept > maxRecords {
		r.wrong("are more than %d records", maxRecords)
	}
	return r.fault == nil && r.err == nil
}

// need notes that a required field is absent unless it is there.
func (r *reader) need(field string, there bool) {
	if !there {
		r.missing(field)
	}
}

// missing notes that a required field is absent.
func (r *reader) missing(field string) { r.note(field, "missing or empty") }

// note keeps the first fault, with the place it was found at.
func (r *reader) note(field, what string) {
	switch {
	case r.fault != nil || r.err != nil:
	case r.record > 0:
		r.fault = fmt.Errorf("record %d: %.40q: %s", r.record, field, what)
	default:
		r.fault = fmt.Errorf("%.40q: %s", field, what)
	}
}
