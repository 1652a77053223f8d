package listing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

// Ties are records that the exchange has no order for, as those of one instant. A list may give
// them in another order on each page or at each call, and then some stand on two pages and
// others on none, while the number of records is right.
//
// What is certain: records that stand together in one answer all exist. So a list is known
// completely once the answers prove as many records as it has: for each key the most records of
// that key in one answer, added up, are as many as one pass reads. This holds for any order,
// as long as the list holds still. A pass whose equal records stand on one page each proves
// itself, since some record is read too often if another one is missing.

// tally counts the records of one key in a pass.
type tally struct {
	page int32 // of the last one
	here int32 // on that page
	most int32 // on one page
	all  int32
}

// count adds the keys of a page.
func (p *pass[T]) count(keys []uint64, page int) {
	for _, k := range keys {
		t := p.keys[k]
		if t.page != int32(page) {
			t.page, t.here = int32(page), 0
		}
		t.here++
		t.all++
		t.most = max(t.most, t.here)
		p.keys[k] = t
	}
}

// crossing returns the keys whose records stand on several pages.
func (p *pass[T]) crossing() (keys []uint64) {
	for k, t := range p.keys {
		if t.all > t.most {
			keys = append(keys, k)
		}
	}
	return keys
}

// tieSizes are the page sizes of the passes over a list with ties: other pages show other
// records together.
var tieSizes = [maxPasses]int{PageSize, 83, 71, 61, 53, 47}

const (
	// mostCuts is how many instants of a pass are read apart.
	mostCuts = 20
	// CutSize is how many records of an instant are requested at once. The document gives no
	// limit; an exchange that has one returns fewer.
	CutSize = 500
)

// Cuts reads ties apart.
type Cuts[T any] struct {
	At  func(T) affiliate.Millis // the instant of a record, or the start of its day; unknown if it could not be read
	Ask func(ctx context.Context, at affiliate.Millis) (exchange.Page[T], error)
}

// undecided returns the error for ties that no answer decides.
func (c *Cuts[T]) undecided(t interface{ instant() affiliate.Millis }, reasons string) error {
	if c == nil || !t.instant().Known() {
		return unsteady("the exchange orders equal records differently from page to page, so that it cannot be told which of them exist (" + reasons + ")")
	}
	return &exchange.TiedError{
		Day: affiliate.DayOf(t.instant().Time(), time.UTC),
		Err: unsteady(fmt.Sprintf("the exchange orders the records of %s differently from page to page, and has more of them than one answer holds, so that it cannot be told which exist (%s)",
			t.instant().Time().UTC().Format("2006-01-02 15:04:05.000 UTC"), reasons)),
	}
}

// ties is what the answers about a list have proved.
type ties[T any, K comparable] struct {
	hash  *hasher[T, K]
	begun bool
	known map[uint64]exchange.Reading[T] // of each key, the records that stood in one answer
	order []uint64                       // the keys as they were found
	sum   int                            // of the records that are known
	of    int                            // records of a pass
	read  int                            // passes with as many records
	news  bool                           // the last of them found something new
	tied  affiliate.Millis
}

func newTies[T any, K comparable](hash *hasher[T, K]) *ties[T, K] { return &ties[T, K]{hash: hash} }

// instant returns when the last ties are that were found.
func (t *ties[T, K]) instant() affiliate.Millis { return t.tied }

// learn adds what the answers of a pass prove, and reads its ties apart.
func (t *ties[T, K]) learn(ctx context.Context, cuts *Cuts[T], p *pass[T], crossing []uint64) error {
	if !t.begun || p.Len() != t.of {
		*t = ties[T, K]{hash: t.hash, begun: true, known: map[uint64]exchange.Reading[T]{}, of: p.Len(), tied: t.tied}
	}
	t.read, t.news = t.read+1, false
	var from pageEnd
	for _, to := range p.ends {
		t.page(exchange.Page[T]{
			Records: p.Records[from.records:to.records], Quarantined: p.Quarantined[from.quarantined:to.quarantined], Spared: p.Spared[from.spared:to.spared],
		})
		from = to
	}
	if cuts == nil || t.sum >= t.of {
		return nil
	}
	for _, at := range t.instants(cuts, crossing) {
		t.tied = at
		got, err := cuts.Ask(ctx, at)
		switch {
		case errors.Is(err, exchange.ClassValidation): // the exchange does not give so many at once
			continue
		case err != nil:
			return err
		}
		got.Records = slices.DeleteFunc(got.Records, func(record T) bool { return cuts.At(record) != at })
		got.Quarantined = slices.DeleteFunc(got.Quarantined, func(r affiliate.Quarantined[T]) bool { return cuts.At(r.Record) != at })
		t.page(got)
	}
	return nil
}

// instants returns when the records of some keys are, at most [mostCuts].
func (t *ties[T, K]) instants(cuts *Cuts[T], keys []uint64) (list []affiliate.Millis) {
	for _, k := range keys {
		for _, record := range t.known[k].Records {
			list = append(list, cuts.At(record))
		}
		for _, r := range t.known[k].Quarantined {
			list = append(list, cuts.At(r.Record))
		}
	}
	slices.Sort(list)
	list = slices.DeleteFunc(slices.Compact(list), func(at affiliate.Millis) bool { return !at.Known() })
	return list[:min(len(list), mostCuts)]
}

// page adds what one answer proves.
func (t *ties[T, K]) page(got exchange.Page[T]) {
	here := map[uint64]exchange.Reading[T]{}
	keys := t.hash.page(got)
	for i, record := range got.Records {
		p := here[keys[i]]
		p.Records = append(p.Records, record)
		here[keys[i]] = p
	}
	for i, r := range got.Quarantined {
		k := keys[len(got.Records)+i]
		p := here[k]
		p.Quarantined = append(p.Quarantined, r)
		here[k] = p
	}
	for _, r := range got.Spared {
		k := t.hash.record(r.Record)
		p := here[k]
		p.Spared = append(p.Spared, r)
		here[k] = p
	}
	for _, k := range keys {
		now, found := here[k]
		if !found {
			continue // done
		}
		delete(here, k)
		before, known := t.known[k]
		if !known {
			t.order = append(t.order, k)
		}
		if more := now.Len() - before.Len(); more > 0 {
			t.sum += more
			t.news = true
		}
		if now.Len() >= before.Len() {
			t.known[k] = now // the newest, whose fields may have changed
		}
	}
}

// proven returns the list if the answers prove all of it: at once if the pass is free of doubt
// and proves it alone, otherwise after a further pass that found nothing new.
func (t *ties[T, K]) proven(p *pass[T]) (all exchange.Reading[T], ok bool) {
	switch {
	case t.sum > t.of: // the list has changed in between
		t.of = -1
		return all, false
	case t.sum < t.of, t.news && (t.read > 1 || len(p.doubts) > 0):
		return all, false
	}
	for _, k := range t.order {
		known := t.known[k]
		all.Records = append(all.Records, known.Records...)
		all.Quarantined = append(all.Quarantined, known.Quarantined...)
		all.Spared = append(all.Spared, known.Spared...)
	}
	return all, true
}
