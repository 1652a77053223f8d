package reports

import "rebatedesk/affiliate"

// StreamCoverage is how far one stream of one account is collected, out of all
// that was ever to be collected.
type StreamCoverage struct {
	Account    affiliate.Account
	Stream     affiliate.Stream
	Days       affiliate.Days // reporting days
	Coverage   Coverage
	OutOfReach int // of these days, those that the exchange gives no more and that were never read
}

// only is the coverer of one of its streams.
func (c *coverer) only(stream accountStream) *coverer {
	one := *c
	one.streams = []accountStream{stream}
	return &one
}

func (c *coverer) streamCoverage(stream accountStream, days affiliate.Days) StreamCoverage {
	sum := c.summary(days)
	return StreamCoverage{Account: stream.account, Stream: stream.stream, Days: days, Coverage: sum, OutOfReach: sum.Beyond}
}

// whole reports whether a reporting day is collected, up to now where it runs,
// and was within reach.
func (c *coverer) whole(day affiliate.Day) bool {
	for _, stream := range c.streams {
		if c.beyond(stream, day) {
			return false
		}
	}
	state := c.state(day)
	return state == DayCollected || state == DayRunning
}

// of is the coverer of one product alone.
func (c *coverer) of(product affiliate.Product) *coverer {
	one := *c
	one.streams = nil
	for _, s := range c.streams {
		if s.stream.Product == product {
			one.streams = append(one.streams, s)
		}
	}
	return &one
}
