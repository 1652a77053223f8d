package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
)

const (
	MaxDepth   = 64     // levels of an answer; real ones nest four deep
	maxObjects = 20_000 // of an answer; real ones have two thousand
)

var (
	errTooDeep  = fmt.Errorf("nested deeper than %d levels", MaxDepth)
	errTrailing = errors.New("there is more after the end of the JSON value")
	errStopped  = errors.New("a record is not what it should be")
)

// Decoder reads one JSON body from front to back. Names are case-sensitive and
// duplicates are refused: an ambiguous body is not read.
//
// It separates two kinds of errors. err is a syntax error, after which nothing can be
// read. fault is the first invalid value.
type Decoder struct {
	body    []byte
	dec     *jsontext.Decoder
	err     error
	fault   error
	name    []byte           // of the member whose value comes next; invalid after reading it
	Stamp   affiliate.Millis // the time of the envelope, once read
	success bool             // a success code was read
	record  int              // number of the current record, from 1; 0 outside of records
}

// newDecoder reads body, which must not change meanwhile. Invalid UTF-8 is allowed here
// and replaced in texts, so that one bad byte in an invite code does not make a page
// unreadable.
func newDecoder(body []byte) *Decoder {
	return &Decoder{
		body: body,
		dec:  jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true), formats),
	}
}

// kind returns the kind of the value that comes next.
func (r *Decoder) kind() jsontext.Kind {
	if r.err != nil {
		return jsontext.KindInvalid
	}
	return r.dec.PeekKind()
}

// token reads one token, usually a bracket.
func (r *Decoder) token() {
	if r.err != nil {
		return
	}
	if _, r.err = r.dec.ReadToken(); r.err == nil && r.dec.StackDepth() > MaxDepth {
		r.err = errTooDeep
	}
}

// value reads a complete string, number, boolean or null.
func (r *Decoder) value() jsontext.Value {
	if r.err != nil {
		return nil
	}
	var v jsontext.Value
	v, r.err = r.dec.ReadValue()
	return v
}

// members moves to the next member of the object entered with token and sets r.name. After
// the last member it leaves the object and returns false. The value of each member must be
// read before the next call.
func (r *Decoder) members() bool {
	if r.kind() == jsontext.KindEndObject {
		r.token()
		return false
	}
	r.name = unquote(r.value())
	return r.err == nil
}

// elements is members for an array.
func (r *Decoder) elements() bool {
	if r.kind() == jsontext.KindEndArray {
		r.token()
		return false
	}
	return r.err == nil
}

// skip skips the next value and limits its depth.
func (r *Decoder) skip() {
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

// skipArray is skip for an array, and reports whether the array has any elements.
func (r *Decoder) skipArray() (filled bool) {
	for r.token(); r.elements(); {
		filled = true
		r.skip()
	}
	return filled
}

// end requires the body to end after the value.
func (r *Decoder) end() {
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

// scalar reads the next value as text. A nested value is a fault.
func (r *Decoder) scalar() ([]byte, jsontext.Kind) {
	switch kind := r.kind(); kind {
	case jsontext.KindBeginObject, jsontext.KindBeginArray:
		r.skip()
		r.wrong(errNested)
		return nil, kind
	case jsontext.KindString:
		return unquote(r.value()), kind
	case jsontext.KindNull:
		r.value()
		return nil, kind
	default:
		return r.value(), kind
	}
}

// simple reads a value of the envelope.
func simple[T any](r *Decoder, parse func([]byte, jsontext.Kind) (T, error)) T {
	v, err := parse(r.scalar())
	r.wrong(err)
	return v
}

// next reads whether there is another page: a boolean, or unknown. The document also
// shows null.
func (r *Decoder) next() affiliate.Flag {
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

// into decodes the next value, an object, into a struct with tags. A fault ends the
// reading, because the decoder cannot continue after it.
func (r *Decoder) into(v any) {
	if r.err != nil {
		return
	}
	if err := json.UnmarshalDecode(r.dec, v); err != nil {
		if r.decoded(err) {
			err = errStopped
		}
		r.err = err
	}
}

// again decodes the whole body, an object without an envelope, into a struct. Its syntax
// has been checked already.
func (r *Decoder) again(v any) {
	if err := json.Unmarshal(r.body, v, jsontext.AllowInvalidUTF8(true), formats); err != nil && !r.decoded(err) {
		r.err = err
	}
}

// decoded records a decoder error as a fault. It returns false for a syntax error.
func (r *Decoder) decoded(err error) bool {
	fault, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return false
	}
	what := "is of another kind"
	if fault.Err != nil {
		what = fault.Err.Error()
	}
	r.note(fault.JSONPointer.LastToken(), what)
	return true
}

// wrong records a fault in the value just read.
func (r *Decoder) wrong(err error) {
	if err != nil && r.fault == nil && r.err == nil {
		r.note(r.dec.StackPointer().LastToken(), err.Error())
	}
}

// Absent returns the fault of a missing required field.
const Absent = "missing or empty"

// missing records that a required field is absent.
func (r *Decoder) missing(field string) { r.note(field, Absent) }

// note keeps the first fault and its position.
func (r *Decoder) note(field, what string) {
	switch {
	case r.fault != nil || r.err != nil:
	case r.record > 0:
		r.fault = fmt.Errorf("record %d: %.40q: %s", r.record, field, what)
	default:
		r.fault = fmt.Errorf("%.40q: %s", field, what)
	}
}

// Record is a struct with tags. Lacks returns the first required field that is missing or
// invalid, and the reason. An empty field means that the record is complete.
type Record interface{ Lacks() (field, why string) }

// ReadRow reads one record.
func ReadRow[T any, P interface {
	*T
	Record
}](r *Decoder, v *T) {
	r.into(v)
	r.Complete(P(v))
}

// Lacking checks an object for required fields.
func Lacking[T any, P interface {
	*T
	Record
}](r *Decoder, v *T) {
	r.Complete(P(v))
}

// Complete checks a record for required fields.
func (r *Decoder) Complete(v Record) {
	if field, why := v.Lacks(); field != "" {
		r.note(field, why)
	}
}
