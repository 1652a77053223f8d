package wire

import (
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ObjectReader is the payload of the endpoints that answer with one object,
// inside "data" or, on the contract address, without an envelope.
type ObjectReader[T any] struct {
	Value T
	need  func(*Decoder, *T) // records missing fields

	names         map[string]bool // the members of the object
	data, outside bool            // had "data"; had members of the object outside of it
	Garbled       bool            // a member had an impossible value
}

// NewObjectReader returns a reader of one object into a struct with tags. need records
// missing fields, as [Lacking] does.
func NewObjectReader[T any](need func(*Decoder, *T)) *ObjectReader[T] {
	return &ObjectReader[T]{need: need, names: memberNames(reflect.TypeFor[T]())}
}

// memberNames returns the names in the tags of a struct.
func memberNames(t reflect.Type) map[string]bool {
	names := map[string]bool{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names[name] = true
	}
	return names
}

func (p *ObjectReader[T]) member(r *Decoder) {
	if string(r.name) == "data" && r.kind() == jsontext.KindBeginObject {
		p.data = true
		r.into(&p.Value)
		p.Garbled = r.fault != nil
		return
	}
	p.outside = p.outside || p.names[string(r.name)]
	r.skip()
}

func (p *ObjectReader[T]) bare(r *Decoder) { r.skip() }

// complete requires one object: two would be ambiguous.
func (p *ObjectReader[T]) complete(r *Decoder) {
	switch {
	case p.data && p.outside:
		r.note("data", "stands beside the same fields")
	case p.outside:
		before := r.fault
		r.again(&p.Value)
		p.Garbled = r.fault != before
	}
	p.need(r, &p.Value)
}
