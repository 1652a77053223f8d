package exchange

import (
	"time"

	"rebatedesk/affiliate"
)

// Sheet declares what the interface of an exchange gives, so that nobody else needs to know
// the exchange.
type Sheet struct {
	Name    string             // in settings: "weex"
	Title   string             // for people: "WEEX"
	Streams []affiliate.Stream // what can be collected, in that order
	Page    int                // most records of a page

	// Window is the longest window of any stream, in days. First is the length of the first
	// window of a stream whose density of records is unknown; it gives Window for streams that
	// are known to be thin.
	Window int
	First  func(affiliate.StreamKind) int

	// Reach is how far back a stream goes, by the exchange's clock; 0 = as far as it has
	// records.
	Reach func(affiliate.StreamKind) time.Duration
}
