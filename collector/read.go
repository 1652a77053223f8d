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

// maxPages is where a pass must have ended: half a million records, in one day, which is
// the only window without a limit. Tests change it.
var maxPages = 5_000

const (
	// maxPasses is how often a window is read before this run gives it up.
	maxPasses = 6
	// maxEmpty is how many consecutive empty pages end a list that claims to have more. One
	// empty page is not the end, because it can occur in the middle.
	maxEmpty = 3
)

// errTooLong means that the window must be split.
var errTooLong = errors.New("the window holds too many pages")

// pageOf requests one page, counted from 1.
type pageOf[T any] func(ctx context.Context, page int) (exchange.Page[T], error)

// asking returns a fetch whose first success ends the probing.
func asking[T any](r *run, fetch pageOf[T]) pageOf[T] {
	return func(ctx context.Context, page int) (exchange.Page[T], error) {
		got, err := fetch(r.sparing(ctx), page)
		r.answered(err)
		return got, err
	}
}

// answered ends the probing if the exchange gave a valid answer, even a refusal.
func (r *run) answered(err error) {
	if err == nil || refusedRange(err) || refusedAccess(err) {
		r.probing = false
	}
}

// listing reads a list of the exchange to its end, as often as needed to trust it. T is a
// record, K the key by which two records are the same.
type listing[T any, K comparable] struct {
	fetch     pageOf[T]
	key       func(T) K
	begin     func() // called before each pass; may be nil
	unique    bool   // the same key twice in one pass indicates moved pages
	mostPages int    // more announced pages than this are errTooLong; 0 = no limit
}

// pass is one reading of the list from page 1 to its end.
type pass[T any] struct {
	records []T
	doubts  []string // why it may be incomplete or contain too much
	moved   bool     // the list is known to have moved, so that the pass may mix two states
	refused string   // why it is invalid: even a second reading would not help
}

// read returns the records of a pass that is coherent in itself, or on which two
// consecutive passes agree. Two passes during which the list moves can agree on a mixture of
// states, so the later one must not be known to have moved. The pages of one pass are
// requested one after the other, because a list read in parallel loses records.
func (l listing[T, K]) read(ctx context.Context) ([]T, error) {
	var before *pass[T]
	var reasons string
	for range maxPasses {
		if l.begin != nil {
			l.begin()
		}
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
	return !p.moved && o.refused == "" && sameKeys(l.keys(p.records), l.keys(o.records))
}

// sameKeys reports whether two lists have the same keys, in any order.
func sameKeys[K comparable](a, b []K) bool {
	if len(a) != len(b) {
		return false
	}
	left := make(map[K]int, len(b))
	for _, k := range b {
		left[k]++
	}
	for _, k := range a {
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
// Three indicators may be wrong: total, pages and an empty page. The pass therefore
// continues while any of them, or a full page, says that more follows: a total truncated to
// a round number would otherwise look like the end. The pass is free of doubt if total was
// the same on every page and equals the number of records read, and no page overlaps
// another.
func (l listing[T, K]) pass(ctx context.Context) (*pass[T], error) {
	p := &pass[T]{}
	var before []K // keys of the previous page
	var announced, empty int
	pages := map[uint64]int{} // page number by fingerprint
	known := map[K]bool{}     // keys so far, if they are unique
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
				return p, nil // everything is read, and the last page is repeated beyond the end
			}
			p.refused = fmt.Sprintf("page %d repeats page %d", page, earlier)
			return p, nil
		}
		if len(keys) > 0 && slices.Contains(before, keys[0]) {
			if err := l.checkMoved(ctx, p, before, keys, page, total); err != nil {
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

// endless returns the error for a list that never ends. It is not read again at once,
// because another pass would cost as much and not end either.
func endless() error {
	return &exchange.Error{
		Class: exchange.ClassMalformed, Endpoint: "paging", Status: http.StatusOK,
		Message: fmt.Sprintf("the list does not end within %d pages", maxPages),
		Hint:    "nothing of it was stored, and it is read again on the next run; report it if it stays",
	}
}

// overfull returns the error for a page with more records than requested. The page size
// limits the memory of a reading.
func overfull(records int) error {
	return &exchange.Error{
		Class: exchange.ClassMalformed, Endpoint: "paging", Status: http.StatusOK,
		Message: fmt.Sprintf("a page has %d records, %d were asked for", records, pageSize),
		Hint:    "nothing of it was stored; report it if it stays",
	}
}

// announcedPages returns how many pages the answer announces, by the larger of its counts.
func announcedPages[T any](got exchange.Page[T]) int {
	size := sizeOf(got)
	return max(got.Pages, (got.Total+size-1)/size, 0)
}

// sizeOf returns how many records a full page of the answer has.
func sizeOf[T any](got exchange.Page[T]) int {
	if got.PageSize < 1 || got.PageSize > pageSize {
		return pageSize // not given, or more than requested
	}
	return got.PageSize
}

// ended reports whether the page was the last one. If total is missing or too low, only an
// empty page ends the list.
func (l listing[T, K]) ended(got exchange.Page[T], page, announced, empty, read int) bool {
	if empty >= maxEmpty {
		return true
	}
	if page < announced || read < got.Total {
		return false
	}
	return len(got.Records) == 0 || read == got.Total && len(got.Records) < sizeOf(got)
}

// checkMoved decides why a page begins with a record of the previous page: two equal
// records happen to lie on either side, or the list moved in between. The previous page is
// requested again; if it is unchanged, nothing moved. A page that equals the previous one
// completely may have been returned instead of the requested page, so it is requested again
// as well. Each answer also tells the total at its moment.
func (l listing[T, K]) checkMoved(ctx context.Context, p *pass[T], before, keys []K, page, total int) error {
	again, err := l.fetch(ctx, page-1)
	if err != nil {
		return err
	}
	if again.Total != total {
		p.doubt("the total changed from %d to %d", total, again.Total)
	}
	if now := l.keys(again.Records); !slices.Equal(now, before) {
		p.doubt("the list moved between page %d and page %d", page-1, page)
		p.moved = p.moved || !sameKeys(now, before)
	}
	if !slices.Equal(keys, before) {
		return nil
	}
	if again, err = l.fetch(ctx, page); err != nil {
		return err
	}
	if again.Total != total {
		p.doubt("the total changed from %d to %d", total, again.Total)
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

// fingerprint reports whether a page with exactly the same records was read before. A full
// page of one repeated record proves nothing.
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
