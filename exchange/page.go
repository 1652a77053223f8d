package exchange

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
)

// usualRecords is how many records a full page has.
const usualRecords = 100

// Page is one page of records, in the order the exchange gave them. What it
// says about the whole is what the exchange said, right or wrong; -1 or empty
// where it said nothing. An empty Records is the exchange's word that there are none.
type Page[T any] struct {
	Records  []T
	Pages    int // of the whole result
	PageSize int
	Total    int // records of the whole result

	Next affiliate.Flag // whether there is another page
}

// dataList is the name of the list where the payload is nothing else.
const dataList = "data"

// pageReader is the payload of the endpoints that answer with records: counts
// and one list, either outermost or inside "data", or the list alone.
type pageReader[T any] struct {
	page   Page[T]
	key    string            // the list's own name; "list" and "records" are taken too
	record func(*reader, *T) // reads one record, noting faults
	lists  int               // how many lists there were
	data   bool              // inside of "data"
	alone  bool              // the list may stand without any envelope

	number, size int  // which page was asked for, and how long; 0 where an endpoint has no pages
	null         bool // the list's name stands there with null
	foreign      bool // something else stands there that may hold the records
}

func newPageReader[T any](key string, record func(*reader, *T)) *pageReader[T] {
	return &pageReader[T]{
		page: Page[T]{Pages: -1, PageSize: -1, Total: -1},
		key:  key, record: record,
	}
}

func (p *pageReader[T]) member(r *reader) {
	switch name := r.name; {
	case string(name) == p.key, string(name) == "list", string(name) == "records":
		p.list(r)
	case string(name) == "total", string(name) == "totals":
		p.page.Total = simple(r, parseCount)
	case string(name) == "pages":
		p.page.Pages = simple(r, parseCount)
	case string(name) == "pageSize", string(name) == "size":
		p.page.PageSize = simple(r, parseCount)
	case string(name) == "nextPage", string(name) == "hasNextPage":
		p.page.Next = r.next()
	case string(name) == "data" && !p.data && r.kind() == jsontext.KindBeginObject:
		p.data = true
		r.token()
		for r.members() {
			p.member(r)
		}
	case r.kind() == jsontext.KindBeginArray:
		p.foreign = r.skipArray() || p.foreign
	case string(name) == "data" && !p.data && r.kind() != jsontext.KindNull:
		p.foreign = true
		r.skip()
	default:
		r.skip()
	}
}

var errNoRecord = errors.New("is not a record")

// list reads the records, up to the first fault.
func (p *pageReader[T]) list(r *reader) {
	switch r.kind() {
	case jsontext.KindBeginArray:
	case jsontext.KindNull:
		p.null = true
		r.skip()
		return
	default:
		p.foreign = true
		r.skip()
		return
	}
	p.lists++
	r.token()
	if r.kind() == jsontext.KindBeginObject {
		p.page.Records = make([]T, 0, usualRecords)
	}
	for r.elements() {
		r.record++
		switch {
		case r.fault != nil:
			r.skip()
		case r.kind() != jsontext.KindBeginObject:
			r.skip()
			r.wrong(errNoRecord)
		default:
			p.page.Records = append(p.page.Records, *new(T))
			p.record(r, &p.page.Records[len(p.page.Records)-1])
		}
	}
	r.record = 0
	if r.fault != nil {
		p.page.Records = nil
	}
}

func (p *pageReader[T]) bare(r *reader) {
	if p.alone {
		p.list(r)
		return
	}
	r.skip()
}

// complete insists on one list, or on counts that allow for none: without them
// nobody has said that there are no records. Of two lists it is open which one
// counts.
func (p *pageReader[T]) complete(r *reader) {
	switch p.lists {
	case 0:
		switch {
		case p.foreign || !p.positive(r):
			r.missing(p.key)
		case p.promised():
			r.note(p.key, p.withoutList())
		}
	case 1:
	default:
		r.note(p.key, "stands beside another list")
	}
}

// positive reports whether an answer without a list says how many records there
// are. Behind a code of success one count is enough. A bare object, which may be
// the answer of somebody else, has to look like a page: with the list's name, or
// with the size of a page.
func (p *pageReader[T]) positive(r *reader) bool {
	counted := p.page.Total >= 0 || p.page.Pages >= 0
	return counted && (r.success || p.null || p.page.Total >= 0 && p.page.PageSize >= 0)
}

// promised reports whether any of the counts says that there are records on the
// page. One page of no records is what some count where others count none.
func (p *pageReader[T]) promised() bool {
	number, size := max(p.number, 1), p.size
	if p.page.PageSize > 0 && (size == 0 || p.page.PageSize < size) {
		size = p.page.PageSize
	}
	return p.page.Total > (number-1)*size ||
		p.page.Pages >= number && !(p.page.Total == 0 && p.page.Pages == 1) ||
		p.page.Next == affiliate.FlagOf(true)
}

func (p *pageReader[T]) withoutList() string {
	return fmt.Sprintf("missing, though there are records on page %d (total %d, pages %d)", max(p.number, 1), p.page.Total, p.page.Pages)
}
