package listing

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"

	"rebatedesk/exchange"
)

// MaxPages is where a pass must have ended: half a million records, in one day, which is
// the only window without a limit. Tests change it.
var MaxPages = 5_000

// PageSize is how many records are requested at once.
const PageSize = 100

const (
	// readAtOnce is for how many records there is room at first.
	readAtOnce = 6000
	// maxPasses is how often a window is read before this run gives it up.
	maxPasses = 6
	// maxEmpty is how many consecutive empty pages end a list that claims to have more. One
	// empty page is not the end, because it can occur in the middle.
	maxEmpty = 3
)

// Fetch requests one page of a size, counted from 1.
type Fetch[T any] func(ctx context.Context, page, size int) (exchange.Page[T], error)

// List reads a list of an exchange to its end, as often as needed to trust it. T is a record, K
// the key by which two records are the same: an id where records have one, otherwise the whole
// record.
type List[T any, K comparable] struct {
	Fetch     Fetch[T]
	Key       func(T) K
	Begin     func()   // called before each pass; may be nil
	MostPages int      // more announced pages than this are [exchange.ErrTooLong]; 0 = no limit
	Ties      *Cuts[T] // nil = ties cannot be read apart
}

// pass is one reading of the list from page 1 to its end.
type pass[T any] struct {
	exchange.Reading[T]
	keys    map[uint64]tally
	ends    []pageEnd // of each page
	doubts  []string  // why it may be incomplete or contain too much
	refused string    // why it is invalid: even a second reading would not help
}

// pageEnd is how much was read up to the end of a page.
type pageEnd struct{ records, quarantined, spared int }

// Read returns the records of a pass that is coherent in itself, or on which two
// consecutive passes agree. The pages of one pass are requested one after the other, because
// a list read in parallel loses records.
//
// A pass that has equal records on different pages is coherent only if ties prove it.
func (l List[T, K]) Read(ctx context.Context) (exchange.Reading[T], error) {
	var before *pass[T]
	var reasons string
	hash := newHasher(l.Key)
	known := newTies(hash)
	for n := range maxPasses {
		if l.Begin != nil {
			l.Begin()
		}
		size := PageSize
		if known.begun {
			size = tieSizes[n]
		}
		now, err := l.pass(ctx, hash, size)
		if err != nil {
			return exchange.Reading[T]{}, err
		}
		crossing := now.crossing()
		switch {
		case now.refused != "":
		case len(crossing) == 0 && (len(now.doubts) == 0 || !known.begun && before != nil && now.agrees(before)):
			return now.Reading, nil
		case known.begun || len(crossing) > 0:
			if err := known.learn(ctx, l.Ties, now, crossing); err != nil {
				return exchange.Reading[T]{}, err
			}
			if proven, ok := known.proven(now); ok {
				return proven, nil
			}
		}
		before, reasons = now, now.why(crossing)
	}
	if known.begun {
		return exchange.Reading[T]{}, l.Ties.undecided(known, reasons)
	}
	return exchange.Reading[T]{}, unsteady(fmt.Sprintf("the list did not hold still in %d readings (%s)", maxPasses, reasons))
}

// unsteady returns the error for a list that cannot be trusted.
func unsteady(message string) *exchange.Error {
	return &exchange.Error{
		Class: exchange.ClassMalformed, Endpoint: "paging", Status: http.StatusOK,
		Message: message, Hint: "it is read again on the next run",
	}
}

// agrees reports whether two passes without ties found the same multiset of records.
func (p *pass[T]) agrees(o *pass[T]) bool {
	if o.refused != "" || len(o.crossing()) > 0 || len(p.keys) != len(o.keys) {
		return false
	}
	for key, t := range p.keys {
		if o.keys[key].all != t.all {
			return false
		}
	}
	return true
}

func (p *pass[T]) why(crossing []uint64) string {
	switch {
	case p.refused != "":
		return p.refused
	case len(p.doubts) > 0:
		return p.doubts[len(p.doubts)-1]
	case len(crossing) == 0:
		return "a reading before found other records"
	}
	return fmt.Sprintf("equal records stand on different pages, %d times", len(crossing))
}

func (p *pass[T]) doubt(format string, args ...any) {
	p.doubts = append(p.doubts, fmt.Sprintf(format, args...))
}

