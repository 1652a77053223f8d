package collector

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"

	"rebatedesk/exchange"
)

// maxPages is where a pass must have ended: half a million records, in the only
// window without a limit, which is one day. Tests set it.
var maxPages = 5_000

const (
	// maxPasses is how often a window is read before it is given up for this
	// run.
	maxPasses = 6
	// maxEmpty is how many empty pages in a row end a list that claims to
	// have more. One is not the end: it happens in the middle.
	maxEmpty = 3
)

// errTooLong asks for the window to be split.
var errTooLong = errors.New("the window holds too many pages")

// pageOf asks for one page, counted from 1.
type pageOf[T any] func(ctx context.Context, page int) (exchange.Page[T], error)

// asking is a fetch whose first success ends the probing.
func asking[T any](r *run, fetch pageOf[T]) pageOf[T] {
	return func(ctx context.Context, page int) (exchange.Page[T], error) {
		got, err := fetch(r.sparing(ctx), page)
		if err == nil || refusedRange(err) {
			r.probing = false
		}
		return got, err
	}
}

// listing reads a list of the exchange to its end, as often as it takes to
// believe it. T is a record, K what makes two records the same.
type listing[T any, K comparable] struct {
	fetch     pageOf[T]
	key       func(T) K
	unique    bool // the same key twice in one pass is a sign of moved pages
	mostPages int  // more announced pages than this are errTooLong; 0 = any number
}

// pass is one reading of the list from page 1 to its end.
type pass[T any] struct {
	records []T
	doubts  []string // why it may not be the whole and only the whole
	refused string   // why it cannot be: not even a second reading would help
}

// read returns the records of a pass that is coherent in itself, or on which
// two passes in a row agree. The pages of one pass are asked one after the
// other: a list that is read in parallel loses records.
func (l listing[T, K]) read(ctx context.Context) ([]T, error) {
	var before *pass[T]
	var reasons string
	for range maxPasses {
		now, err := l.pass(ctx)
		if err != nil {
			return nil, err
		}
		if now.refused == "" && (len(now.doubts) == 0 || before != nil && l.agree(now, before)) {
			return now.records, nil
		}
		before, reasons = now, now.why()
	}
	return nil, &exchange.Error{
		Class: exchange.ClassMalformed, Endpoint: "paging", Status: http.StatusOK,
		Message: fmt.Sprintf("the list did not hold still in %d readings (%s)", maxPasses, reasons),
		Hint:    "it is read again on the next run",
	}
}

// agree reports whether two passes found the same multiset of records.
func (l listing[T, K]) agree(p, o *pass[T]) bool {
	if o.refused != "" || len(p.records) != len(o.records) {
		return false
	}
	left := make(map[K]int, len(o.records))
	for _, record := range o.records {
		left[l.key(record)]++
	}
	for _, record := range p.records {
		k := l.key(record)
		if left[k] == 0 {
			return false
		}
		left[k]--
	}
	return true
}

func (p *pass[T]) why() string {
	if p.refused != "" {
		return p.refused
	}
	return p.doubts[len(p.doubts)-1]
}

func (p *pass[T]) doubt(format string, args ...any) {
	p.doubts = append(p.doubts, fmt.Sprintf(format, args...))
}

