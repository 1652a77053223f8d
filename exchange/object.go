package exchange

import (
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// objectReader is the payload of the endpoints that answer with one object,
// inside "data" or, on the contract address, without an envelope.
type objectReader[T any] struct {
	value T
	need  func(*reader, *T) // notes what is missing

	names         map[string]bool // the members of the object
	data, outside bool            // had "data"; had members of the object outside of it
	garbled       bool            // a member had a value that it cannot have
}

func newObjectReader[T any](need func(*reader, *T)) *objectReader[T] {
	return &objectReader[T]{need: need, names: memberNames(reflect.TypeFor[T]())}
}

// memberNames are the names in the tags of a struct.
func memberNames(t reflect.Type) map[string]bool {
	names := map[string]bool{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names[name] = true
	}
	return names
}

func (p *objectReader[T]) member(r *reader) {
	if string(r.name) == "data" && r.kind() == jsontext.KindBeginObject {
		p.data = true
		r.into(&p.value)
		p.garbled = r.fault != nil
		return
	}
	p.outside = p.outside || p.names[string(r.name)]
	r.skip()
}

func (p *objectReader[T]) bare(r *reader) { r.skip() }

// complete insists on one object: of two it is open which one counts.
func (p *objectReader[T]) complete(r *reader) {
	switch {
	case p.data && p.outside:
		r.note("data", "stands beside the same fields")
	case p.outside:
		before := r.fault
		r.again(&p.value)
		p.garbled = r.fault != before
	}
	p.need(r, &p.value)
}
