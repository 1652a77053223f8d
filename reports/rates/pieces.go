package rates

import (
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/sums"
	"rebatedesk/terms"
)

// kind says how records were paid.
type kind int8

const (
	paid    kind = iota // at one rate
	free                // no fee and no commission: vouchers and pairs without a fee
	mixed               // of a day, at several rates: its records must be read
	unknown             // a fee or a commission is not known
	taken               // a negative amount, which is not what was agreed
	bonus               // commission without a fee
)

// expected is the rate that should have applied to records.
type expected struct {
	rate
	term  terms.Term // ID 0: no term, but the rate before a break
	found *turn      // the break
}

// piece is records of a series that follow each other in time and were paid alike.
type piece struct {
	kind
	rate     // if paid
	days     affiliate.Days
	from, to affiliate.Millis // deal times of the first and the last record; 0: not read, some time on the first and last of days
	expected *expected        // nil: nothing was agreed
	coins    []coinPart
}

// coinPart is the records of a piece in one coin.
type coinPart struct {
	coin            affiliate.Coin
	unit            affiliate.Sum
	days            affiliate.Days
	from, to        affiliate.Millis // as of a piece
	records         int64
	fee, commission affiliate.Sum
}

func (p *piece) records() (n int64) {
	for i := range p.coins {
		n += p.coins[i].records
	}
	return n
}

// fits reports whether all coins of a piece fit a rate.
func (p *piece) fits(r rate) bool {
	for i := range p.coins {
		c := &p.coins[i]
		if !r.fits(c.fee, c.commission, c.records, c.unit) {
			return false
		}
	}
	return true
}

// tells reports whether a piece tells its rate from others.
func (p *piece) tells() bool {
	return p.kind == paid && slices.ContainsFunc(p.coins, func(c coinPart) bool { return tells(c.fee, c.records, c.unit) })
}

func (p *piece) add(c coinPart) {
	for i := range p.coins {
		if own := &p.coins[i]; own.coin == c.coin {
			own.days.Last, own.to = c.days.Last, c.to
			own.records += c.records
			own.fee.AddSum(c.fee)
			own.commission.AddSum(c.commission)
			return
		}
	}
	p.coins = append(p.coins, c)
}

// seriesKey names the records that can have one rate.
type seriesKey struct {
	sums.InviteeKey
	Product affiliate.Product
	Source  affiliate.Source
}

// series is the records of a key in order of time.
type series struct {
	seriesKey
	code   string
	first  affiliate.Day // of the range that is judged; days before only show what was usual
	agreed bool          // a term applies to each day of the range: what was usual does not matter
	days   []piece       // before breaks were found
	mixed  int           // days without a term that had several rates
	varies verdict

	// Concluded from the pieces.
	pieces []piece // days, with what is expected since breaks
	broken bool    // pieces are not days
	runs   []run   // deviations

	// The day that is being read.
	day     affiliate.Day
	odd     bool // it has records without an amount
	parts   []coinPart
	current *expected
	until   affiliate.Day // the last day on which current applies
}

// verdict says whether records without a term have a rate that could change.
type verdict int8

const (
	undecided  verdict = iota // few days had several rates
	keepsRates                // most records of the sample have a rate that another has
	varies                    // they do not: other days with several rates need not be read
)

// sampled is how many days with several rates tell whether a series has rates at all. Up to as many
// are always read.
const sampled = 5

// continued returns a copy to which later days can be added.
func (s *series) continued() *series {
	next := &series{seriesKey: s.seriesKey, code: s.code, first: s.first, agreed: s.agreed, days: slices.Clone(s.days), mixed: s.mixed, varies: s.varies}
	if n := len(next.days); n > 0 {
		next.days[n-1].coins = slices.Clone(next.days[n-1].coins)
	}
	return next
}

