package programme

import (
	"slices"
	"sort"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/seeded"
)

// event is a change at an instant.
type event struct {
	at    int64
	apply func(*Records)
}

// Life continues the programme after its start, hour by hour, at the pace of its history.
// It depends only on the seed and the start, and not on how often the exchange is called.
type Life struct {
	programme *Programme
	made      int64            // ms; all events up to here have been created
	perWeight float64          // records for each unit of bustle
	owed      float64          // fractions of a record not yet created
	newcomers float64          // registrations per hour
	next      int64            // ms; when the next user registers
	pending   []event          // by time
	hidden    map[int]TradeRow // traded but not listed yet, by a running number
	traded    int
}

// NewLife prepares the events that follow the history in the ledger.
func NewLife(p *Programme, l *Records) *Life {
	speed := p.size.LiveSpeed
	f := &Life{
		programme: p,
		made:      p.horizon,
		perWeight: speed * float64(p.size.Records) / p.history(),
		newcomers: speed * 1.2 * float64(p.size.Invitees) / float64(p.size.Days*24),
		next:      never,
		hidden:    map[int]TradeRow{},
	}
	if f.newcomers > 0 {
		f.next = p.start + f.gap()
	}
	for _, u := range l.Invitees {
		f.awaitDeposit(u)
	}
	return f
}

func (f *Life) gap() int64 {
	return minute + seeded.Exponential(f.programme.random, float64(hour)/f.newcomers)
}

// Advance applies every event up to now.
func (f *Life) Advance(l *Records, now int64) {
	for f.made <= now {
		f.makeHour()
	}
	due := sort.Search(len(f.pending), func(i int) bool { return f.pending[i].at > now })
	for _, e := range f.pending[:due] {
		e.apply(l)
	}
	f.pending = slices.Delete(f.pending, 0, due)
}

func (f *Life) schedule(at int64, apply func(*Records)) {
	i := sort.Search(len(f.pending), func(i int) bool { return f.pending[i].at > at })
	f.pending = slices.Insert(f.pending, i, event{at, apply})
}

// makeHour creates the events that begin in the rest of the current hour.
func (f *Life) makeHour() {
	p := f.programme
	from, to := f.made, (f.made/hour+1)*hour
	for ; f.next < to; f.next += f.gap() {
		f.newcomer(f.next)
	}
	for _, s := range p.stretches(from, to) {
		f.owed += s.weight * f.perWeight
	}
	n := int(f.owed)
	f.owed -= float64(n)
	p.records(from, to, n, f.trade)
	if to%day == 0 {
		f.closeDay(affiliate.Day(to/day - 1))
	}
	f.made = to
}

// trade publishes a record about an hour after its trade, and one in fifty much later: up
// to two days.
func (f *Life) trade(r TradeRow) {
	random := f.programme.random
	visible := r.At + commissionLag + minute + random.Int64N(14*minute)
	if random.IntN(50) == 0 {
		visible = r.At + 2*hour + random.Int64N(46*hour)
	}
	depositToo := random.IntN(8) == 0
	f.traded++
	number := f.traded
	f.hidden[number] = r
	f.schedule(visible, func(l *Records) {
		r := f.hidden[number] // whose rate may have been set since
		delete(f.hidden, number)
		l.AddRow(pairs[r.pair].product, r)
		l.traded(r)
		if u := l.programme.traders[r.who].invitee; u != nil && depositToo {
			u.LastDeposit = max(u.LastDeposit, affiliate.Millis(r.At-minute))
		}
	})
}

// Unlisted returns the rows of [from, to) that are not listed yet, in any order.
func (f *Life) Unlisted(from, to int64) []TradeRow {
	if to <= f.programme.horizon {
		return nil // the history was listed from the start
	}
	var some []TradeRow
	for _, r := range f.hidden {
		if r.At >= from && r.At < to {
			some = append(some, r)
		}
	}
	return some
}

// newcomer registers a user.
func (f *Life) newcomer(at int64) {
	p := f.programme
	u := p.Invite(p.random, at)
	p.plan(u, false)
	p.crowd = crowd{}
	f.awaitDeposit(u)
	f.schedule(at, func(l *Records) { l.AddInvitee(u) })
}

// awaitDeposit hides a deposit until it happens.
func (f *Life) awaitDeposit(u *affiliate.Invitee) {
	at := u.FirstDeposit
	if int64(at) <= f.programme.start {
		return
	}
	u.FirstDeposit, u.LastDeposit = 0, 0
	f.schedule(int64(at), func(*Records) {
		u.FirstDeposit, u.LastDeposit = at, max(u.LastDeposit, at)
	})
}

// closeDay publishes the records of the sub-affiliates an hour after their day. All trades
// of the day count, also those that are listed later.
func (f *Life) closeDay(d affiliate.Day) {
	f.schedule(int64(d+1)*day+hour, func(l *Records) {
		trades := l.tradesOf(d, f.Unlisted(int64(d)*day, int64(d+1)*day))
		for _, record := range f.programme.subAffiliateDays(d, trades) {
			l.AddSubAffiliateDay(record)
		}
	})
}
