package exchange

import (
	"iter"

	"rebatedesk/affiliate"
)

// maxIdle is how many pages in a row may bring nothing new before a promise of
// more is given up.
const maxIdle = 3

// byPage goes through pages that are counted from first, each record once: new
// records shift the old ones to the next page, where they come again.
//
// It goes on while a page is full or anything on it says that there is more,
// because totals are at times 0 with records there. Pages that bring nothing
// new end it, with an error where more was promised: a page number that the
// exchange does not understand gives the first page for ever.
func byPage[T any](e Endpoint, first, size int, ask func(page int) (Page[T], error), key func(T) string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		seen := map[string]bool{}
		for page, idle := first, 0; ; page++ {
			got, err := ask(page)
			if err != nil {
				yield(*new(T), err)
				return
			}
			known := len(seen)
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
			if !promised && (len(got.Records) < size || len(seen) == known && got.Next != "") {
				return
			}
			if len(seen) > known {
				idle = 0
			} else if idle++; idle == maxIdle {
				yield(*new(T), e.Nonsense("the exchange says that there is more and does not give it"))
				return
			}
		}
	}
}