// doubt makes days mixed whose sums show a rate that no other day has: any rate fits sums of low
// fees within their rounding, so those of several rates can show one that no record has.
func (s *series) doubt() {
	days := map[rate]int{}
	for i := range s.days {
		p := &s.days[i]
		if p.kind != paid || i > 0 && s.days[i-1].kind == paid && s.days[i-1].days == p.days && s.days[i-1].rate == p.rate {
			continue
		}
		days[p.rate] += p.days.Len()
	}
	for i := range s.days {
		p := &s.days[i]
		if p.kind != paid || p.from != 0 || p.rate.units == 0 || days[p.rate] > 1 || p.records() == 1 || p.expected != nil && p.expected.rate == p.rate {
			continue
		}
		if p.kind = mixed; p.expected == nil {
			s.mixed++
		}
	}
}

// unread yields the mixed days whose records must be read now.
func (s *series) unread() func(yield func(*piece) bool) {
	return func(yield func(*piece) bool) {
		before := 0 // mixed days without a term that were read
		for i := range s.days {
			p := &s.days[i]
			switch {
			case p.expected == nil && p.from != 0 && (i == 0 || s.days[i-1].days != p.days):
				before++
				continue
			case p.kind != mixed:
				continue
			case p.expected == nil:
				if before++; s.agreed || s.varies == varies || s.varies == undecided && before > sampled {
					continue
				}
			}
			if !yield(p) {
				return
			}
		}
	}
}

// sample decides whether the rates vary, once enough mixed days were read.
func (s *series) sample() {
	if s.varies != undecided || s.mixed <= sampled || s.agreed {
		return
	}
	counts := map[rate]int64{}
	var told, alike int64
	for i := range s.days {
		if p := &s.days[i]; p.from != 0 && p.expected == nil && p.kind == paid && p.rate.units != 0 {
			counts[p.rate] += p.records()
		}
	}
	for _, n := range counts {
		if told += n; n > 1 {
			alike += n
		}
	}
	s.varies = keepsRates
	if 2*alike < told {
		s.varies = varies
	}
}

// conclude judges the pieces.
func (s *series) conclude(zone *time.Location) {
	s.join()
	s.pieces = s.days
	s.breaks()
	s.runs = s.findRuns(zone)
}

// join joins mixed days that follow each other and are not read.
func (s *series) join() {
	made := s.days[:0:0]
	for _, p := range s.days {
		n := len(made)
		if n == 0 || p.kind != mixed || made[n-1].kind != mixed || made[n-1].expected != p.expected || (made[n-1].days.First < s.first) != (p.days.First < s.first) {
			made = append(made, p)
			continue
		}
		own := &made[n-1]
		own.coins = slices.Clone(own.coins)
		own.days.Last = p.days.Last
		for _, c := range p.coins {
			own.add(c)
		}
	}
	s.days = made
}

// zero is the empty sum.
var zero affiliate.Sum

// flush turns the day that was read into a piece.
func (s *series) flush() {
	if len(s.parts) == 0 {
		return
	}
	next := piece{kind: free, days: affiliate.Days{First: s.day, Last: s.day}, expected: s.current}
	var last *piece
	if n := len(s.days); n > 0 && s.days[n-1].from == 0 && s.days[n-1].expected == next.expected && (s.days[n-1].days.First < s.first) == (s.day < s.first) {
		last = &s.days[n-1]
	}
	kind, r := mixed, rate{}
	if !s.odd {
		kind, r = s.judge(last)
	}
	next.kind, next.rate = kind, r
	if last != nil && last.kind == kind && kind != mixed && last.rate == r {
		last.days.Last = s.day
		for _, c := range s.parts {
			last.add(c)
		}
	} else {
		next.coins = slices.Clone(s.parts)
		s.days = append(s.days, next)
	}
	if kind == mixed && next.expected == nil {
		s.mixed++
	}
	s.parts = s.parts[:0]
}

