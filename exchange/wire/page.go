package wire

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
)

// FullPage is the number of records on a full page.
const FullPage = 100

// Page is one page of records, in the exchange's order. The counts are the exchange's,
// right or wrong; -1 or empty if it gave none. Records and Quarantined are both empty only if
// the exchange said that there are no records.
type Page[T any] struct {
	Records     []T
	Quarantined []affiliate.Quarantined[T] // records that could not be read
	Spared      []affiliate.Quarantined[T] // of Records: fields that no figure needs, left out since they could not be read
	Pages       int                        // of the whole result
	PageSize    int
	Total       int // records of the whole result

	Next   affiliate.Flag // whether there is another page
	Cursor string         // where the next page begins, see [PageReader.Cursor]; empty if none was given

	// Unproven means that the answer has neither a list nor any count: it is empty only if a
	// second answer says the same.
	Unproven bool
}

// Len returns how many records the page has, with those that could not be read.
func (p Page[T]) Len() int { return len(p.Records) + len(p.Quarantined) }

// DataList is the name of the list if the payload is only a list.
const DataList = "data"

// PageReader is the payload of the endpoints that answer with records: counts and one list,
// either outermost or inside "data", or only the list.
type PageReader[T any] struct {
	Page Page[T]
	key  string // the list's own name; "list" and "records" are taken too

	// Also are further names of the list. With [DataList] among them, "data" itself may be the list.
	Also []string
	// Cursor is the name of the member that says where the next page begins; empty = there is none.
	Cursor string

	record func(*Decoder, *T) // reads one record and records its faults
	Lists  int                // number of lists found
	data   bool               // inside of "data"
	Alone  bool               // the list may appear without any envelope
	Strict bool               // a record that cannot be read is a fault of the whole answer
	Twice  bool               // an answer without list and counts is allowed, see Page.Unproven

	Hide func(string) string // hides credentials in what is kept of records that cannot be read; may be nil

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
	case len(p.Also) > 0 && slices.Contains(p.Also, string(name)) && r.kind() != jsontext.KindBeginObject:
		p.list(r)
	case p.Cursor != "" && string(name) == p.Cursor:
		p.Page.Cursor = simple(r, parseIdentity[string])
	case string(name) == "total", string(name) == "totals", string(name) == "totalCount", string(name) == "totalNum":
		p.Page.Total = simple(r, parseCount)
	case string(name) == "pages", string(name) == "totalPage":
		p.Page.Pages = simple(r, parseCount)
	case string(name) == "pageSize", string(name) == "size":
		p.Page.PageSize = simple(r, parseCount)
	case string(name) == "nextPage", string(name) == "hasNextPage":
		p.Page.Next = r.next()
	case string(name) == "data" && !p.data && r.kind() == jsontext.KindBeginObject:
		p.data = true
		r.token()
		for names := map[string]bool{}; r.once(names); {
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

// list reads the records. A record that cannot be read is kept apart; a strict reader stops at
// the first.
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
	foreign := true // no element has anything of a record
	before := r.fault
	r.fault = nil
	for r.elements() {
		r.record++
		if p.Strict && r.fault != nil {
			r.skip()
			continue
		}
		begin := r.dec.InputOffset()
		p.Page.Records = append(p.Page.Records, *new(T))
		record := &p.Page.Records[len(p.Page.Records)-1]
		if r.kind() == jsontext.KindBeginObject {
			p.record(r, record)
		} else {
			r.skip()
			r.note("", errNoRecord.Error())
		}
		if p.Strict || r.err != nil {
			continue
		}
		foreign = foreign && r.fault != nil && reflect.ValueOf(record).Elem().IsZero()
		p.sort(r, trimmed(r.body[begin:r.dec.InputOffset()]))
	}
	r.record = 0
	switch {
	case r.fault != nil: // of a strict reader
		p.Page.Records = nil
	case foreign && len(p.Page.Quarantined) > 0 && !p.Strict:
		first := p.Page.Quarantined[0]
		r.fault = &fault{1, first.Field, first.Reason}
		p.Page.Quarantined = nil
	}
	if before != nil {
		r.fault = before
	}
}

// sort keeps the record just read, the last one, where it belongs.
func (p *PageReader[T]) sort(r *Decoder, raw []byte) {
	last := len(p.Page.Records) - 1
	for _, f := range r.spared {
		if r.fault == nil {
			p.Page.Spared = append(p.Page.Spared, p.quarantined(p.Page.Records[last], f, raw))
		}
	}
	r.spared = nil
	if r.fault != nil {
		p.Page.Quarantined = append(p.Page.Quarantined, p.quarantined(p.Page.Records[last], r.fault, raw))
		p.Page.Records = p.Page.Records[:last]
		r.fault = nil
	}
}

// mostShown limits the text that is searched for credentials. It is far longer than what is
// kept, so that no part of a credential is at the end of that.
const mostShown = 64 << 10

func (p *PageReader[T]) quarantined(record T, f *fault, raw []byte) affiliate.Quarantined[T] {
	kept := func(text []byte, most int) string {
		s := string(Nameless(text[:min(len(text), mostShown)]))
		if p.Hide != nil {
			s = p.Hide(s)
		}
		return affiliate.Shortened(s, most)
	}
	var value []byte
	for name, v := range membersOf(raw) {
		if string(unquote(name)) == f.field {
			value = v
			break
		}
	}
	return affiliate.Quarantined[T]{
		Record: record, Field: kept([]byte(f.field), MaxText), Reason: kept([]byte(f.what), MaxText),
		Value: kept(value, affiliate.MostOfValue), Raw: kept(raw, affiliate.MostOfRow),
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
		case p.foreign:
			r.missing(p.key)
		case p.Twice && r.success && p.uncounted():
			p.Page.Unproven = true
		case !p.positive(r):
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

// uncounted reports whether the answer says nothing about how many records there are.
func (p *PageReader[T]) uncounted() bool {
	return p.Page.Total < 0 && p.Page.Pages < 0 && p.Page.Next != affiliate.FlagOf(true)
}

// promised reports whether the counts say that there are records on the page. The total
// decides if it is given: the number of pages is often one too high. A strict reader believes
// each of them; for an empty result some answers count one page, others none.
func (p *PageReader[T]) promised() bool {
	number, size := max(p.Number, 1), p.Size
	if p.Page.PageSize > 0 && (size == 0 || p.Page.PageSize < size) {
		size = p.Page.PageSize
	}
	if p.Page.Next == affiliate.FlagOf(true) {
		return true
	}
	if p.Page.Total >= 0 && (!p.Strict || p.Page.Total > (number-1)*size || p.Page.Total == 0 && p.Page.Pages == 1) {
		return p.Page.Total > (number-1)*size
	}
	return p.Page.Pages >= number
}

func (p *PageReader[T]) withoutList() string {
	return fmt.Sprintf("missing, though there are records on page %d (total %d, pages %d)", max(p.Number, 1), p.Page.Total, p.Page.Pages)
}
