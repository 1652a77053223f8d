package exchange

import (
	"rebatedesk/affiliate"
)

// timePayload is the payload of server time: "data" as milliseconds.
type timePayload affiliate.Millis

func (t *timePayload) member(r *reader) {
	if string(r.name) != "data" {
		r.skip()
		return
	}
	*t = timePayload(simple(r, parseInstant))
}

func (t *timePayload) bare(r *reader) { r.skip() }

func (t *timePayload) complete(r *reader) {
	if *t == 0 {
		r.missing("data")
	}
}
