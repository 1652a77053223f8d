package programme

import (
	"slices"
	"sort"

	"rebatedesk/affiliate"
)

// Records is the truth as it grows. Everything is sorted by time, and equal times by
// arrival, so that a window is found by bisection.
type Records struct {
	programme *Programme
	Rows      map[affiliate.Product][]TradeRow
	Invitees  []*affiliate.Invitee
	ByUID     map[affiliate.UID]*affiliate.Invitee
	Subs      map[affiliate.Product][]affiliate.SubAffiliateDay
}

// NewRecords generates the truth at the start of the programme.
func NewRecords(p *Programme) *Records {
	l := &Records{
		programme: p,
		Rows:      map[affiliate.Product][]TradeRow{},
		ByUID:     map[affiliate.UID]*affiliate.Invitee{},
		Subs:      map[affiliate.Product][]affiliate.SubAffiliateDay{},
	}
	l.Invitees = p.populate()
	slices.SortStableFunc(l.Invitees, func(a, b *affiliate.Invitee) int {
		return int(a.RegisterTime - b.RegisterTime)
	})
	for _, u := range l.Invitees {
		l.ByUID[u.UID] = u
	}
	p.records(p.First, p.horizon, p.size.Records, func(r TradeRow) {
		product := pairs[r.pair].product
		l.Rows[product] = append(l.Rows[product], r)
		l.traded(r)
	})
	l.depositAgain()
	for d := affiliate.Day(p.First / day); int64(d+1)*day <= p.horizon; d++ {
		for _, record := range p.subAffiliateDays(d, l.tradesOf(d, nil)) {
			l.AddSubAffiliateDay(record)
		}
	}
	return l
}

// traded updates the trading times of the invited user behind a row.
func (l *Records) traded(r TradeRow) {
	u := l.programme.traders[r.who].invitee
	if u == nil {
		return
	}
	at := affiliate.Millis(r.At)
	if !u.FirstTrade.Known() || at < u.FirstTrade {
		u.FirstTrade = at
	}
	u.LastTrade = max(u.LastTrade, at)
}

// depositAgain gives further deposits to users who have traded for long.
func (l *Records) depositAgain() {
	r := l.programme.random
	for _, u := range l.Invitees {
		if u.LastTrade > u.FirstDeposit && u.FirstDeposit.Known() && r.IntN(3) > 0 {
			u.LastDeposit += affiliate.Millis(r.Int64N(int64(u.LastTrade - u.FirstDeposit)))
		}
	}
}

// IndexAfter returns the index at which an element of time at belongs: after those of the
// same time.
func IndexAfter[T any](all []T, at int64, time func(*T) int64) int {
	return sort.Search(len(all), func(i int) bool { return time(&all[i]) > at })
}

// RowTime returns the time of a row, for [IndexAfter].
func RowTime(r *TradeRow) int64 { return r.At }

// InviteeTime returns the time of an invitee, for [IndexAfter].
func InviteeTime(u **affiliate.Invitee) int64 { return int64((*u).RegisterTime) }

// SubTime returns the time of a sub-affiliate day, for [IndexAfter].
func SubTime(d *affiliate.SubAffiliateDay) int64 { return int64(d.Date) * day }

// AddRow inserts a row at its position.
func (l *Records) AddRow(product affiliate.Product, r TradeRow) {
	all := l.Rows[product]
	l.Rows[product] = slices.Insert(all, IndexAfter(all, r.At, RowTime), r)
}

// AddInvitee inserts an invitee at its position.
func (l *Records) AddInvitee(u *affiliate.Invitee) {
	at := IndexAfter(l.Invitees, int64(u.RegisterTime), InviteeTime)
	l.Invitees = slices.Insert(l.Invitees, at, u)
	l.ByUID[u.UID] = u
}

// AddSubAffiliateDay inserts a day at its position.
func (l *Records) AddSubAffiliateDay(d affiliate.SubAffiliateDay) {
	all := l.Subs[d.Product]
	l.Subs[d.Product] = slices.Insert(all, IndexAfter(all, int64(d.Date)*day, SubTime), d)
}

// Merged passes the rows of all products to yield, oldest first; rows of the same instant
// are ordered by product.
func Merged[T any](parts [][]T, time func(*T) int64, yield func(T) bool) {
	for {
		next := -1
		for i, part := range parts {
			if len(part) > 0 && (next < 0 || time(&part[0]) < time(&parts[next][0])) {
				next = i
			}
		}
		if next < 0 || !yield(parts[next][0]) {
			return
		}
		parts[next] = parts[next][1:]
	}
}

// products lists the products in a fixed order: the known ones, then any inserted by a
// test.
func products[T any](of map[affiliate.Product][]T) []affiliate.Product {
	all := affiliate.Products()
	for product := range of {
		if !product.Known() {
			all = append(all, product)
		}
	}
	slices.Sort(all[2:])
	return all
}

// Slices copies the slices of all products.
func Slices[T any](of map[affiliate.Product][]T) [][]T {
	var all [][]T
	for _, product := range products(of) {
		all = append(all, slices.Clone(of[product]))
	}
	return all
}

// Snapshot returns a copy of the truth: commissions, sub-affiliate days and invitees, each
// oldest first.
func (l *Records) Snapshot() ([]affiliate.Commission, []affiliate.SubAffiliateDay, []affiliate.Invitee) {
	rows := Slices(l.Rows)
	size := 0
	for _, part := range rows {
		size += len(part)
	}
	commissions := make([]affiliate.Commission, 0, size)
	Merged(rows, RowTime, func(r TradeRow) bool {
		commissions = append(commissions, l.Commission(r))
		return true
	})
	var invitees []affiliate.Invitee
	for _, u := range l.Invitees {
		invitees = append(invitees, *u)
	}
	var days []affiliate.SubAffiliateDay
	Merged(Slices(l.Subs), SubTime, func(d affiliate.SubAffiliateDay) bool {
		days = append(days, d)
		return true
	})
	return commissions, days, invitees
}

// Insert adds a record unchanged, to SPOT if it names no product.
func (l *Records) Insert(c affiliate.Commission) {
	if c.Product == "" {
		c.Product = affiliate.Spot
	}
	l.AddRow(c.Product, TradeRow{At: int64(c.DealTime), Custom: &c})
}

// Remove removes the matching records and returns them.
func (l *Records) Remove(matches func(affiliate.Commission) bool) []affiliate.Commission {
	var removed []affiliate.Commission
	for _, product := range products(l.Rows) {
		l.Rows[product] = slices.DeleteFunc(l.Rows[product], func(r TradeRow) bool {
			c := l.Commission(r)
			if !matches(c) {
				return false
			}
			removed = append(removed, c)
			return true
		})
	}
	return removed
}

// Frozen returns the records of copied rows, while others continue.
func (l *Records) Frozen() *Records {
	return &Records{programme: &Programme{traders: l.programme.traders}}
}
