package rates

import "slices"

// A rate is constant if at most one record in ten was paid otherwise, and a change of it needs
// leastRecords on each side. A stretch between two changes needs twice as many, so that a few
// odd records are no change.
const (
	leastRecords = 5
	oddPercent   = 10
	mostRates    = 8 // that a series is examined for
)

// A switch to another rate costs as much as nine halves of records that were not paid at the
// rate of their stretch, so five of them are worth one.
const switchHalves = 9

// turn is a record at which a rate that was constant changed.
type turn struct {
	before, after rate
}

// breaks finds the changes of the rate of records of which nothing is agreed, and sets what is
// expected of those that follow. What is expected is the rate before, with these exceptions: a
// rate that falls further is still compared with the rate before it first fell, and one that
// returns to what was expected ends the finding.
func (s *series) breaks() {
	var at []int          // pieces that speak about the rate
	var all, unread int64 // records
	for i := range s.pieces {
		switch p := &s.pieces[i]; {
		case p.expected != nil:
		case p.kind == paid:
			at = append(at, i)
		case p.kind == mixed:
			unread += p.records()
		}
	}
	states := s.rates(at)
	if len(states) < 2 {
		return
	}
	path, odd := s.path(at, states)
	odd, all = odd+2*unread, unread
	for _, i := range at {
		all += s.pieces[i].records()
	}
	if odd*100 > all*2*oddPercent { // odd counts halves
		return
	}
	s.expect(at, path, states)
}

// rates returns the rates that records of the series show, those with most records first.
func (s *series) rates(at []int) []rate {
	var list []rate
	counts := map[rate]int64{}
	for _, i := range at {
		p := &s.pieces[i]
		if !p.tells() {
			continue
		}
		if counts[p.rate] == 0 {
			list = append(list, p.rate)
		}
		counts[p.rate] += p.records()
	}
	kept := list[:0]
	for _, r := range list {
		if counts[r] >= leastRecords {
			kept = append(kept, r)
		}
	}
	if len(kept) > mostRates {
		return nil // nothing is constant
	}
	return kept
}

// path divides the pieces into stretches of one rate: the division with the fewest records that
// were paid otherwise. It returns the state of each piece, and the halves of odd records.
func (s *series) path(at []int, states []rate) (path []int, odd int64) {
	cost := make([]int64, len(states))
	back := make([][]int, len(at))
	for n, i := range at {
		p := &s.pieces[i]
		best := 0
		for j := range cost {
			if cost[j] < cost[best] {
				best = j
			}
		}
		next := make([]int64, len(states))
		back[n] = make([]int, len(states))
		for j, r := range states {
			next[j], back[n][j] = cost[j], j
			if n > 0 && j != best && cost[best]+switchHalves <= cost[j] { // as late as possible
				next[j], back[n][j] = cost[best]+switchHalves, best
			}
			next[j] += p.odd(r)
		}
		cost = next
	}
	path = make([]int, len(at))
	last := 0
	for j := range cost {
		if cost[j] < cost[last] {
			last = j
		}
	}
	for n := len(at) - 1; n >= 0; n-- {
		path[n] = last
		p := &s.pieces[at[n]]
		if p.rate.units != 0 {
			odd += p.odd(states[last])
		}
		last = back[n][last]
	}
	return path, odd
}

// odd counts the halves of records that were not paid at a rate. A fee without commission is half
// a record: an upline with the same rate explains it.
func (p *piece) odd(r rate) int64 {
	switch {
	case p.rate == r || p.fits(r):
		return 0
	case p.rate.units == 0:
		return p.records()
	}
	return 2 * p.records()
}

// expect sets what is expected of the pieces after each change.
func (s *series) expect(at, path []int, states []rate) {
	type stretch struct {
		state, begin, end int // indexes in at
		records           int64
	}
	var list []stretch
	for n, i := range at {
		if len(list) == 0 || list[len(list)-1].state != path[n] {
			list = append(list, stretch{state: path[n], begin: n})
		}
		own := &list[len(list)-1]
		own.end = n + 1
		if s.pieces[i].odd(states[path[n]]) == 0 {
			own.records += s.pieces[i].records()
		}
	}
	usual := states[list[0].state]
	if list[0].records < leastRecords {
		return
	}
	s.pieces, s.broken = slices.Clone(s.pieces), true
	level := usual // of the stretch before
	for n := 1; n < len(list); n++ {
		own, after := list[n], states[list[n].state]
		if own.records < leastRecords {
			return
		}
		begin := at[own.begin]
		if level.Decimal().GreaterThan(usual.Decimal()) && after != usual {
			usual = level
		}
		if s.pieces[begin].days.First < s.first {
			usual = after // the level at which the range begins
		}
		level = after
		if after == usual {
			continue
		}
		end := len(s.pieces)
		if n+1 < len(list) {
			end = at[list[n+1].begin]
		}
		due := &expected{rate: usual, found: &turn{usual, after}}
		for i := begin; i < end; i++ {
			if s.pieces[i].expected == nil {
				s.pieces[i].expected = due
			}
		}
	}
}
