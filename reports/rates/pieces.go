package rates

import (
	"slices"

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
	pieces []piece
	varies bool // see [series.variesDaily]

	// The day that is being read.
	day     affiliate.Day
	odd     bool // it has records without an amount
	parts   []coinPart
	current *expected
	until   affiliate.Day // the last day on which current applies
}

// mostVaried is how many mixed days a series without terms can have before it counts what share of
// the records they are.
const mostVaried = 20

// variesDaily reports whether most records without a term are of days with several rates, so that
// there is no constant rate that could change. Their records need not be read.
func (s *series) variesDaily() bool {
	var days, varied, all int64
	for i := range s.pieces {
		p := &s.pieces[i]
		if p.expected != nil {
			continue
		}
		n := p.records()
		all += n
		if p.kind == mixed {
			days, varied = days+1, varied+n
		}
	}
	return days > mostVaried && 2*varied > all
}

// toRead reports whether the records of a piece must be read.
func (s *series) toRead(p *piece) bool {
	return p.kind == mixed && (p.expected != nil || !s.varies)
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
	if n := len(s.pieces); n > 0 && s.pieces[n-1].from == 0 && s.pieces[n-1].expected == next.expected && (s.pieces[n-1].days.First < s.first) == (s.day < s.first) {
		last = &s.pieces[n-1]
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
		s.pieces = append(s.pieces, next)
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