// pass reads the list once.
//
// Three things may lie: total, pages and an empty page. So the pass goes on
// while any of them, or a full page, says that there is more: a total cut off
// at a round number would otherwise look like the end. It is free of doubt when
// total was the same on every page and is just what was read, and no page
// overlaps another.
func (l listing[T, K]) pass(ctx context.Context) (*pass[T], error) {
	p := &pass[T]{}
	var before []K // the keys of the page before
	var announced, empty int
	pages := map[uint64]int{} // fingerprint of a page: its number
	known := map[K]bool{}     // keys so far, where they are unique
	seed := maphash.MakeSeed()
	total := -1
	for page := 1; ; page++ {
		if page > maxPages {
			return nil, endless()
		}
		got, err := l.fetch(ctx, page)
		if err != nil {
			return nil, err
		}
		if len(got.Records) > pageSize {
			return nil, overfull(len(got.Records))
		}
		announced = max(announced, announcedPages(got))
		if l.mostPages > 0 && (page > l.mostPages || page == 1 && announced > l.mostPages) {
			return nil, errTooLong
		}
		if page == 1 {
			total = got.Total
			p.records = make([]T, 0, min(max(total, 0), pagesPerWindow*pageSize))
		} else if got.Total != total {
			p.doubt("the total changed from %d to %d", total, got.Total)
			total = got.Total
		}
		keys := l.keys(got.Records)
		if earlier, again := l.fingerprint(seed, pages, keys, page); again {
			if page > announced && earlier == page-1 && len(p.records) == got.Total {
				return p, nil // all is read, and beyond the end the last page is answered once more
			}
			p.refused = fmt.Sprintf("page %d repeats page %d", page, earlier)
			return p, nil
		}
		if len(keys) > 0 && slices.Contains(before, keys[0]) {
			if err := l.checkMoved(ctx, p, before, keys, page); err != nil {
				return nil, err
			}
		}
		l.take(p, got.Records, keys, known, page)
		before = keys
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

// endless is the error of a list that goes on and on. It is not read again at
// once: another pass would cost as much and end nowhere either.
func endless() error {
	return &exchange.Error{
		Class: exchange.ClassMalformed, Endpoint: "paging", Status: http.StatusOK,
		Message: fmt.Sprintf("the list does not end within %d pages", maxPages),
		Hint:    "nothing of it was stored, and it is read again on the next run; report it if it stays",
	}
}

// overfull is the error of a page with more records than were asked for. What
// a page may hold is what bounds the memory of a reading.
func overfull(records int) error {
	return &exchange.Error{
		Class: exchange.ClassMalformed, Endpoint: "paging", Status: http.StatusOK,
		Message: fmt.Sprintf("a page has %d records, %d were asked for", records, pageSize),
		Hint:    "nothing of it was stored; report it if it stays",
	}
}

// announcedPages is how many pages the answer says there are, by whichever of
// its counts says more.
func announcedPages[T any](got exchange.Page[T]) int {
	size := sizeOf(got)
	return max(got.Pages, (got.Total+size-1)/size, 0)
}

// sizeOf is how many records a full page of the answer has.
func sizeOf[T any](got exchange.Page[T]) int {
	if got.PageSize < 1 || got.PageSize > pageSize {
		return pageSize // nothing said, or more than was asked for
	}
	return got.PageSize
}

// ended reports whether the page was the last one. Where there is no total, or
// one that is too low, only an empty page ends the list.
func (l listing[T, K]) ended(got exchange.Page[T], page, announced, empty, read int) bool {
	if empty >= maxEmpty {
		return true
	}
	if page < announced || read < got.Total {
		return false
	}
	return len(got.Records) == 0 || read == got.Total && len(got.Records) < sizeOf(got)
}

// checkMoved settles what it means that a page begins with a record of the page
// before it: two equal records that happen to lie on either side, or a list
// that moved by some places in between. The page before is asked once more; if
// it is what it was, nothing moved. A page that is the same all through may
// have been answered in place of the one asked for, so it is asked for again
// as well.
func (l listing[T, K]) checkMoved(ctx context.Context, p *pass[T], before, keys []K, page int) error {
	again, err := l.fetch(ctx, page-1)
	if err != nil {
		return err
	}
	if !slices.Equal(l.keys(again.Records), before) {
		p.doubt("the list moved between page %d and page %d", page-1, page)
	}
	if !slices.Equal(keys, before) {
		return nil
	}
	if again, err = l.fetch(ctx, page); err != nil {
		return err
	}
	if !slices.Equal(l.keys(again.Records), keys) {
		p.doubt("page %d was another one when it was asked for again", page)
	}
	return nil
}

// take adds the records of a page to the pass.
func (l listing[T, K]) take(p *pass[T], records []T, keys []K, known map[K]bool, page int) {
	if l.unique {
		for _, k := range keys {
			if known[k] {
				p.doubt("a record of page %d was read before", page)
			}
			known[k] = true
		}
	}
	p.records = append(p.records, records...)
}

func (l listing[T, K]) keys(records []T) []K {
	keys := make([]K, len(records))
	for i, record := range records {
		keys[i] = l.key(record)
	}
	return keys
}

// fingerprint reports whether a page with the very same records was read
// before. A full page of one record again and again proves nothing.
func (l listing[T, K]) fingerprint(seed maphash.Seed, seen map[uint64]int, keys []K, page int) (earlier int, again bool) {
	if len(keys) == 0 {
		return 0, false
	}
	var h maphash.Hash
	h.SetSeed(seed)
	varied := false
	for _, k := range keys {
		varied = varied || k != keys[0]
		maphash.WriteComparable(&h, k)
	}
	sum := h.Sum64()
	earlier, again = seen[sum]
	seen[sum] = page
	return earlier, again && (varied || len(keys) < pageSize)
}