// judge tells how the records of the day were paid.
func (s *series) judge(last *piece) (kind, rate) {
	var fees, commissions bool
	for i := range s.parts {
		c := &s.parts[i]
		fee, commission := c.fee.Cmp(&zero), c.commission.Cmp(&zero)
		if fee < 0 || commission < 0 || fee == 0 && commission > 0 {
			return mixed, rate{}
		}
		fees, commissions = fees || fee > 0, commissions || commission > 0
	}
	if !fees {
		if last != nil && last.kind == paid {
			return paid, last.rate // nothing speaks against it
		}
		if s.current != nil {
			return paid, s.current.rate
		}
		return free, rate{}
	}
	var usual []rate
	if s.current != nil {
		usual = append(usual, s.current.rate)
	}
	if last != nil && last.kind == paid {
		usual = append(usual, last.rate)
	}
	for _, r := range usual {
		if s.dayFits(r) {
			return paid, r
		}
	}
	if !commissions {
		return paid, rate{}
	}
	for i := range s.parts {
		c := &s.parts[i]
		if c.fee.Cmp(&zero) == 0 {
			continue
		}
		if r, fits := found(c.fee, c.commission, c.records, c.unit); fits && s.dayFits(r) {
			return paid, r
		}
	}
	return mixed, rate{}
}

func (s *series) dayFits(r rate) bool {
	for i := range s.parts {
		c := &s.parts[i]
		if !r.fits(c.fee, c.commission, c.records, c.unit) {
			return false
		}
	}
	return true
}

// recordsOf divides the records of a mixed day, which are in order of time, into pieces. before
// is the piece before them, if there is one.
func recordsOf(day, before *piece, list []affiliate.Commission, unitOf func(affiliate.Coin) affiliate.Sum) []piece {
	var usual []rate // the rate of the record before comes first
	if before != nil && before.kind == paid {
		usual = append(usual, before.rate)
	}
	var made []piece
	for _, c := range list {
		part := coinPart{coin: c.Coin, unit: unitOf(c.Coin), days: day.days, from: c.DealTime, to: c.DealTime, records: 1}
		part.fee.Add(c.Fee)
		part.commission.Add(c.Commission)
		next := piece{days: day.days, from: c.DealTime, to: c.DealTime, expected: day.expected, coins: []coinPart{part}}
		next.kind, next.rate = judgeRecord(c, &part, day.expected, usual)
		if next.kind == paid {
			usual = slices.Insert(slices.DeleteFunc(usual, func(r rate) bool { return r == next.rate }), 0, next.rate)
		}
		if n := len(made); n > 0 && made[n-1].kind == next.kind && made[n-1].rate == next.rate {
			made[n-1].add(part)
			made[n-1].to = c.DealTime
			continue
		}
		made = append(made, next)
	}
	return made
}

func judgeRecord(c affiliate.Commission, part *coinPart, agreed *expected, usual []rate) (kind, rate) {
	fee, commission := part.fee.Cmp(&zero), part.commission.Cmp(&zero)
	switch {
	case !c.Fee.Known() || !c.Commission.Known():
		return unknown, rate{}
	case fee == 0 && commission == 0:
		return free, rate{}
	case agreed != nil && agreed.fits(part.fee, part.commission, 1, part.unit):
		return paid, agreed.rate
	case fee < 0 || commission < 0:
		return taken, rate{}
	case fee == 0:
		return bonus, rate{}
	case commission == 0 && (len(usual) == 0 || !usual[0].fits(part.fee, part.commission, 1, part.unit)):
		return paid, rate{}
	}
	if r, ok := stated(c.Rate); ok && r.fits(part.fee, part.commission, 1, part.unit) {
		usual = append([]rate{r}, usual...)
		if tells(part.fee, 1, part.unit) {
			return paid, r
		}
	}
	for _, r := range usual {
		if r.units != 0 && r.fits(part.fee, part.commission, 1, part.unit) {
			return paid, r
		}
	}
	r, _ := found(part.fee, part.commission, 1, part.unit)
	return paid, r
}
