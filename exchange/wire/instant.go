package wire

import (
	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
)

// Instant is the payload of the server's time in milliseconds: "data" itself, or a member
// "serverTime" or "ts", outermost or within "data", which may be a list of one object.
type Instant affiliate.Millis

func (t *Instant) member(r *Decoder) {
	switch name := string(r.name); {
	case name == "data" && r.kind() == jsontext.KindBeginArray:
		r.token()
		for r.elements() {
			t.within(r)
		}
	case name == "data" && r.kind() == jsontext.KindBeginObject:
		t.within(r)
	case name == "data", name == "serverTime", name == "ts":
		*t = Instant(simple(r, parseInstant))
	default:
		r.skip()
	}
}

// within reads the members of an object; a value of another kind is skipped.
func (t *Instant) within(r *Decoder) {
	if r.kind() != jsontext.KindBeginObject {
		r.skip()
		return
	}
	r.token()
	for names := map[string]bool{}; r.once(names); {
		if name := string(r.name); name == "serverTime" || name == "ts" {
			*t = Instant(simple(r, parseInstant))
		} else {
			r.skip()
		}
	}
}

func (t *Instant) bare(r *Decoder) { r.skip() }

func (t *Instant) complete(r *Decoder) {
	if *t == 0 {
		r.missing("data")
	}
}
