package simulator

import (
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/programme"
)

// lister answers the affiliate endpoints: it lists the records of the programme, with the
// faults of listings.
type lister struct{ *Simulator }

// totals are the counts in an answer.
type totals struct{ total, pages, page, size int }

// answer lists the page that q requests and writes the answer. unseen leaves the listing
// unchanged, for answers that will not arrive.
func (s lister) answer(q query, w wording, unseen bool) []byte {
	listing := s.listingOf(q, unseen)
	if listing != nil {
		listing.asked(q.page)
		s.disturb(listing, q)
	}
	e := &encoder{wording: w, b: make([]byte, 0, 1024+260*q.size)}
	write, total := s.page(e, q, q.page)
	if listing != nil {
		s.draw(listing, q, total)
		if listing.spoils(q.page) {
			write = s.spoiled(e, listing, q)
		}
		if listing.answered(q, total) {
			s.listings.settled[q.stream] = s.listings.settled[q.stream].with(interval{q.from, q.to})
		}
	}
	t := totals{page: q.page, size: q.size}
	t.total, t.pages = s.shown(listing, q, total)
	if t.total == 0 || q.page > max(t.pages, pagesOf(t.total, q.size), pagesOf(total, q.size)) {
		e.without = s.withoutList(q.path)
	}
	s.envelope(e, q.stream.Kind, t, write)
	return e.b
}

// withoutList decides how a page without records reports that; empty selects the usual way,
// an empty list.
func (s lister) withoutList(path string) Fault {
	f := s.triggers.first(path, func(f Fault) bool { return f == NullList || f == NoList })
	if f != "" {
		s.stats.Faults[f]++
	}
	return f
}

// disturb changes the truth before a page is answered, if the listing has this fault and
// the client has read up to here without a break: only then does it see total change.
func (s lister) disturb(l *listing, q query) {
	if !l.changing() || q.page != l.page || q.page != l.next {
		return
	}
	l.fired = true
	if s.change(l.fault, q) {
		l.next = 0
	}
}

// spoiled returns the content of a page that is repeated or empty.
func (s lister) spoiled(e *encoder, l *listing, q query) (write func()) {
	l.fired, l.next = true, 0
	s.stats.Faults[l.fault]++
	if l.fault == RepeatedPage {
		write, _ = s.page(e, q, q.page-1)
		return write
	}
	return func() {}
}

// listingOf returns the listing that q belongs to. It returns nothing if no fault concerns
// listings, because then they need not be remembered.
func (s lister) listingOf(q query, unseen bool) *listing {
	if unseen || !s.faultyListings || !q.whole() {
		return nil
	}
	return s.listings.of(q)
}

// changing reports whether the truth has yet to be changed in this listing.
func (l *listing) changing() bool {
	return !l.fired && slices.Contains([]Fault{Inserted, Removed, Revised, Late}, l.fault)
}

// spoils reports whether the content of this page is to be falsified.
func (l *listing) spoils(page int) bool {
	return !l.fired && page == l.page && (l.fault == RepeatedPage || l.fault == EmptyPage)
}

// page prepares to write the records of a page, and counts those of the whole window.
func (s lister) page(e *encoder, q query, page int) (write func(), total int) {
	low, high := s.window(q)
	switch q.stream.Kind {
	case affiliate.Commissions:
		rows := cut(s.ledger.Rows[q.stream.Product][low:high], s.keepRow(q), page, q.size, s.options.Order)
		return func() {
			each(e, rows.records, func(r programme.TradeRow) { e.commission(s.ledger.Commission(r)) })
		}, rows.total
	case affiliate.Invitees:
		users := cut(s.ledger.Invitees[low:high], keepInvitee(q), page, q.size, s.options.Order)
		return func() { each(e, users.records, e.invitee) }, users.total
	}
	days := cut(s.ledger.Subs[q.stream.Product][low:high], keepSubAffiliate(q), page, q.size, s.options.Order)
	return func() { each(e, days.records, e.subAffiliateDay) }, days.total
}

// piece is one page of the matching records.
type piece[T any] struct {
	records []T
	total   int
}

// cut takes one page of all, which is sorted oldest first. A nil keep keeps everything.
func cut[T any](all []T, keep func(*T) bool, page, size int, order RowOrder) piece[T] {
	if keep != nil {
		var kept []T
		for i := range all {
			if keep(&all[i]) {
				kept = append(kept, all[i])
			}
		}
		all = kept
	}
	first := min((page-1)*size, len(all))
	last := min(first+size, len(all))
	if order == OldestFirst {
		return piece[T]{slices.Clone(all[first:last]), len(all)}
	}
	records := slices.Clone(all[len(all)-last : len(all)-first])
	slices.Reverse(records)
	return piece[T]{records, len(all)}
}

func (s lister) keepRow(q query) func(*programme.TradeRow) bool {
	if q.whole() {
		return nil
	}
	return func(r *programme.TradeRow) bool {
		uid, coin := s.ledger.Whose(r)
		return (q.uid == "" || uid == q.uid) && (q.coin == "" || coin == q.coin)
	}
}

func keepInvitee(q query) func(**affiliate.Invitee) bool {
	if q.uid == "" {
		return nil
	}
	return func(u **affiliate.Invitee) bool { return (*u).UID == q.uid }
}

func keepSubAffiliate(q query) func(*affiliate.SubAffiliateDay) bool {
	if q.uid == "" {
		return nil
	}
	return func(d *affiliate.SubAffiliateDay) bool { return d.UID == q.uid }
}

func each[T any](e *encoder, all []T, write func(T)) {
	for i, record := range all {
		if i > 0 {
			e.raw(",")
		}
		write(record)
	}
}

// listName returns the name of the list in an answer.
func listName(kind affiliate.StreamKind) string {
	switch kind {
	case affiliate.Commissions:
		return "channelCommissionInfoItems"
	case affiliate.Invitees:
		return "channelUserInfoItemList"
	}
	return "records"
}

// envelope writes the whole answer around its records: the standard envelope for 4.19, a
// separate one or its older form for 4.17 and 4.18, and none in version 3.
func (s lister) envelope(e *encoder, kind affiliate.StreamKind, t totals, write func()) {
	list := func(name string) {
		switch e.without {
		case NoList:
			return
		case NullList:
			e.null(name)
			return
		}
		e.name(name)
		e.raw("[")
		write()
		e.raw("]")
	}
	data := func() {
		e.raw("{")
		if kind == affiliate.SubAffiliates {
			list(listName(kind))
			e.count("total", t.total)
			e.count("size", t.size)
			e.count("current", t.page)
			e.count("pages", t.pages)
		} else {
			e.count("pages", t.pages)
			e.count("pageSize", t.size)
			e.count("total", t.total)
			list(listName(kind))
		}
		e.raw("}")
	}
	switch {
	case e.version == "v3":
		data()
	case kind == affiliate.SubAffiliates:
		e.raw(`{"code":"00000","msg":"success"`)
		e.clock("requestTime", s.now())
		e.name("data")
		data()
		e.raw("}")
	default:
		e.raw("{")
		e.digits("code", "200", !e.otherTypes)
		if e.old {
			e.count("total", t.total)
			list("list")
		} else {
			e.name("data")
			data()
		}
		e.clock("timestamp", s.now())
		e.raw("}")
	}
}
