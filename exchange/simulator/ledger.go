package simulator

import (
	"slices"
	"sort"

	"rebatedesk/affiliate"
)

// ledger is the living truth. Everything is sorted by time, equal times in the
// order of their arrival, so that a window is found by bisection.
type ledger struct {
	programme *programme
	rows      map[affiliate.Product][]row
	invitees  []*affiliate.Invitee
	byUID     map[affiliate.UID]*affiliate.Invitee
	subs      map[affiliate.Product][]affiliate.SubAffiliateDay
}

// newLedger generates the truth at the start of the programme.
func newLedger(p *programme) *ledger {
	l := &ledger{
		programme: p,
		rows:      map[affiliate.Product][]row{},
		byUID:     map[affiliate.UID]*affiliate.Invitee{},
		subs:      map[affiliate.Product][]affiliate.SubAffiliateDay{},
	}
	l.invitees = p.populate()
	slices.SortStableFunc(l.invitees, func(a, b *affiliate.Invitee) int {
		return int(a.RegisterTime - b.RegisterTime)
	})
	for _, u := range l.invitees {
		l.byUID[u.UID] = u
	}
	p.records(p.first, p.horizon, p.size.Records, func(r row) {
		product := pairs[r.pair].product
		l.rows[product] = append(l.rows[product], r)
		l.traded(r)
	})
	l.depositAgain()
	for d := affiliate.Day(p.first / day); int64(d+1)*day <= p.horizon; d++ {
		for _, record := range p.subAffiliateDays(d, l.tradesOf(d, nil)) {
			l.addSubAffiliateDay(record)
		}
	}
	return l
}

// traded moves the trading times of the invited user behind a row.
func (l *ledger) traded(r row) {
	u := l.programme.traders[r.who].invitee
	if u == nil {
		return
	}
	at := affiliate.Millis(r.at)
	if !u.FirstTrade.Known() || at < u.FirstTrade {
		u.FirstTrade = at
	}
	u.LastTrade = max(u.LastTrade, at)
}

// depositAgain lets those who traded for long have deposited more than once.
func (l *ledger) depositAgain() {
	r := l.programme.random
	for _, u := range l.invitees {
		if u.LastTrade > u.FirstDeposit && u.FirstDeposit.Known() && r.IntN(3) > 0 {
			u.LastDeposit += affiliate.Millis(r.Int64N(int64(u.LastTrade - u.FirstDeposit)))
		}
	}
}

// place finds where an element of time at belongs: behind those of its time.
func place[T any](all []T, at int64, time func(*T) int64) int {
	return sort.Search(len(all), func(i int) bool { return time(&all[i]) > at })
}

func rowTime(r *row) int64 { return r.at }

func inviteeTime(u **affiliate.Invitee) int64 { return int64((*u).RegisterTime) }

func subTime(d *affiliate.SubAffiliateDay) int64 { return int64(d.Date) * day }

func (l *ledger) addRow(product affiliate.Product, r row) {
	all := l.rows[product]
	l.rows[product] = slices.Insert(all, place(all, r.at, rowTime), r)
}

func (l *ledger) addInvitee(u *affiliate.Invitee) {
	at := place(l.invitees, int64(u.RegisterTime), inviteeTime)
	l.invitees = slices.Insert(l.invitees, at, u)
	l.byUID[u.UID] = u
}

func (l *ledger) addSubAffiliateDay(d affiliate.SubAffiliateDay) {
	all := l.subs[d.Product]
	l.subs[d.Product] = slices.Insert(all, place(all, int64(d.Date)*day, subTime), d)
}

// merged gives the rows of all products to yield, oldest first; rows of one
// instant by product.
func merged[T any](parts [][]T, time func(*T) int64, yield func(T) bool) {
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

// products lists the products in a fixed order: the known ones, then whatever
// a test has inserted.
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

// parts copies the slices of all products.
func parts[T any](of map[affiliate.Product][]T) [][]T {
	var all [][]T
	for _, product := range products(of) {
		all = append(all, slices.Clone(of[product]))
	}
	return all
}

// snapshot copies the truth: commissions, sub-affiliate days and invitees, each
// oldest first.
func (l *ledger) snapshot() ([]affiliate.Commission, []affiliate.SubAffiliateDay, []affiliate.Invitee) {
	rows := parts(l.rows)
	size := 0
	for _, part := range rows {
		size += len(part)
	}
	commissions := make([]affiliate.Commission, 0, size)
	merged(rows, rowTime, func(r row) bool {
		commissions = append(commissions, l.commission(r))
		return true
	})
	var invitees []affiliate.Invitee
	for _, u := range l.invitees {
		invitees = append(invitees, *u)
	}
	var days []affiliate.SubAffiliateDay
	merged(parts(l.subs), subTime, func(d affiliate.SubAffiliateDay) bool {
		days = append(days, d)
		return true
	})
	return commissions, days, invitees
}

func (l *ledger) insert(c affiliate.Commission) {
	if c.Product == "" {
		c.Product = affiliate.Spot
	}
	l.addRow(c.Product, row{at: int64(c.DealTime), custom: &c})
}

func (l *ledger) remove(matches func(affiliate.Commission) bool) []affiliate.Commission {
	var removed []affiliate.Commission
	for _, product := range products(l.rows) {
		l.rows[product] = slices.DeleteFunc(l.rows[product], func(r row) bool {
			c := l.commission(r)
			if !matches(c) {
				return false
			}
			removed = append(removed, c)
			return true
		})
	}
	return removed
}

// frozen makes records of rows that were copied, while others go on.
func (l *ledger) frozen() *ledger {
	return &ledger{programme: &programme{traders: l.programme.traders}}
}