// pass reads the list once, by pages of a size.
//
// Three indicators may be wrong: total, pages and an empty page. The pass therefore
// continues while any of them, or a full page, says that more follows: a total truncated to
// a round number would otherwise look like the end. The pass is free of doubt if total was
// the same on every page and equals the number of records read.
func (l List[T, K]) pass(ctx context.Context, hash *hasher[T, K], size int) (*pass[T], error) {
	p := &pass[T]{keys: map[uint64]tally{}}
	var announced, empty int
	pages := map[uint64]int{} // page number by fingerprint
	total := -1
	for page := 1; ; page++ {
		if page > MaxPages {
			return nil, endless()
		}
		got, err := l.Fetch(ctx, page, size)
		if err != nil {
			return nil, err
		}
		if got.Len() > PageSize {
			return nil, overfull(got.Len())
		}
		announced = max(announced, announcedPages(got, size))
		if most := l.MostPages * PageSize / size; l.MostPages > 0 && (page > most || page == 1 && announced > most) {
			return nil, exchange.ErrTooLong
		}
		if page == 1 {
			total = got.Total
			p.Records = make([]T, 0, min(max(total, 0), readAtOnce))
		} else if got.Total != total {
			p.doubt("the total changed from %d to %d", total, got.Total)
			total = got.Total
		}
		keys := hash.page(got)
		if earlier, again := fingerprint(pages, keys, page, size); again {
			if page > announced && earlier == page-1 && p.Len() == got.Total {
				return p, nil // everything is read, and the last page is repeated beyond the end
			}
			p.refused = fmt.Sprintf("page %d repeats page %d", page, earlier)
			return p, nil
		}
		p.count(keys, page)
		p.Add(got)
		p.ends = append(p.ends, pageEnd{len(p.Records), len(p.Quarantined), len(p.Spared)})
		if got.Len() > 0 {
			empty = 0
		} else {
			empty++
		}
		if ended(got, page, announced, empty, p.Len(), size) {
			break
		}
	}
	if total != p.Len() {
		p.doubt("%d records were read, the total says %d", p.Len(), total)
	}
	return p, nil
}

// endless returns the error for a list that never ends. It is not read again at once,
// because another pass would cost as much and not end either.
func endless() error {
	return &exchange.Error{
		Class: exchange.ClassMalformed, Endpoint: "paging", Status: http.StatusOK,
		Message: fmt.Sprintf("the list does not end within %d pages", MaxPages),
		Hint:    "nothing of it was stored, and it is read again on the next run; report it if it stays",
	}
}

// overfull returns the error for a page with more records than requested. The page size
// limits the memory of a reading.
func overfull(records int) error {
	return &exchange.Error{
		Class: exchange.ClassMalformed, Endpoint: "paging", Status: http.StatusOK,
		Message: fmt.Sprintf("a page has %d records, %d were asked for", records, PageSize),
		Hint:    "nothing of it was stored; report it if it stays",
	}
}

// announcedPages returns how many pages the answer announces, by the larger of its counts.
func announcedPages[T any](got exchange.Page[T], asked int) int {
	size := sizeOf(got, asked)
	return max(got.Pages, (got.Total+size-1)/size, 0)
}

// sizeOf returns how many records a full page of the answer has.
func sizeOf[T any](got exchange.Page[T], asked int) int {
	if got.PageSize < 1 || got.PageSize > asked {
		return asked // not given, or more than requested
	}
	return got.PageSize
}

// ended reports whether the page was the last one. If total is missing or too low, only an
// empty page ends the list. An empty page ends it too where the total is reached, however many
// pages are announced.
func ended[T any](got exchange.Page[T], page, announced, empty, read, size int) bool {
	if empty >= maxEmpty || got.Len() == 0 && read == got.Total {
		return true
	}
	if page < announced || read < got.Total {
		return false
	}
	return got.Len() == 0 || read == got.Total && got.Len() < sizeOf(got, size)
}

// fingerprint reports whether a page with exactly the same records was read before. A full
// page of one repeated record proves nothing.
func fingerprint(seen map[uint64]int, keys []uint64, page, size int) (earlier int, again bool) {
	if len(keys) == 0 {
		return 0, false
	}
	sum := uint64(len(keys))
	for _, k := range keys {
		sum = (sum ^ k) * 0x9E3779B97F4A7C15
		sum ^= sum >> 29
	}
	earlier, again = seen[sum]
	seen[sum] = page
	varied := slices.ContainsFunc(keys, func(k uint64) bool { return k != keys[0] })
	return earlier, again && (varied || len(keys) < size)
}

// hasher makes keys of records, and of those that could not be read, short.
type hasher[T any, K comparable] struct {
	key               func(T) K
	read, quarantined maphash.Seed
}

func newHasher[T any, K comparable](key func(T) K) *hasher[T, K] {
	return &hasher[T, K]{key: key, read: maphash.MakeSeed(), quarantined: maphash.MakeSeed()}
}

func (h *hasher[T, K]) record(record T) uint64 { return maphash.Comparable(h.read, h.key(record)) }

// page returns the keys of a page: of its records, then of those that could not be read.
func (h *hasher[T, K]) page(got exchange.Page[T]) []uint64 {
	keys := make([]uint64, 0, got.Len())
	for _, record := range got.Records {
		keys = append(keys, h.record(record))
	}
	for _, r := range got.Quarantined {
		keys = append(keys, maphash.String(h.quarantined, r.Raw))
	}
	return keys
}
