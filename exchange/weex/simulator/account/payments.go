package account

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/programme"
)

// Payment is one period of the simulator's ledger: the commission earned in it as the exchange
// lists it now, and the payments for it so far.
//
// The states follow from that, whatever the reason was:
//   - A period with commissions is pending until its payment is due, and so is one that is
//     paid in part. The payment is due an hour after the rule's time, or a quarter of an hour
//     if the periods are hours.
//   - Without a bill it is missing from then on, also if the payment is only late: that makes
//     it late once it arrives.
//   - Less or more than is listed now is short or over, also because a record was changed
//     after the payment. The same amount again is twice. Too much is pending for three days
//     after the period, because some of its commissions may not be listed yet.
//   - A payment without commissions is unexplained: a line of its own with nothing earned. So
//     is a part that is taken back later. The line of the payment stays as it was, because
//     nothing that the exchange lists tells which payment that part was of.
type Payment struct {
	From, To affiliate.Millis // the period; both the time of the bill if it is unexplained
	Coin     affiliate.Coin
	Kind     string // direct, sub or all
	Earned   affiliate.Number
	Paid     affiliate.Number
	State    string       // a state of the export of payments
	Bills    []RewardBill // oldest first
}

// Difference returns Paid − Earned.
func (p *Payment) Difference() affiliate.Number {
	return NumberOf(p.Paid.Decimal().Sub(p.Earned.Decimal()))
}

// FirstPaid returns when its first bill was written, or 0 without a bill.
func (p *Payment) FirstPaid() affiliate.Millis {
	if len(p.Bills) == 0 {
		return 0
	}
	return p.Bills[0].At
}

// LastPaid returns when its last bill was written, or 0 without a bill.
func (p *Payment) LastPaid() affiliate.Millis {
	if len(p.Bills) == 0 {
		return 0
	}
	return p.Bills[len(p.Bills)-1].At
}

// payoutKey identifies the payout of a period.
type payoutKey struct {
	from     int64
	coin     affiliate.Coin
	business string
}

// Payments returns the lines of all periods with commissions or payments, by time, coin and
// kind.
func (a *SpotAccount) Payments(listed *programme.Records) []Payment {
	var lines []Payment
	paid := map[payoutKey]*Payout{}
	for i := range a.Payouts {
		p := &a.Payouts[i]
		var own []RewardBill
		for _, b := range p.Bills {
			if p.Deviation == DeviationStray || p.Deviation == DeviationTaken && b.Amount[0] == '-' {
				lines = append(lines, Payment{
					From: b.At, To: b.At, Coin: p.Coin, Kind: p.Kind(), Earned: "0", Paid: b.Amount, State: "unexplained", Bills: []RewardBill{b},
				})
				continue
			}
			own = append(own, b)
		}
		if p.Deviation != DeviationStray {
			of := *p
			of.Bills = own
			paid[payoutKey{int64(p.From), p.Coin, p.Business}] = &of
		}
	}
	start := func(at int64) int64 {
		from, _ := a.rule.Period.around(at)
		return from
	}
	for from, debts := range listed.Earned(start) {
		_, to := a.rule.Period.around(from)
		for _, owed := range a.joined(debts) {
			key := payoutKey{from, owed.Coin, owed.Business}
			p := paid[key]
			delete(paid, key)
			if p == nil {
				p = &Payout{From: affiliate.Millis(from), To: affiliate.Millis(to), Coin: owed.Coin, Business: owed.Business, Together: a.rule.Together}
			}
			lines = append(lines, a.payment(p, owed.Amount))
		}
	}
	for _, p := range paid { // whose commissions are no longer listed, or not yet
		if len(p.Bills) > 0 {
			lines = append(lines, a.payment(p, decimal.Zero))
		}
	}
	slices.SortFunc(lines, func(x, y Payment) int {
		c := cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To), cmp.Compare(x.Coin, y.Coin), cmp.Compare(x.Kind, y.Kind))
		if c == 0 { // both are single bills
			c = cmp.Or(cmp.Compare(len(x.Bills[0].ID), len(y.Bills[0].ID)), cmp.Compare(x.Bills[0].ID, y.Bills[0].ID))
		}
		return c
	})
	return slices.DeleteFunc(lines, func(p Payment) bool { return len(p.Bills) == 0 && p.Earned.IsZero() })
}

// listedAfter is how long after a period its last commissions may be listed.
const listedAfter = 3 * day

// payment compares a payout with what was earned.
func (a *SpotAccount) payment(p *Payout, earned decimal.Decimal) Payment {
	sum := decimal.Zero
	for _, b := range p.Bills {
		sum = sum.Add(b.Amount.Decimal())
	}
	tolerance := hour
	if a.rule.Period == PayHourly {
		tolerance = 15 * minute
	}
	due := a.clock > int64(p.To)+a.rule.Delay.Milliseconds()+tolerance
	line := Payment{
		From: p.From, To: p.To, Coin: p.Coin, Kind: p.Kind(), Earned: NumberOf(earned), Paid: NumberOf(sum), State: "matched", Bills: p.Bills,
	}
	switch c := sum.Cmp(earned); {
	case !due && (c < 0 || len(p.Bills) == 0):
		line.State = "pending"
	case c < 0 && len(p.Bills) == 0:
		line.State = "missing"
	case c < 0:
		line.State = "short"
	case c > 0 && p.Deviation == DeviationDoubled:
		line.State = "twice"
	case c > 0 && a.clock < int64(p.To)+listedAfter:
		line.State = "pending"
	case c > 0:
		line.State = "over"
	case p.Deviation == DeviationLate:
		line.State = "late"
	}
	return line
}
