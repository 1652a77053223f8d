package weex

import (
	"rebatedesk/exchange"

	"iter"

	"rebatedesk/affiliate"
)

// maxIdle is the number of consecutive pages that may bring nothing new although more is
// promised.
const maxIdle = 3

// byPage iterates over the records of all pages, counted from first, and yields each record
// once: new records shift old ones to the next page, where they appear again.
//
// It continues while a page is full or anything on it promises more, because totals are
// sometimes 0 although there are records. It ends after pages that bring nothing new, with
// an error if more was promised: the exchange answers page numbers it does not understand
// with the first page. A record that cannot be read is yielded as a [*RecordError].
func byPage[T any](e exchange.Endpoint, first, size int, ask func(page int) (exchange.Page[T], error), key func(T) string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		seen := map[string]bool{}
		for page, idle := first, 0; ; page++ {
			got, err := ask(page)
			if err != nil {
				yield(*new(T), err)
				return
			}
			known := len(seen)
			for wrong := range wrongs(got) {
				id := "unreadable " + wrong.Raw
				if seen[id] {
					continue
				}
				if !wrong.Spared { // a record of its own, whose key may be what could not be read
					seen[id] = true
				}
				if !yield(*new(T), wrong) {
					return
				}
			}
			for _, record := range got.Records {
				id := key(record)
				if seen[id] {
					continue
				}
				seen[id] = true
				if !yield(record, nil) {
					return
				}
			}
			if got.PageSize > 0 {
				size = min(size, got.PageSize)
			}
			promised := got.Next == affiliate.FlagOf(true) || got.Total > len(seen)
			if !promised && (got.Len() < size || len(seen) == known && got.Next != "") {
				return
			}
			if len(seen) > known {
				idle = 0
			} else if idle++; idle == maxIdle {
				yield(*new(T), e.Inconsistent("the exchange says that there is more and does not give it"))
				return
			}
		}
	}
}

// wrongs iterates over what could not be read of a page.
func wrongs[T any](p exchange.Page[T]) iter.Seq[*exchange.RecordError[T]] {
	return func(yield func(*exchange.RecordError[T]) bool) {
		for _, r := range p.Quarantined {
			if !yield(&exchange.RecordError[T]{Quarantined: r}) {
				return
			}
		}
		for _, r := range p.Spared {
			if !yield(&exchange.RecordError[T]{Quarantined: r, Spared: true}) {
				return
			}
		}
	}
}
