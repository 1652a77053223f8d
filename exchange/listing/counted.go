package listing

import (
	"context"
	"fmt"

	"rebatedesk/exchange"
)

// mostAgain is how often a list that moved is read again.
const mostAgain = 5

// Counted reads a list page by page whose records have no ids, so that two equal ones are two. It is
// trusted if the counts of its first and its last page agree, and agree with the records that were
// read; otherwise it is read again. Without counts it ends with an empty page.
type Counted[T any] struct {
	Fetch Fetch[T]
	Size  int    // records of a page
	Begin func() // called before each pass; may be nil
	Most  int    // more announced pages than this are [exchange.ErrTooLong]; 0 = no limit
}

// Read returns the records. With an error it returns what the last pass read.
func (l Counted[T]) Read(ctx context.Context) (got exchange.Reading[T], err error) {
	var doubt string
	for range mostAgain + 1 {
		if l.Begin != nil {
			l.Begin()
		}
		if got, doubt, err = l.pass(ctx); err != nil || doubt == "" {
			return got, err
		}
	}
	return got, unsteady(fmt.Sprintf("the list did not hold still in %d readings (%s)", mostAgain+1, doubt))
}

// pass reads the list once, and says why it may not be trusted.
func (l Counted[T]) pass(ctx context.Context) (got exchange.Reading[T], doubt string, err error) {
	var first exchange.Page[T]
	last := exchange.Page[T]{Total: -1, Pages: -1}
	for n := 1; ; n++ {
		if n > MaxPages {
			return got, "", unsteady(fmt.Sprintf("the list has no end after %d pages", MaxPages))
		}
		page, err := l.Fetch(ctx, n, l.Size)
		if err != nil {
			return got, "", err
		}
		if n == 1 {
			first = page
		}
		if l.Most > 0 && page.Pages > l.Most {
			return got, "", exchange.ErrTooLong
		}
		got.Add(page)
		if counted(page) {
			last = page
		}
		if page.Len() == 0 || counted(page) && n >= page.Pages && got.Len() >= page.Total {
			break
		}
	}
	switch {
	case !counted(first) && !counted(last):
	case first.Total != last.Total || first.Pages != last.Pages:
		doubt = fmt.Sprintf("it had %d records on %d pages, and at its end %d on %d", first.Total, first.Pages, last.Total, last.Pages)
	case last.Total >= 0 && last.Total != got.Len():
		doubt = fmt.Sprintf("it counts %d records and has %d", last.Total, got.Len())
	}
	return got, doubt, nil
}

func counted[T any](page exchange.Page[T]) bool { return page.Total >= 0 || page.Pages >= 0 }
