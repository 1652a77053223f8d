package coverage

import "rebatedesk/affiliate"

// StreamCoverage is the coverage of one stream of one account, over all days that
// were ever to be collected.
type StreamCoverage struct {
	Account    affiliate.Account
	Stream     affiliate.Stream
	Days       affiliate.Days // reporting days
	Coverage   Coverage
	OutOfReach int // of these days, those that the exchange gives no more and that were never read
}

// OfStream is the map of one of its streams.
func (c *Map) OfStream(stream AccountStream) *Map {
	one := *c
	one.Streams = []AccountStream{stream}
	return &one
}

// StreamCoverage is the coverage of reporting days by one stream.
func (c *Map) StreamCoverage(stream AccountStream, days affiliate.Days) StreamCoverage {
	sum := c.Summary(days)
	return StreamCoverage{Account: stream.Account, Stream: stream.Stream, Days: days, Coverage: sum, OutOfReach: sum.Beyond}
}

// Whole reports whether a reporting day is collected, up to now where it runs,
// and was within reach.
func (c *Map) Whole(day affiliate.Day) bool {
	for _, stream := range c.Streams {
		if c.beyond(stream, day) {
			return false
		}
	}
	state := c.State(day)
	return state == DayCollected || state == DayRunning
}

// OfProduct is the map of one product alone.
func (c *Map) OfProduct(product affiliate.Product) *Map {
	one := *c
	one.Streams = nil
	for _, s := range c.Streams {
		if s.Stream.Product == product {
			one.Streams = append(one.Streams, s)
		}
	}
	return &one
}
