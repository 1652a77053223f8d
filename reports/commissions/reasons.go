package commissions

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store/sums"
)

// Cause is a fact that explains what a record brought.
type Cause string

// Causes, the most telling first. A record can have several.
const (
	CauseClawback    Cause = "clawback"      // the commission is negative
	CauseNoAmount    Cause = "no amount"     // the exchange gave no fee or no commission
	CauseZeroFeePair Cause = "zero-fee pair" // no fee, as for every trade of the pair
	CauseVoucher     Cause = "voucher"       // no fee, although others pay one in the pair
	CauseZeroFee     Cause = "zero fee"      // no fee; which of the two is not known
	CauseUpline      Cause = "upline"        // a fee without commission: an upline has the same rate
	CauseOtherRate   Cause = "other rate"    // the commission is not fee × the stated rebate rate
	CauseLower       Cause = "lower"         // the rate is below the usual one of the invitee
	CauseHigher      Cause = "higher"        // the rate is above it
	CauseSubAgent    Cause = "sub-agent"     // a client of a sub-agent
	CauseTwin        Cause = "twin"          // the exchange sent equal records
	CauseNoPrice     Cause = "no price"      // the coin has none, so converted totals leave it out
)

// Reason tells why a record brought what it did.
type Reason struct {
	Causes []Cause // in the order of the constants; empty: the record is as usual
	Rate   decimal.Decimal
	Known  bool // whether Rate is known: there is a fee and a commission
	Usual  UsualRate
	Equal  int // number of equal records with this one; 0 = it is the only one

	Earlier []sums.EarlierRecord // what the exchange stated of the trade before, the oldest first
}

// UsualRate is the rate of most peers of a record: of those that paid a fee among the newest
// [sums.MostPeers] records of the same invitee, product and source, from [sums.PeerDays] days up to the
// end of the record's reporting day.
type UsualRate struct {
	Rate   decimal.Decimal // the most frequent one, a fraction
	Having int             // number of peers with it
	Of     int             // number of peers, the record among them
}

// leastPeers is how many peers with a fee show what is usual.
const leastPeers = 5

// Few reports whether there are too few peers to tell what is usual.
func (u UsualRate) Few() bool { return u.Of < leastPeers }

// Known reports whether there is a usual rate: more than half of enough peers have it.
func (u UsualRate) Known() bool { return !u.Few() && 2*u.Having > u.Of }

// RateDigits is the number of decimals of a rate as a fraction, unless the exchange states it.
const RateDigits = 4

// rateOf returns the part of a fee that was passed on, or false without a fee. It is the rate
// that the exchange states if the commission agrees with it, so that cutting tiny amounts
// makes no new rates.
func rateOf(fee, stated, commission affiliate.Number) (rate decimal.Decimal, agrees, ok bool) {
	if !fee.Known() || !commission.Known() || fee.IsZero() {
		return decimal.Decimal{}, true, false
	}
	paid, of := commission.Decimal(), fee.Decimal()
	if stated.Known() {
		due := of.Mul(stated.Decimal())
		if paid.Sub(due).Abs().LessThanOrEqual(decimal.Max(due.Abs().Mul(tolerance), smallest)) {
			return stated.Decimal(), true, true
		}
	}
	return paid.DivRound(of, RateDigits), !stated.Known(), true
}

// A commission agrees with a rate if it differs by less than one part in 200, or by so little
// that the exchange can have cut it off.
var tolerance, smallest = decimal.New(5, -3), decimal.New(1, -8)

// usualOf returns the most frequent rate. Equal frequencies do not matter, since a usual rate
// has more than half.
func usualOf(peers []sums.Peer) (usual UsualRate) {
	counts := map[string]int{}
	for _, p := range peers {
		rate, _, ok := rateOf(p.Fee, p.Rate, p.Commission)
		if !ok {
			continue
		}
		usual.Of++
		key := rate.String()
		counts[key]++
		if n := counts[key]; n > usual.Having || n == usual.Having && rate.LessThan(usual.Rate) {
			usual.Having, usual.Rate = n, rate
		}
	}
	return usual
}

// pairFees knows which pairs had no fee at all.
type pairFees struct {
	known bool
	free  map[string]bool // by symbol
}

// reasonOf finds the causes that a record shows with its usual rate and the fees of its pair.
func reasonOf(c affiliate.Commission, usual UsualRate, fees pairFees) Reason {
	reason := Reason{Usual: usual}
	add := func(cause Cause) { reason.Causes = append(reason.Causes, cause) }
	rate, agrees, ok := rateOf(c.Fee, c.Rate, c.Commission)
	reason.Rate, reason.Known = rate, ok
	negative := c.Commission.Known() && c.Commission.Decimal().IsNegative()
	switch {
	case negative:
		add(CauseClawback)
	case !c.Fee.Known() || !c.Commission.Known():
		add(CauseNoAmount)
	case c.Fee.IsZero() && c.Commission.IsZero() && traded(c):
		add(fees.cause(c.Symbol))
	case c.Commission.IsZero() && c.Fee.Decimal().IsPositive():
		add(CauseUpline)
	}
	if ok && !negative && !c.Commission.IsZero() {
		if !agrees {
			add(CauseOtherRate)
		}
		if usual.Known() {
			switch rate.Cmp(usual.Rate) {
			case -1:
				add(CauseLower)
			case 1:
				add(CauseHigher)
			}
		}
	}
	if c.Source == affiliate.SubAgent {
		add(CauseSubAgent)
	}
	return reason
}

func traded(c affiliate.Commission) bool {
	positive := func(n affiliate.Number) bool { return n.Known() && n.Decimal().IsPositive() }
	return positive(c.TakerAmount) || positive(c.MakerAmount)
}

func (f pairFees) cause(symbol string) Cause {
	switch {
	case !f.known || symbol == "":
		return CauseZeroFee
	case f.free[symbol]:
		return CauseZeroFeePair
	}
	return CauseVoucher
}
