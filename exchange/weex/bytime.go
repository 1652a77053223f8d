package weex

import (
	"rebatedesk/exchange"

	"cmp"
	"fmt"
	"iter"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// byTime iterates over records that can only be queried by time. One call returns a limited
// number of records from a range. The document states neither their order nor whether the
// ends of the range are included.
//
// So a full answer only shows where to split the range, and a range is done when its answer
// was not full. Ranges do not overlap, and each record belongs to exactly one range, so no
// boundary can lose or double a record, however many share its millisecond.
//
// Once an answer that was full has proved to hold the newest records of its range, because the
// range that it filled was requested again and held the same, later ones are believed: each
// request then gives a full answer's records.
type byTime[T any] struct {
	endpoint    exchange.Endpoint
	limit, most int // records requested first, and the most a call can return
	at          func(T) affiliate.Millis
	ask         func(after, before affiliate.Millis, limit int) (exchange.Page[T], error)

	// Whether the exchange includes the ends of a range, as learned from its answers.
	withAfter, withBefore bool

	newest bool               // a full answer holds the newest records of its range
	filled stretch            // the part that the last full answer seemed to hold completely
	times  []affiliate.Millis // of its records, newest first
}

// timed is a record, or one that could not be read.
type timed[T any] struct {
	at     affiliate.Millis // unknown for a record whose time could not be read
	record T
	wrong  *exchange.RecordError[T] // instead of the record
}

// entries returns the records of an answer: those that could be read in the exchange's order, then the others.
func (b *byTime[T]) entries(got exchange.Page[T]) []timed[T] {
	list := make([]timed[T], 0, got.Len())
	for _, record := range got.Records {
		list = append(list, timed[T]{at: b.at(record), record: record})
	}
	for _, r := range got.Quarantined {
		list = append(list, timed[T]{at: b.at(r.Record), wrong: &exchange.RecordError[T]{Quarantined: r}})
	}
	return list
}

// stretch is a range of time that excludes its end.
type stretch struct{ from, to affiliate.Millis }

// all iterates over the records between two instants, newest first. An unknown instant
// leaves that end open.
func (b byTime[T]) all(from, to affiliate.Millis) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		b := b
		if err := b.check(from, to); err != nil {
			yield(*new(T), err)
			return
		}
		open := []stretch{{max(from, wire.FirstInstant), to}}
		if !to.Known() {
			open[0].to = wire.LastInstant
		}
		for len(open) > 0 {
			s := open[len(open)-1]
			open = open[:len(open)-1]
			if s.from >= s.to {
				continue
			}
			records, parts, err := b.read(s)
			if err != nil {
				yield(*new(T), err)
				return
			}
			open = append(open, parts...)
			for _, one := range records {
				if one.wrong != nil {
					if !yield(*new(T), one.wrong) {
						return
					}
				} else if !yield(one.record, nil) {
					return
				}
			}
		}
	}
}

// check rejects invalid ranges.
func (b *byTime[T]) check(from, to affiliate.Millis) error {
	f := fields{endpoint: b.endpoint}
	f.instant("from", from)
	f.instant("to", to)
	f.inOrder("to", from, to)
	if f.err != nil {
		return f.err
	}
	return nil
}

// read requests a range. It returns either the range's records or the parts to request
// instead, newest last.
func (b *byTime[T]) read(s stretch) (records []timed[T], parts []stretch, err error) {
	limit := b.limit
	if s.to-s.from == 1 {
		limit = b.most // the range cannot be divided
	}
	after, before := b.bounds(s)
	answer, err := b.ask(after, before, limit)
	if err != nil {
		return nil, nil, err
	}
	known := [2]bool{b.withAfter, b.withBefore}
	dated := b.entries(answer)
	var undated []timed[T]
	for i := 0; i < len(dated); {
		one := dated[i]
		if one.wrong != nil && !one.at.Known() {
			undated, dated = append(undated, one), slices.Delete(dated, i, i+1)
			continue
		}
		i++
		if after.Known() && one.at < after || before.Known() && one.at > before {
			return nil, nil, b.endpoint.Inconsistent("the exchange does not keep to the time range it is asked for")
		}
		b.withAfter = b.withAfter || one.at == after
		b.withBefore = b.withBefore || one.at == before
		if one.at >= s.from && one.at < s.to {
			records = append(records, one)
		}
	}
	switch {
	case answer.Len() < limit:
		slices.SortStableFunc(records, descending)
		b.newest = b.newest || s == b.filled && slices.Equal(b.times, timesOf(records))
		return slices.Concat(b.spared(answer, s), undated, records), nil, nil
	case known != [2]bool{b.withAfter, b.withBefore}:
		return nil, []stretch{s}, nil // with exact ends the answer may fit
	case s.to-s.from == 1:
		return nil, nil, b.endpoint.Inconsistent(fmt.Sprintf("%d records or more lie in the one millisecond %v and cannot all be had", limit, s.from))
	case len(dated) == 0:
		middle := s.from + (s.to-s.from)/2
		return nil, []stretch{{s.from, middle}, {middle, s.to}}, nil
	}
	first, last := dated[0].at, dated[len(dated)-1].at
	middle := b.divide(s, first, last)
	if first > last && middle == last+1 && len(undated) == 0 && slices.IsSortedFunc(dated, descending) {
		records = slices.DeleteFunc(records, func(one timed[T]) bool { return one.at < middle })
		if b.newest {
			return slices.Concat(b.spared(answer, stretch{middle, s.to}), records), []stretch{{s.from, middle}}, nil
		}
		b.filled, b.times = stretch{middle, s.to}, timesOf(records)
	}
	return nil, []stretch{{s.from, middle}, {middle, s.to}}, nil
}

// spared returns the fields of the records in a range that are left out.
func (b *byTime[T]) spared(answer exchange.Page[T], s stretch) (list []timed[T]) {
	for _, r := range answer.Spared {
		if at := b.at(r.Record); at >= s.from && at < s.to {
			list = append(list, timed[T]{at: at, wrong: &exchange.RecordError[T]{Quarantined: r, Spared: true}})
		}
	}
	return list
}

// descending compares the times of records, the newest first.
func descending[T any](x, y timed[T]) int { return cmp.Compare(y.at, x.at) }

func timesOf[T any](records []timed[T]) []affiliate.Millis {
	times := make([]affiliate.Millis, len(records))
	for i, record := range records {
		times[i] = record.at
	}
	return times
}

// bounds returns the ends to request: unknown if the range is open, and just outside it
// while the exchange may exclude them.
func (b *byTime[T]) bounds(s stretch) (after, before affiliate.Millis) {
	if s.from > wire.FirstInstant {
		after = s.from
		if !b.withAfter {
			after--
		}
	}
	if s.to < wire.LastInstant {
		before = s.to
		if b.withBefore {
			before--
		}
	}
	return after, before
}

// divide splits a range whose answer was full. The split is where the records of that
// answer end, so that the part they fill takes one call.
func (b *byTime[T]) divide(s stretch, first, last affiliate.Millis) affiliate.Millis {
	middle := last // oldest first
	if first > last {
		middle = last + 1 // newest first
	} else if first == last && last == s.from {
		middle++
	}
	return min(max(middle, s.from+1), s.to-1)
}
