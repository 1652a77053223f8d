package rates

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/store/sums"
	"rebatedesk/terms"
)

// Line is records of one invitee, product and coin that follow each other in time, with one
// agreed rate and one paid rate.
type Line struct {
	sums.InviteeKey
	Code    string
	Product affiliate.Product
	Source  affiliate.Source
	Coin    affiliate.Coin
	Term    terms.Term // ID 0: no term applies; the agreed rate is the one before a break

	Days     affiliate.Days
	From, To affiliate.Millis // deal times of the first and the last record; unknown until [fillTimes]
	Records  int64
	Fee      affiliate.Sum
	Agreed   decimal.Decimal  // a fraction
	Paid     affiliate.Number // a fraction; empty: no record has a rate of its own
	Unjudged bool             // the fee or the commission of these records is not known

	Commission affiliate.Sum
	Due        decimal.Decimal // fee × agreed rate, rounded as [affiliate.Times] says
	Cause      Cause
}

// Difference returns commission − due. A loss is negative.
func (l *Line) Difference() decimal.Decimal { return l.Commission.Decimal().Sub(l.Due) }

// Cause tells why records were or were not paid as agreed.
type Cause string

// Causes of the difference between paid and agreed commission. Their differences add up to the
// whole difference.
const (
	AsAgreed      Cause = "as agreed"
	Rounded       Cause = "rounding"   // less than a unit of the last digit that the exchange gives, for each record
	Underpaid     Cause = "underpaid"  // in a finding
	Overpaid      Cause = "overpaid"   // in a finding
	NoCommission  Cause = "upline"     // a fee without commission: an upline has the same rate
	OfSubAgent    Cause = "sub-agent"  // paid otherwise, but the term does not say whether it is meant for clients of sub-agents
	TakenBack     Cause = "clawback"   // a negative fee or commission
	NothingDue    Cause = "no fee due" // commission without a fee
	AmountUnknown Cause = "unknown"    // a fee or commission that the exchange did not give: not judged
)

// Causes lists the causes in the order in which they are shown.
func Causes() []Cause {
	return []Cause{Underpaid, Overpaid, AsAgreed, Rounded, NoCommission, OfSubAgent, TakenBack, NothingDue, AmountUnknown}
}

// causeOf tells why a piece of a coin was or was not paid as expected.
func (s *series) causeOf(p *piece, c *coinPart) Cause {
	due := p.expected
	off := due.off(c.fee, c.commission)
	switch {
	case p.kind == unknown:
		return AmountUnknown
	case p.kind == taken:
		return TakenBack
	case p.kind == bonus:
		return NothingDue
	case off.Cmp(&zero) == 0:
		return AsAgreed
	case due.fits(c.fee, c.commission, c.records, c.unit):
		return Rounded
	case c.commission.Cmp(&zero) == 0 && (due.found == nil || due.found.after.units != 0):
		return NoCommission
	case s.Source == affiliate.SubAgent && due.found == nil && due.term.Source == "":
		return OfSubAgent
	case off.Cmp(&zero) < 0:
		return Underpaid
	}
	return Overpaid
}

