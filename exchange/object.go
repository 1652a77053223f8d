package exchange

import "github.com/go-json-experiment/json/jsontext"

// objectReader is the payload of the endpoints that answer with one object,
// inside "data" or, on the contract address, without an envelope.
type objectReader[T any] struct {
	value T
	field func(*reader, *T) bool // reads the member r.name if it knows it, else leaves it
	need  func(*reader, *T)      // notes what is missing

	inside, data, outside bool // in "data" now; had "data"; had fields outside of it
}

func newObjectReader[T any](field func(*reader, *T) bool, need func(*reader, *T)) *objectReader[T] {
	return &objectReader[T]{field: field, need: need}
}

func (p *objectReader[T]) member(r *reader) {
	if string(r.name) == "data" && !p.inside && r.kind() == jsontext.KindBeginObject {
		p.inside, p.data = true, true
		for r.token(); r.members(); {
			p.member(r)
		}
		p.inside = false
		return
	}
	switch known := p.field(r, &p.value); {
	case !known:
		r.skip()
	case !p.inside:
		p.outside = true
	}
}

func (p *objectReader[T]) bare(r *reader) { r.skip() }

// complete insists on one object: of two it is open which one counts.
func (p *objectReader[T]) complete(r *reader) {
	if p.data && p.outside {
		r.note("data", "stands beside the same fields")
	}
	p.need(r, &p.value)
}

// eachRecord reads the records of a list inside of an object. It stops keeping
// them at the first fault.
func eachRecord[T any](r *reader, record func(*reader) T) (list []T, there bool) {
	if r.kind() != jsontext.KindBeginArray {
		r.skip()
		return nil, false
	}
	for r.token(); r.elements(); {
		if rec := record(r); r.keep() {
			list = append(list, rec)
		}
	}
	return list, true
}
