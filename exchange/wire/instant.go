package wire

import (
	"rebatedesk/affiliate"
)

// Instant is the payload of the server's time: "data" in milliseconds.
type Instant affiliate.Millis

func (t *Instant) member(r *Decoder) {
	if string(r.name) != "data" {
		r.skip()
		return
	}
	*t = Instant(simple(r, parseInstant))
}

func (t *Instant) bare(r *Decoder) { r.skip() }

func (t *Instant) complete(r *Decoder) {
	if *t == 0 {
		r.missing("data")
	}
}
