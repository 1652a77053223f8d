package listing

import (
	"context"
	"errors"
	"slices"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

// list is a list of the exchange in memory that moves and gives wrong answers by a script.
// A record is a number; equal numbers are equal records.
type list struct {
	records []int
	fresh   int // a number that no record has had yet
	fetches int
	states  [][]int // every state there was, each sorted

	before  func(fetch int)                                  // moves the list ahead of a fetch
	answer  func(fetch, page int, records []int) []int       // spoils what a page gives
	counted func(fetch int, p exchange.Page[int]) (int, int) // total and pages to state
	largest int                                              // records of a page; 0 = as many as are asked for
	stated  int                                              // page size to state; 0 = the true one
	beyond  func(page, last int) int                         // another page in place of one past the end
	hole    int                                              // a page that is always empty, the others move on; 0 = none
	order   func(page int, records []int) []int              // in which the list gives a page; nil = its own
	uncut   bool                                             // ties cannot be read apart
}

// errRunaway ends a reading that does not end by itself.
var errRunaway = errors.New("read on and on")

// ask counts a call.
func (l *list) ask() error {
	l.fetches++
	if l.fetches > 2000 {
		return errRunaway
	}
	if l.before != nil {
		l.before(l.fetches)
	}
	l.remember()
	return nil
}

func (l *list) fetch(_ context.Context, page, size int) (exchange.Page[int], error) {
	if err := l.ask(); err != nil {
		return exchange.Page[int]{}, err
	}
	p := l.page(page, size)
	if l.answer != nil {
		p.Records = l.answer(l.fetches, page, p.Records)
	}
	if l.counted != nil {
		p.Total, p.Pages = l.counted(l.fetches, p)
	}
	if l.stated != 0 {
		p.PageSize = l.stated
	}
	return p, nil
}

// cut answers about the records of one instant, which is the number of the record.
func (l *list) cut(_ context.Context, at affiliate.Millis) (p exchange.Page[int], err error) {
	if err := l.ask(); err != nil {
		return p, err
	}
	for _, record := range l.records {
		if instant(record) == at && len(p.Records) < CutSize {
			p.Records = append(p.Records, record)
		}
	}
	return p, nil
}

func instant(record int) affiliate.Millis { return affiliate.Millis(record) + 1 }

// page is the page as an honest exchange gives it.
func (l *list) page(page, size int) exchange.Page[int] {
	if l.largest != 0 {
		size = min(size, l.largest)
	}
	if size == 0 {
		size = PageSize
	}
	n := len(l.records)
	pages := (n + size - 1) / size
	if page > pages && l.beyond != nil {
		page = l.beyond(page, pages)
	}
	p := exchange.Page[int]{Pages: pages, PageSize: size, Total: n}
	switch {
	case page == l.hole:
		return p
	case l.hole > 0 && page > l.hole:
		page--
	}
	from := min((page-1)*size, n)
	records := l.records
	if l.order != nil {
		records = l.order(page, slices.Clone(records))
	}
	p.Records = slices.Clone(records[from:min(from+size, n)])
	return p
}

func (l *list) remember() {
	now := slices.Sorted(slices.Values(l.records))
	if len(l.states) == 0 || !slices.Equal(l.states[len(l.states)-1], now) {
		l.states = append(l.states, now)
	}
}

// read reads the list as the collector does.
func (l *list) read() ([]int, error) {
	l.fetches, l.states = 0, nil
	list := List[int, int]{Key: func(n int) int { return n }, Fetch: l.fetch}
	if !l.uncut {
		list.Ties = &Cuts[int]{At: instant, Ask: l.cut}
	}
	got, err := list.Read(context.Background())
	slices.Sort(got.Records)
	return got.Records, err
}

// existed reports whether the list ever consisted of exactly these records while it was
// read.
func (l *list) existed(records []int) bool {
	return slices.ContainsFunc(l.states, func(state []int) bool { return slices.Equal(state, records) })
}

// insert puts n records in at random places; now and then a twin of another.
func (l *list) insert(t *rapid.T, n int) {
	for range n {
		at := rapid.IntRange(0, len(l.records)).Draw(t, "insert at")
		record := l.fresh
		l.fresh++
		if at < len(l.records) && rapid.IntRange(0, 9).Draw(t, "twin") == 0 {
			record = l.records[at]
		}
		l.records = slices.Insert(l.records, at, record)
	}
}

// remove takes n records out from random places.
func (l *list) remove(t *rapid.T, n int) {
	for range min(n, len(l.records)) {
		at := rapid.IntRange(0, len(l.records)-1).Draw(t, "remove at")
		l.records = slices.Delete(l.records, at, at+1)
	}
}

// anyList draws a list of up to 1000 records, some of them twins, often with
// equal records on both sides of a page border.
func anyList(t *rapid.T) *list {
	n := rapid.OneOf(rapid.IntRange(0, 1000), rapid.SampledFrom([]int{0, 1, 99, 100, 101, 200, 300, 999, 1000})).Draw(t, "records")
	l := &list{fresh: n}
	for i := range n {
		l.records = append(l.records, i)
	}
	for _, at := range rapid.SliceOfN(rapid.IntRange(1, 1000), 0, 20).Draw(t, "twins") {
		if at < n {
			l.records[at] = l.records[at-1]
		}
	}
	for _, border := range rapid.SliceOfN(rapid.IntRange(1, 9), 0, 3).Draw(t, "borders between twins") {
		if at := border * PageSize; at < n {
			l.records[at] = l.records[at-1]
		}
	}
	return l
}
