package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

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
)

// Decoder reads one JSON body from front to back. Names are case-sensitive and
// duplicates are refused: an ambiguous body is not read.
//
// It separates two kinds of errors. err is a syntax error, after which nothing can be
// read. fault is the first invalid value; in a list it concerns one record.
type Decoder struct {
	body    []byte
	dec     *jsontext.Decoder
	err     error
	fault   *fault
	spared  []*fault         // of fields of the current record that no figure needs
	name    []byte           // of the member whose value comes next; invalid after reading it
	Stamp   affiliate.Millis // the time of the envelope, once read
	success bool             // a success code was read
	record  int              // number of the current record, from 1; 0 outside of records
}

// fault is a value that is not what it should be.
type fault struct {
	record int // as in Decoder
	field  string
	what   string
}

func (f *fault) Error() string {
	what := f.what
	if f.field != "" {
		what = fmt.Sprintf("%.40q: %s", f.field, f.what)
	}
	if f.record > 0 {
		return fmt.Sprintf("record %d: %s", f.record, what)
	}
	return what
}

// newDecoder reads body, which must not change meanwhile. Invalid UTF-8 is allowed here
// and replaced in texts, so that one bad byte in an invite code does not make a page
// unreadable. Duplicate names are not refused here but where an object is read: in a record
// they are a fault of that record alone.
func newDecoder(body []byte) *Decoder {
	return &Decoder{
		body: body,
		dec:  jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), formats),
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

// once is members for an object whose names are remembered in seen: a name given twice is an
// error.
func (r *Decoder) once(seen map[string]bool) bool {
	if !r.members() {
		return false
	}
	if name := string(r.name); seen[name] {
		r.err = fmt.Errorf("%.40q stands twice in one object", name)
	} else {
		seen[name] = true
	}
	return r.err == nil
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

// into decodes the next value, an object, into a struct with tags.
func (r *Decoder) into(v any) {
	if raw := r.value(); r.err == nil {
		r.decode(raw, v)
	}
}

// again decodes the whole body, an object without an envelope, into a struct. Its syntax
// has been checked already.
func (r *Decoder) again(v any) { r.decode(r.body, v) }

// decode decodes an object into a struct. An object that gives a name twice is not read at all.
func (r *Decoder) decode(object []byte, v any) {
	switch err := json.Unmarshal(object, v, strict); {
	case err == nil:
	case errors.Is(err, jsontext.ErrDuplicateName):
		r.err = err
	default:
		r.note(faultOf(err))
	}
}

// strict refuses names that stand twice in one object.
var strict = json.JoinOptions(jsontext.AllowInvalidUTF8(true), formats)

// faultOf returns the top-level member of an object that could not be decoded, and why.
func faultOf(err error) (field, what string) {
	if fault, ok := errors.AsType[*json.SemanticError](err); ok {
		if field, what = firstToken(fault.JSONPointer), "is of another kind"; fault.Err != nil {
			what = fault.Err.Error()
		}
		return field, what
	}
	if fault, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(err, jsontext.ErrDuplicateName) {
		return firstToken(fault.JSONPointer), twice
	}
	return "", err.Error()
}

func firstToken(pointer jsontext.Pointer) string {
	for token := range pointer.Tokens() {
		return token
	}
	return ""
}

// wrong records a fault in the value just read.
func (r *Decoder) wrong(err error) {
	if err != nil && r.fault == nil && r.err == nil {
		r.note(r.dec.StackPointer().LastToken(), err.Error())
	}
}

// Absent returns the fault of a missing required field.
const Absent = "missing or empty"

// Wrong records that a field of the record just read is not what it should be.
func (r *Decoder) Wrong(field, what string) { r.note(field, what) }

// missing records that a required field is absent.
func (r *Decoder) missing(field string) { r.note(field, Absent) }

// note keeps the first fault and its position.
func (r *Decoder) note(field, what string) {
	if r.fault == nil && r.err == nil {
		r.fault = &fault{r.record, field, what}
	}
}

// Record is a struct with tags. Lacks returns the first required field that is missing or
// invalid, and the reason. An empty field means that the record is complete.
type Record interface{ Lacks() (field, why string) }

// Sparing is a Record with fields that no figure needs: if such a field cannot be read, it is
// left out, and the record counts.
type Sparing interface{ Spares(field string) bool }

// mostFaults limits how many fields of one record are tried.
const mostFaults = 32

// ReadRow reads one record. What cannot be read of it stays empty.
func ReadRow[T any, P interface {
	*T
	Record
}](r *Decoder, v *T) {
	raw := r.value()
	if r.err != nil {
		return
	}
	initial := *v
	sparing, _ := any(P(v)).(Sparing)
	for range mostFaults {
		err := json.Unmarshal(raw, v, strict)
		if err == nil {
			break
		}
		field, what := faultOf(err)
		if sparing != nil && sparing.Spares(field) {
			r.spared = append(r.spared, &fault{r.record, field, what})
		} else {
			r.note(field, what)
		}
		*v = initial
		if raw = without(raw, field); raw == nil {
			return
		}
	}
	r.Complete(P(v))
}

// without returns an object without its members of a name, or nil if it has none.
func without(object jsontext.Value, name string) jsontext.Value {
	rest, found := []byte{'{'}, false
	for member, value := range membersOf(object) {
		if string(unquote(member)) == name {
			found = true
			continue
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(append(append(rest, member...), ':'), value...)
	}
	if !found {
		return nil
	}
	return append(rest, '}')
}

// membersOf yields the names, in quotes, and the values of an object, up to the first error of
// syntax. They are valid until the next step.
func membersOf(object []byte) iter.Seq2[jsontext.Value, jsontext.Value] {
	return func(yield func(jsontext.Value, jsontext.Value) bool) {
		d := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
		if d.PeekKind() != jsontext.KindBeginObject {
			return
		}
		if _, err := d.ReadToken(); err != nil {
			return
		}
		for d.PeekKind() == jsontext.KindString {
			name, err := d.ReadValue()
			if err != nil {
				return
			}
			name = name.Clone()
			value, err := d.ReadValue()
			if err != nil || !yield(name, value) {
				return
			}
		}
	}
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
