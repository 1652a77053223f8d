package wire

import (
	"rebatedesk/affiliate"
)

// Instant is the payload of server time: "data" as milliseconds.
type Instant affiliate.Millis

func (t *Instant) member(r *Reader) {
	if string(r.name) != "data" {
		r.skip()
		return
	}
	*t = Instant(simple(r, parseInstant))
}

func (t *Instant) bare(r *Reader) { r.skip() }

func (t *Instant) complete(r *Reader) {
	if *t == 0 {
		r.missing("data")
	}
}