// lines gathers the records of the range that have an expected rate. It tells each part of a line
// with its cause and its share of what is due: those of a line add up to its due exactly.
func (s *series) lines(tell func(c *coinPart, cause Cause, due decimal.Decimal)) []Line {
	var list []Line
	type openKey struct {
		coin affiliate.Coin
		kind kind // records without a rate of their own do not end a line
	}
	open := map[openKey]int{}
	for i := range s.pieces {
		p := &s.pieces[i]
		if p.expected == nil || p.days.First < s.first {
			continue
		}
		for n := range p.coins {
			c := &p.coins[n]
			of := p.kind
			if of == free {
				of = paid
			}
			key := openKey{c.coin, of}
			at, ok := open[key]
			if ok {
				l := &list[at]
				same := l.Term == p.expected.term && l.Agreed.Equal(p.expected.Decimal())
				ok = same && (of != paid || p.kind == free || l.Paid == "" || l.Paid == affiliate.Number(p.rate.Decimal().String()))
			}
			if !ok {
				at = len(list)
				open[key] = at
				list = append(list, Line{InviteeKey: s.InviteeKey, Code: s.code, Product: s.Product, Source: s.Source, Coin: c.coin,
					Term: p.expected.term, Days: c.days, From: c.from, Agreed: p.expected.Decimal(), Unjudged: of == unknown})
			}
			l := &list[at]
			if p.kind == paid && l.Paid == "" {
				l.Paid = affiliate.Number(p.rate.Decimal().String())
			}
			l.Days.Last, l.To = c.days.Last, c.to
			l.Records += c.records
			l.Fee.AddSum(c.fee)
			l.Commission.AddSum(c.commission)
			before, cause := l.Due, s.causeOf(p, c)
			if p.kind != unknown {
				l.Due = affiliate.Times(l.Fee.Decimal(), l.Agreed)
			}
			tell(c, cause, l.Due.Sub(before))
			if l.Cause == "" || l.Cause == AsAgreed {
				l.Cause = cause
			}
		}
	}
	return list
}

// LineSorts lists the columns by which lines can be sorted.
var LineSorts = []string{"account", "uid", "code", "product", "coin", "from", "records", "fee", "agreed", "paid", "due", "commission", "difference"}

// compareLines is the order of all lines, which is the same for every engine.
func compareLines(a, b *Line) int {
	return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.UID, b.UID), cmp.Compare(a.Product, b.Product), cmp.Compare(a.Coin, b.Coin),
		cmp.Compare(a.Days.First, b.Days.First), cmp.Compare(a.From, b.From), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Term.ID, b.Term.ID),
		a.Agreed.Cmp(b.Agreed), cmp.Compare(a.Paid, b.Paid))
}

// coinSorts are the columns that are sorted within each coin.
var coinSorts = []string{"fee", "due", "commission", "difference"}

// sortLines puts lines in an order.
func sortLines(list []Line, by query.Sort) {
	compare := map[string]func(a, b *Line) int{
		"account": func(a, b *Line) int { return cmp.Compare(a.Account, b.Account) },
		"uid":     func(a, b *Line) int { return cmp.Compare(a.UID, b.UID) },
		"code":    func(a, b *Line) int { return cmp.Compare(a.Code, b.Code) },
		"product": func(a, b *Line) int { return cmp.Compare(a.Product, b.Product) },
		"coin":    func(a, b *Line) int { return cmp.Compare(a.Coin, b.Coin) },
		"from": func(a, b *Line) int {
			return cmp.Or(cmp.Compare(a.Days.First, b.Days.First), cmp.Compare(a.From, b.From))
		},
		"records":    func(a, b *Line) int { return cmp.Compare(a.Records, b.Records) },
		"fee":        func(a, b *Line) int { return a.Fee.Cmp(&b.Fee) },
		"agreed":     func(a, b *Line) int { return a.Agreed.Cmp(b.Agreed) },
		"paid":       func(a, b *Line) int { return comparePaid(a.Paid, b.Paid) },
		"due":        func(a, b *Line) int { return a.Due.Cmp(b.Due) },
		"commission": func(a, b *Line) int { return a.Commission.Cmp(&b.Commission) },
		"difference": func(a, b *Line) int { return a.Difference().Cmp(b.Difference()) },
	}[by.Field]
	slices.SortFunc(list, func(a, b Line) int {
		one, other := &a, &b
		if by.Descending {
			one, other = other, one
		}
		if compare == nil {
			return compareLines(one, other)
		}
		coins := 0
		if slices.Contains(coinSorts, by.Field) {
			coins = figures.CompareCoins(a.Coin, b.Coin)
		}
		return cmp.Or(coins, compare(one, other), compareLines(&a, &b))
	})
}

func comparePaid(a, b affiliate.Number) int {
	if !a.Known() || !b.Known() {
		return cmp.Compare(min(len(a), 1), min(len(b), 1))
	}
	return a.Cmp(b)
}
