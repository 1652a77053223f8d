package exchange

import (
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
	key    string          // the list's own name; "list" and "records" are taken too
	record func(*reader) T // reads one record, noting faults
	lists  int             // how many lists there were
	data   bool            // inside of "data"
	alone  bool            // the list may stand without any envelope
}

func newPageReader[T any](key string, record func(*reader) T) *pageReader[T] {
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
		p.page.Total = r.count()
	case string(name) == "pages":
		p.page.Pages = r.count()
	case string(name) == "pageSize", string(name) == "size":
		p.page.PageSize = r.count()
	case string(name) == "nextPage", string(name) == "hasNextPage":
		p.page.Next = r.next()
	case string(name) == "data" && !p.data && r.kind() == jsontext.KindBeginObject:
		p.data = true
		r.token()
		for r.members() {
			p.member(r)
		}
	default:
		r.skip()
	}
}

// list reads the records. It stops keeping them at the first fault, so that
// eight megabytes of empty objects do not become a gigabyte of records.
func (p *pageReader[T]) list(r *reader) {
	if r.kind() != jsontext.KindBeginArray {
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
		if r.kind() != jsontext.KindBeginObject {
			r.skip()
			r.wrong("is not a record")
			continue
		}
		if rec := p.record(r); r.keep() {
			p.page.Records = append(p.page.Records, rec)
		}
	}
	r.record = 0
}

func (p *pageReader[T]) bare(r *reader) {
	if p.alone {
		p.list(r)
		return
	}
	r.skip()
}

// complete insists on exactly one list: without it nobody has said that there
// are no records, and with two it is open which one counts.
func (p *pageReader[T]) complete(r *reader) {
	switch p.lists {
	case 0:
		r.missing(p.key)
	case 1:
	default:
		r.note(p.key, "stands beside another list")
	}
}
