package simulator

import (
	"slices"

	"rebatedesk/affiliate"
)

// rememberedListings limits how many requested windows are remembered.
const rememberedListings = 512

// listing is one window that is read page by page, as often as the client wants. It carries
// the fault that was drawn for it.
type listing struct {
	drawn    bool
	fault    Fault
	page     int  // at which the fault happens
	delta    int  // error of the total or of the pages
	fired    bool // content faults and changes happen once
	readings int  // how often page 1 was requested
	next     int  // the page that continues a coherent reading; 0: the reading is spoiled
}

// listings holds the requested windows and what has been read of the truth.
type listings struct {
	seen    map[listingKey]*listing
	order   []listingKey
	settled map[affiliate.Stream]intervals
	months  map[changedMonth]bool
	changes int
}

// listingKey identifies a listing: every field of a query except the page.
type listingKey struct {
	stream   affiliate.Stream
	from, to int64
	size     int
}

// changedMonth is a UTC month of a stream in which the truth was changed.
type changedMonth struct {
	stream affiliate.Stream
	month  int
}

func newListings() *listings {
	return &listings{
		seen:    map[listingKey]*listing{},
		settled: map[affiliate.Stream]intervals{},
		months:  map[changedMonth]bool{},
	}
}

// of finds or creates the listing of a query, and forgets the oldest one.
func (l *listings) of(q query) *listing {
	key := listingKey{q.stream, q.from, q.to, q.size}
	if known := l.seen[key]; known != nil {
		return known
	}
	if len(l.order) >= rememberedListings {
		delete(l.seen, l.order[0])
		l.order = slices.Delete(l.order, 0, 1)
	}
	fresh := &listing{}
	l.seen[key], l.order = fresh, append(l.order, key)
	return fresh
}

// asked records the requested page. A coherent reading begins at page 1 and continues page
// by page; repeating the request for a page does not spoil it.
func (l *listing) asked(page int) {
	if page == 1 {
		l.readings++
		l.next = 1
	}
}

// answered records that a page was sent, and reports whether it completes a coherent
// reading.
func (l *listing) answered(q query, total int) bool {
	if l.next == 0 || q.page != l.next {
		return false
	}
	l.next++
	return q.page*q.size >= total
}

// draw decides, at the first page, which fault the listing gets: only one that fits its
// number of pages.
func (s lister) draw(l *listing, q query, total int) {
	if l.drawn || q.page != 1 {
		return
	}
	l.drawn = true
	pages := pagesOf(total, q.size)
	l.fault = s.triggers.first(q.path, func(f Fault) bool { return s.hasRoom(f, q, total, pages) })
	if l.fault == "" {
		return
	}
	r := s.triggers.random
	span := 1 + r.IntN(max(1, min(total/2, 150)))
	switch l.fault {
	case TotalLow:
		l.delta = -span
	case TotalHigh, TotalChanging:
		l.delta = span
	case WrongPages:
		l.delta = [...]int{-1, 1, 2, 7}[r.IntN(4)]
	case EmptyPage:
		l.page = 2 + r.IntN(pages-2)
	default:
		l.page = 2 + r.IntN(pages-1)
	}
}

// hasRoom reports whether a fault is possible in a listing.
func (s lister) hasRoom(f Fault, q query, total, pages int) bool {
	switch f {
	case TotalLow:
		return total > 1
	case TotalHigh, TotalChanging, WrongPages:
		return total > 0
	case RepeatedPage:
		return pages > 1
	case EmptyPage:
		return pages > 2
	case Inserted, Revised:
		return pages > 1
	case Removed:
		// The exchange forgets no user.
		return pages > 1 && q.stream.Kind != affiliate.Invitees
	case Late:
		return pages > 1 && q.to >= s.now()-2*day
	}
	return false
}

// ofListings reports whether a fault belongs to listings.
func ofListings(f Fault) bool {
	return !slices.Contains(transportFaults, f) && !slices.Contains(wordingFaults, f)
}

// shown returns the totals as the answer states them.
func (s lister) shown(l *listing, q query, total int) (shownTotal, shownPages int) {
	shownTotal, shownPages = total, pagesOf(total, q.size)
	if l == nil || total == 0 {
		return shownTotal, shownPages
	}
	switch l.fault {
	case TotalLow, TotalHigh, TotalChanging:
		delta := l.delta
		if l.fault == TotalChanging && l.readings <= 2 {
			delta += s.triggers.random.IntN(50)
		}
		shownTotal = max(1, total+delta)
		shownPages = pagesOf(shownTotal, q.size)
	case WrongPages:
		shownPages = max(0, shownPages+l.delta)
	default:
		return shownTotal, shownPages
	}
	s.stats.Faults[l.fault]++
	return shownTotal, shownPages
}

func pagesOf(total, size int) int { return (total + size - 1) / size }

// intervals are closed stretches of time, sorted and disjoint.
type intervals []interval

type interval struct{ from, to int64 }

// with adds a stretch and joins the stretches that touch it.
func (all intervals) with(added interval) intervals {
	var joined intervals
	for _, i := range all {
		if i.to < added.from-1 || i.from > added.to+1 {
			joined = append(joined, i)
			continue
		}
		added = interval{min(i.from, added.from), max(i.to, added.to)}
	}
	at, _ := slices.BinarySearchFunc(joined, added, func(a, b interval) int { return int(a.from - b.from) })
	return slices.Insert(joined, at, added)
}

func (all intervals) contain(at int64) bool {
	return slices.ContainsFunc(all, func(i interval) bool { return at >= i.from && at <= i.to })
}
