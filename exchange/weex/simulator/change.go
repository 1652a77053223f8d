package simulator

import (
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/programme"
)

// mostChanges limits how often the truth changes under a client: each change makes it read
// a window again.
const mostChanges = 20

// change alters the truth within the window of q and reports whether it did. It leaves a
// window that was read completely: such a window must not change, or no client could ever
// be right.
func (s lister) change(fault Fault, q query) bool {
	if s.listings.changes >= mostChanges {
		return false
	}
	low, high := s.window(q)
	if fault == Late {
		low = max(low, s.indexAt(q.stream, s.now()-2*day))
	}
	if low >= high {
		return false
	}
	for range 30 {
		i := low + s.triggers.random.IntN(high-low)
		at := s.timeAt(q.stream, i)
		month := changedMonth{q.stream, monthOf(at)}
		if !s.untouched(q, at) || s.listings.months[month] || !s.alter(fault, q, i) {
			continue
		}
		s.listings.months[month] = true
		s.listings.changes++
		s.stats.Faults[fault]++
		return true
	}
	return false
}

func monthOf(at int64) int {
	t := time.UnixMilli(at).UTC()
	return t.Year()*12 + int(t.Month())
}

// untouched reports whether a record at that instant may still change: well inside the
// window, since windows overlap at their ends, and outside everything that has been read.
func (s lister) untouched(q query, at int64) bool {
	const margin = 2000
	return at > q.from+margin && at < q.to-margin && !s.listings.settled[q.stream].contain(at)
}

// alter makes the change near the i-th record of the stream.
func (s lister) alter(fault Fault, q query, i int) bool {
	switch q.stream.Kind {
	case affiliate.Commissions:
		return s.alterCommission(fault, q, i)
	case affiliate.Invitees:
		return s.alterInvitee(fault, q, i)
	}
	return s.alterSubAffiliateDay(fault, q, i)
}

func (s lister) alterCommission(fault Fault, q query, i int) bool {
	product, random := q.stream.Product, s.triggers.random
	rows := s.ledger.Rows[product]
	if fault == Removed {
		s.ledger.Rows[product] = slices.Delete(rows, i, i+1)
		return true
	}
	if rows[i].Custom != nil {
		return false
	}
	added := rows[i]
	if added.Fee > 0 && random.IntN(3) > 0 { // otherwise an identical twin appears
		added.Fee += 100 * (1 + random.Int64N(100_000))
		earlier := added.At - random.Int64N(minute)
		if s.untouched(q, earlier) && monthOf(earlier) == monthOf(added.At) {
			added.At = earlier
			s.ledger.Rerate(&added)
		}
	}
	if fault == Revised {
		rows[i].Fee += 100 * (1 + random.Int64N(100_000))
	}
	s.ledger.AddRow(product, added)
	return true
}

func (s lister) alterInvitee(fault Fault, q query, i int) bool {
	near := s.ledger.Invitees[i]
	if fault == Revised {
		near.KYC = "true"
		if near.LastTrade.Known() {
			near.LastTrade += 1000
		}
	}
	s.ledger.AddInvitee(s.programme.Invite(s.triggers.random, int64(near.RegisterTime)))
	return true
}

func (s lister) alterSubAffiliateDay(fault Fault, q query, i int) bool {
	product := q.stream.Product
	days := s.ledger.Subs[product]
	added := days[i]
	switch fault {
	case Removed:
		s.ledger.Subs[product] = slices.Delete(days, i, i+1)
		return true
	case Revised:
		days[i].TradingVolume = affiliate.Number(days[i].TradingVolume.Decimal().Shift(1).String())
	}
	added.UID = s.programme.UID(s.triggers.random)
	s.ledger.AddSubAffiliateDay(added)
	return true
}

// window returns the half-open range of indexes of a stream that a query covers, given how
// this exchange reads its bounds.
func (s lister) window(q query) (low, high int) {
	from, end := q.from, q.to+1
	switch s.options.Bounds {
	case BoundsHalfOpen:
		end = q.to
	case BoundsExclusive:
		from, end = q.from+1, q.to
	}
	low = s.indexAt(q.stream, from)
	return low, max(low, s.indexAt(q.stream, end))
}

// indexAt returns the index of the first record of the stream at or after an instant.
func (s lister) indexAt(of affiliate.Stream, at int64) int {
	switch of.Kind {
	case affiliate.Commissions:
		return programme.IndexAfter(s.ledger.Rows[of.Product], at-1, programme.RowTime)
	case affiliate.Invitees:
		return programme.IndexAfter(s.ledger.Invitees, at-1, programme.InviteeTime)
	}
	return programme.IndexAfter(s.ledger.Subs[of.Product], at-1, programme.SubTime)
}

// timeAt returns the instant of the i-th record of a stream.
func (s lister) timeAt(of affiliate.Stream, i int) int64 {
	switch of.Kind {
	case affiliate.Commissions:
		return s.ledger.Rows[of.Product][i].At
	case affiliate.Invitees:
		return programme.InviteeTime(&s.ledger.Invitees[i])
	}
	return programme.SubTime(&s.ledger.Subs[of.Product][i])
}
