package coverage

import "rebatedesk/affiliate"

// StreamCoverage is the coverage of one stream of one account, over every day that was ever
// to be collected.
type StreamCoverage struct {
	Account    affiliate.Account
	Stream     affiliate.Stream
	Days       affiliate.Days // reporting days
	Coverage   Coverage
	OutOfReach int // of these days, those never read that the exchange does not return
}

// OfStream returns the map of only one of its streams.
func (c *Map) OfStream(stream AccountStream) *Map {
	one := *c
	one.Streams = []AccountStream{stream}
	return &one
}

// StreamCoverage returns the coverage of reporting days by one stream.
func (c *Map) StreamCoverage(stream AccountStream, days affiliate.Days) StreamCoverage {
	sum := c.Summary(days)
	return StreamCoverage{Account: stream.Account, Stream: stream.Stream, Days: days, Coverage: sum, OutOfReach: sum.Beyond}
}

// Whole reports whether a reporting day is collected, up to now if it is running, and was
// within reach.
func (c *Map) Whole(day affiliate.Day) bool {
	for _, stream := range c.Streams {
		if c.beyond(stream, day) {
			return false
		}
	}
	state := c.State(day)
	return state == DayCollected || state == DayRunning
}

// OfProduct returns the map of only one product.
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
