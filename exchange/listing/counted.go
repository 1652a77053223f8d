package listing

import (
	"context"
	"fmt"

	"rebatedesk/exchange"
)

// mostAgain is how often a list that moved is read again.
const mostAgain = 5

// Counted reads a list page by page. It is trusted if the counts of its first and its last page agree, and
// agree with the records that were read; otherwise it is read again. Without counts it ends with an empty
// page, or with a short one that comes again where page numbers are ignored. Where only pages are counted, a page amid others that is empty or shorter than the first one is a
// doubt too, and so is a record that comes twice; two passes that find exactly that are believed.
type Counted[T any] struct {
	Fetch Fetch[T]
	Key   func(T) string // names a record; nil = records have no ids, so that two equal ones are two
	Size  int            // records of a page
	Begin func()         // called before each pass; may be nil
	Most  int            // more announced pages than this are [exchange.ErrTooLong]; 0 = no limit
}

// doubt is why a pass may not be trusted.
type doubt struct {
	words string
	may   bool // it may be how the list is: the same again is believed
}

// Read returns the records. With an error it returns what the last pass read.
func (l Counted[T]) Read(ctx context.Context) (got exchange.Reading[T], err error) {
	var now, before doubt
	for range mostAgain + 1 {
		if l.Begin != nil {
			l.Begin()
		}
		if got, now, err = l.pass(ctx); err != nil || now == (doubt{}) || now.may && now == before {
			return got, err
		}
		before = now
	}
	return got, unsteady(fmt.Sprintf("the list did not hold still in %d readings (%s)", mostAgain+1, now.words))
}

// pass reads the list once, and says why it may not be trusted.
func (l Counted[T]) pass(ctx context.Context) (got exchange.Reading[T], why doubt, err error) {
	var sizes []int
	seen, twice := map[string]bool{}, 0
	var first, before exchange.Page[T]
	last := exchange.Page[T]{Total: -1, Pages: -1}
	for n := 1; ; n++ {
		if n > MaxPages {
			return got, why, unsteady(fmt.Sprintf("the list has no end after %d pages", MaxPages))
		}
		page, err := l.Fetch(ctx, n, l.Size)
		if err != nil {
			return got, why, err
		}
		if n == 1 {
			first = page
		}
		if l.Most > 0 && page.Pages > l.Most {
			return got, why, exchange.ErrTooLong
		}
		if n > 1 && page.Len() > 0 && !counted(page) && !counted(before) && same(page, before) {
			if page.Len() >= l.Size {
				why.words = fmt.Sprintf("its full page %d is the page before again", n)
			}
			break
		}
		before = page
		got.Add(page)
		sizes = append(sizes, page.Len())
		for _, record := range page.Records {
			if l.Key == nil {
				break
			}
			if key := l.Key(record); seen[key] {
				twice++
			} else {
				seen[key] = true
			}
		}
		if counted(page) {
			last = page
		}
		if page.Len() == 0 && n >= page.Pages || page.Len() == 0 && page.Total >= 0 || counted(page) && n >= page.Pages && got.Len() >= page.Total {
			break
		}
	}
	switch {
	case why != (doubt{}):
	case !counted(first) && !counted(last):
	case first.Total != last.Total || first.Pages != last.Pages:
		why.words = fmt.Sprintf("it had %d records on %d pages, and at its end %d on %d", first.Total, first.Pages, last.Total, last.Pages)
	case last.Total >= 0 && last.Total != got.Len():
		why.words = fmt.Sprintf("it counts %d records and has %d", last.Total, got.Len())
	case last.Total < 0 && gaps(sizes, last.Pages):
		why = doubt{fmt.Sprintf("it counts %d pages, which have %d records", last.Pages, sizes), true}
	}
	if why == (doubt{}) && twice > 0 {
		why = doubt{fmt.Sprintf("%d of its %d records came twice", twice, got.Len()), true}
	}
	return got, why, nil
}

// gaps reports whether pages that were counted lack records: the last of several is empty, or one before
// it is shorter than the first.
func gaps(sizes []int, pages int) bool {
	for n, size := range sizes {
		if n > 0 && n < pages && (size == 0 || n < pages-1 && size < sizes[0]) {
			return true
		}
	}
	return false
}

func counted[T any](page exchange.Page[T]) bool { return page.Total >= 0 || page.Pages >= 0 }
