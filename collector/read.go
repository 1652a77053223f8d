package collector

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"

	"rebatedesk/exchange"
)

// How often a window is read before it is given up for this run, and where a
// single pass must have ended.
const (
	maxPasses = 6
	maxPages  = 20_000
	// maxEmpty is how many empty pages in a row end a list that claims to
	// have more. One is not the end: it happens in the middle.
	maxEmpty = 3
)

// errTooLong asks for the window to be split.
var errTooLong = errors.New("the window holds too many pages")

// pageOf asks for one page, counted from 1.
type pageOf[T any] func(ctx context.Context, page int) (exchange.Page[T], error)

// listing reads a list of the exchange to its end, as often as it takes to
// believe it. T is a record, K what makes two records the same.
type listing[T any, K comparable] struct {
	fetch     pageOf[T]
	key       func(T) K
	unique    bool // the same key twice in one pass is a sign of moved pages
	mostPages int  // more announced pages than this are errTooLong; 0 = any number
}

// pass is one reading of the list from page 1 to its end.
type pass[T any, K comparable] struct {
	records []T
	count   map[K]int
	doubts  []string // why it may not be the whole and only the whole
	refused string   // why it cannot be: not even a second reading would help
}

// read returns the records of a pass that is coherent in itself, or on which
// two passes in a row agree. The pages of one pass are asked one after the
// other: a list that is read in parallel loses records.
func (l listing[T, K]) read(ctx context.Context) ([]T, error) {
	var before *pass[T, K]
	var reasons string
	for range maxPasses {
		now, err := l.pass(ctx)
		if err != nil {
			return nil, err
		}
		if now.refused == "" && (len(now.doubts) == 0 || before != nil && now.agrees(before)) {
			return now.records, nil
		}
		before, reasons = now, now.why()
	}
	return nil, &exchange.Error{
		Class: exchange.ClassMalformed, Endpoint: "paging",
		Message: fmt.Sprintf("the list did not hold still in %d readings (%s)", maxPasses, reasons),
		Mend:    "it is read again on the next run",
	}
}

// agrees reports whether two passes found the same multiset of records.
func (p *pass[T, K]) agrees(o *pass[T, K]) bool {
	if o.refused != "" || len(p.records) != len(o.records) || len(p.count) != len(o.count) {
		return false
	}
	for k, n := range p.count {
		if o.count[k] != n {
			return false
		}
	}
	return true
}

func (p *pass[T, K]) why() string {
	if p.refused != "" {
		return p.refused
	}
	return p.doubts[len(p.doubts)-1]
}

func (p *pass[T, K]) doubt(format string, args ...any) {
	p.doubts = append(p.doubts, fmt.Sprintf(format, args...))
}

// pass reads the list once.
//
// Three things may lie: total, pages and an empty page. So the pass goes on
// while any of them says that there is more, and ends on the first page that
// is not full when none does. It is free of doubt when total was the same on
// every page and is just what was read, and no page overlaps another.
func (l listing[T, K]) pass(ctx context.Context) (*pass[T, K], error) {
	p := &pass[T, K]{count: map[K]int{}}
	var previous map[K]bool
	var announced, empty int
	seen := map[uint64]int{} // fingerprint of a page: its number
	seed := maphash.MakeSeed()
	total := -1
	for page := 1; ; page++ {
		if page > maxPages {
			p.refused = fmt.Sprintf("it does not end within %d pages", maxPages)
			return p, nil
		}
		got, err := l.fetch(ctx, page)
		if err != nil {
			return nil, err
		}
		announced = max(announced, announcedPages(got))
		if page == 1 {
			total = got.Total
			if l.mostPages > 0 && announced > l.mostPages {
				return nil, errTooLong
			}
		} else if got.Total != total {
			p.doubt("the total changed from %d to %d", total, got.Total)
			total = got.Total
		}
		if earlier, again := l.fingerprint(seed, seen, got.Records, page); again {
			p.refused = fmt.Sprintf("page %d repeats page %d", page, earlier)
			return p, nil
		}
		previous = l.take(p, got.Records, previous, page)
		if len(got.Records) > 0 {
			empty = 0
		} else {
			empty++
		}
		if l.ended(got, page, announced, empty, len(p.records)) {
			break
		}
	}
	if total != len(p.records) {
		p.doubt("%d records were read, the total says %d", len(p.records), total)
	}
	return p, nil
}

// announcedPages is how many pages the answer says there are, by whichever of
// its counts says more.
func announcedPages[T any](got exchange.Page[T]) int {
	size := got.PageSize
	if size < 1 {
		size = pageSize
	}
	return max(got.Pages, (got.Total+size-1)/size, 0)
}

// ended reports whether the page was the last one.
func (l listing[T, K]) ended(got exchange.Page[T], page, announced, empty, read int) bool {
	size := got.PageSize
	if size < 1 {
		size = pageSize
	}
	switch {
	case empty >= maxEmpty:
		return true
	case page < announced:
		return false
	case len(got.Records) == 0:
		return true
	case got.Total >= 0 && read > got.Total:
		return false // the total is too low: only an empty page ends the list
	case len(got.Records) < size:
		return true
	}
	return got.Total == read
}

// take adds the records of a page to the pass. When its first record already
// stood on the page before, the list may have moved by some places; when it is
// unique by nature and occurs again, it has.
func (l listing[T, K]) take(p *pass[T, K], records []T, previous map[K]bool, page int) map[K]bool {
	here := make(map[K]bool, len(records))
	for i, record := range records {
		k := l.key(record)
		if i == 0 && previous[k] {
			p.doubt("page %d begins with a record of page %d", page, page-1)
		}
		if l.unique && p.count[k] > 0 {
			p.doubt("a record of page %d was read before", page)
		}
		here[k] = true
		p.count[k]++
	}
	p.records = append(p.records, records...)
	return here
}

// fingerprint reports whether a page with the very same records was read
// before. A page full of one record repeated proves nothing.
func (l listing[T, K]) fingerprint(seed maphash.Seed, seen map[uint64]int, records []T, page int) (earlier int, again bool) {
	if len(records) == 0 {
		return 0, false
	}
	var h maphash.Hash
	h.SetSeed(seed)
	first, varied := l.key(records[0]), false
	for _, record := range records {
		k := l.key(record)
		varied = varied || k != first
		maphash.WriteComparable(&h, k)
	}
	sum := h.Sum64()
	earlier, again = seen[sum]
	seen[sum] = page
	return earlier, again && (varied || len(records) == 1 && l.unique)
}
