package coverage

import (
	"maps"
	"slices"
	"time"

	"rebatedesk/affiliate"
)

// Has reports whether the map has a stream of an account.
func (c *Map) Has(account affiliate.Account) bool {
	return slices.ContainsFunc(c.Streams, func(s AccountStream) bool { return s.Account == account })
}

// KnownTime returns for which time all streams of an account are read, in order and without
// overlaps. Records that the exchange may have listed after a reading are not known: lag is
// how long it takes to list a record.
func (c *Map) KnownTime(account affiliate.Account, lag time.Duration) []affiliate.Range {
	var own []AccountStream
	for _, stream := range c.Streams {
		if stream.Account == account {
			own = append(own, stream)
		}
	}
	days := map[affiliate.Day]bool{}
	for key := range c.days {
		if key.Account == account {
			days[key.day] = true
		}
	}
	var list []affiliate.Range
	for _, day := range slices.Sorted(maps.Keys(days)) {
		span := day.Range(time.UTC)
		for _, stream := range own {
			known := c.days[coverKey{stream, day}]
			span.To = earlier(span.To, earlier(known.Through.Time(), known.LastRead.Time().Add(-lag)))
			if known.Quarantined > 0 {
				span.To = span.From
			}
		}
		if span.Empty() {
			continue
		}
		if n := len(list); n > 0 && list[n-1].To.Equal(span.From) {
			list[n-1].To = span.To
			continue
		}
		list = append(list, span)
	}
	return list
}
