package wire

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
)

// FullPage is the number of records on a full page.
const FullPage = 100

// Page is one page of records, in the exchange's order. The counts are the exchange's,
// right or wrong; -1 or empty if it gave none. Records is empty only if the exchange said
// that there are no records.
type Page[T any] struct {
	Records  []T
	Pages    int // of the whole result
	PageSize int
	Total    int // records of the whole result

	Next affiliate.Flag // whether there is another page
}

// DataList is the name of the list if the payload is only a list.
const DataList = "data"

// PageReader is the payload of the endpoints that answer with records: counts and one list,
// either outermost or inside "data", or only the list.
type PageReader[T any] struct {
	Page   Page[T]
	key    string             // the list's own name; "list" and "records" are taken too
	record func(*Decoder, *T) // reads one record and records its faults
	Lists  int                // number of lists found
	data   bool               // inside of "data"
	Alone  bool               // the list may appear without any envelope

	Number, Size int  // the requested page number and size; 0 if an endpoint has no pages
	null         bool // the list is null
	foreign      bool // another value may hold the records
}

// NewPageReader returns a reader of a page whose list is called key. record reads one
// record, as [ReadRow] does.
func NewPageReader[T any](key string, record func(*Decoder, *T)) *PageReader[T] {
	return &PageReader[T]{
		Page: Page[T]{Pages: -1, PageSize: -1, Total: -1},
		key:  key, record: record,
	}
}

func (p *PageReader[T]) member(r *Decoder) {
	switch name := r.name; {
	case string(name) == p.key, string(name) == "list", string(name) == "records":
		p.list(r)
	case string(name) == "total", string(name) == "totals":
		p.Page.Total = simple(r, parseCount)
	case string(name) == "pages":
		p.Page.Pages = simple(r, parseCount)
	case string(name) == "pageSize", string(name) == "size":
		p.Page.PageSize = simple(r, parseCount)
	case string(name) == "nextPage", string(name) == "hasNextPage":
		p.Page.Next = r.next()
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
func (p *PageReader[T]) list(r *Decoder) {
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
	p.Lists++
	r.token()
	if r.kind() == jsontext.KindBeginObject {
		p.Page.Records = make([]T, 0, FullPage)
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
			p.Page.Records = append(p.Page.Records, *new(T))
			p.record(r, &p.Page.Records[len(p.Page.Records)-1])
		}
	}
	r.record = 0
	if r.fault != nil {
		p.Page.Records = nil
	}
}

func (p *PageReader[T]) bare(r *Decoder) {
	if p.Alone {
		p.list(r)
		return
	}
	r.skip()
}

// complete requires one list, or counts that prove that there are no records. Two lists
// would be ambiguous.
func (p *PageReader[T]) complete(r *Decoder) {
	switch p.Lists {
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

// positive reports whether an answer without a list states the number of records. With a
// success code one count is enough. A bare object may come from another service, so it must
// resemble a page: with the list's name, or with a page size.
func (p *PageReader[T]) positive(r *Decoder) bool {
	counted := p.Page.Total >= 0 || p.Page.Pages >= 0
	return counted && (r.success || p.null || p.Page.Total >= 0 && p.Page.PageSize >= 0)
}

// promised reports whether any count says that there are records on the page. For an
// empty result some answers count one page, others none.
func (p *PageReader[T]) promised() bool {
	number, size := max(p.Number, 1), p.Size
	if p.Page.PageSize > 0 && (size == 0 || p.Page.PageSize < size) {
		size = p.Page.PageSize
	}
	return p.Page.Total > (number-1)*size ||
		p.Page.Pages >= number && !(p.Page.Total == 0 && p.Page.Pages == 1) ||
		p.Page.Next == affiliate.FlagOf(true)
}

func (p *PageReader[T]) withoutList() string {
	return fmt.Sprintf("missing, though there are records on page %d (total %d, pages %d)", max(p.Number, 1), p.Page.Total, p.Page.Pages)
}
