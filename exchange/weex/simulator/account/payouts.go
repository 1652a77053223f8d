package account

import (
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/programme"
	"rebatedesk/exchange/weex/simulator/seeded"
)

// PayoutRule says when and how the exchange pays commissions into the spot account, which the
// interface document does not. The zero rule pays those of each UTC day eight hours after its
// end, direct ones and those of sub-agents apart, with the usual faults.
type PayoutRule struct {
	Period   PayoutPeriod  // of the commissions in one payout; empty: a day
	Delay    time.Duration // from the end of a period to its payment; 0: eight hours
	Together bool          // one sum for direct commissions and those of sub-agents
	Faults   PayoutFaults  // empty: PayoutFaultsUsual
}

// PayoutPeriod is how long the exchange collects commissions before it pays them.
type PayoutPeriod string

// Periods, in UTC. A week begins on Monday.
const (
	PayHourly  PayoutPeriod = "hour"
	PayDaily   PayoutPeriod = "day"
	PayWeekly  PayoutPeriod = "week"
	PayMonthly PayoutPeriod = "month"
)

// PayoutPeriods lists the periods.
func PayoutPeriods() []PayoutPeriod {
	return []PayoutPeriod{PayHourly, PayDaily, PayWeekly, PayMonthly}
}

// PayoutFaults is how often payouts are wrong.
type PayoutFaults string

// Frequencies of faults.
const (
	PayoutFaultsNone  PayoutFaults = "none"
	PayoutFaultsUsual PayoutFaults = "usual" // in 31 periods of a coin and kind each deviation once
	PayoutFaultsFew   PayoutFaults = "few"   // one late, one short and one missing, in the 60 days before the start
)

// usualDelay is the time from the end of a period to its payment.
const usualDelay = 8 * time.Hour

// complete returns the rule with what it leaves out.
func (r PayoutRule) complete() PayoutRule {
	if r.Period == "" {
		r.Period = PayDaily
	}
	if r.Delay == 0 {
		r.Delay = usualDelay
	}
	if r.Faults == "" {
		r.Faults = PayoutFaultsUsual
	}
	return r
}

// around returns the period that contains an instant: its start and its end (ms).
func (p PayoutPeriod) around(at int64) (from, to int64) {
	today := affiliate.Day(at / day)
	days := func(first, next affiliate.Day) (int64, int64) { return int64(first) * day, int64(next) * day }
	switch p {
	case PayHourly:
		from = at - at%hour
		return from, from + hour
	case PayWeekly:
		monday := today - affiliate.Day((today.Weekday()+6)%7)
		return days(monday, monday+7)
	case PayMonthly:
		year, month, _ := today.Date()
		return days(affiliate.NewDay(year, month, 1), affiliate.NewDay(year, month+1, 1))
	}
	return days(today, today+1)
}

// Payout is the payment, made or due, for the commissions of one period in one coin.
type Payout struct {
	From, To  affiliate.Millis // the period: from its start until before its end
	Coin      affiliate.Coin
	Business  string           // bizType of its bills: rr_agent_reward for direct clients and for both kinds together, rake_back_reward for those of sub-agents
	Together  bool             // direct commissions and those of sub-agents in one sum
	Owed      affiliate.Number // the commissions of the period, as of the payment; 0 for a payment without a reason
	Paid      affiliate.Number // the sum of its bills
	Deviation Deviation
	At        affiliate.Millis // when it was paid, or would have been
	Bills     []RewardBill     // oldest first
}

// RewardBill is a bill of a payout.
type RewardBill struct {
	ID     string
	At     affiliate.Millis
	Amount affiliate.Number
}

// Kind returns whose commissions are paid: direct, sub or all.
func (p *Payout) Kind() string {
	switch {
	case p.Together:
		return "all"
	case p.Business == programme.SubReward:
		return "sub"
	}
	return "direct"
}

// Deviation is the error in a payout.
type Deviation string

// Deviations. None means that a payout is correct.
const (
	DeviationNone    Deviation = ""
	DeviationMissing Deviation = "missing" // nothing was paid
	DeviationShort   Deviation = "short"   // less was paid
	DeviationDoubled Deviation = "doubled" // the same was paid twice
	DeviationOver    Deviation = "over"    // more was paid
	DeviationLate    Deviation = "late"    // all was paid, but days later
	DeviationTaken   Deviation = "taken"   // a part of what was paid was taken back later
	DeviationStray   Deviation = "stray"   // a payment without commissions
)

// deviates returns how a payout of the period with that number deviates.
func (a *SpotAccount) deviates(coin affiliate.Coin, business string, number int64) Deviation {
	if a.rule.Faults != PayoutFaultsUsual {
		return DeviationNone
	}
	const cycle = 31
	shift := seeded.Subseed(a.seed, "payouts "+string(coin)+business) % cycle
	switch (uint64(number) + shift) % cycle {
	case 1:
		return DeviationOver
	case 4:
		return DeviationMissing
	case 10:
		return DeviationTaken
	case 13:
		return DeviationShort
	case 19:
		return DeviationLate
	case 22:
		return DeviationDoubled
	case 28:
		return DeviationStray
	}
	return DeviationNone
}

// plannedFault is one of a few faults: that of a payout in the first period with commissions
// that ends after an instant.
type plannedFault struct {
	after     int64
	deviation Deviation
}

// fewFaults plans the faults of [PayoutFaultsFew], before the start of the programme (ms).
func fewFaults(seed, start int64) []plannedFault {
	shift := int64(seeded.Subseed(seed, "few payouts")%5) * day
	return []plannedFault{
		{start - 47*day + shift, DeviationLate}, {start - 28*day + shift, DeviationShort}, {start - 13*day + shift, DeviationMissing},
	}
}

// takeFault returns the planned fault of a period that ends at an instant, and which of its
// payouts has it: one in US dollars if there is any. It returns -1 if none has.
func (a *SpotAccount) takeFault(to int64, debts []programme.Debt) (int, Deviation) {
	if len(debts) == 0 || len(a.faults) == 0 || to <= a.faults[0].after {
		return -1, DeviationNone
	}
	next := a.faults[0]
	a.faults = a.faults[1:]
	var all, dollars []int
	for i, owed := range debts {
		all = append(all, i)
		if owed.Coin == "USDT" {
			dollars = append(dollars, i)
		}
	}
	if len(dollars) > 0 {
		all = dollars
	}
	return all[seeded.Subseed(a.seed, "payout with a fault "+string(next.deviation))%uint64(len(all))], next.deviation
}

// planPayout enters the payout of the period that contains an instant.
func (a *SpotAccount) planPayout(at int64) {
	from, to := a.rule.Period.around(at)
	a.plan(to+a.rule.Delay.Milliseconds(), func(at int64) {
		a.payPeriod(at, from, to)
		a.planPayout(to)
	})
}

// payPeriod pays the commissions of a period, one coin after another.
func (a *SpotAccount) payPeriod(at, from, to int64) {
	debts := a.joined(a.owed(from, to))
	faulty, fault := a.takeFault(to, debts)
	length := to - from
	if a.rule.Period == PayMonthly {
		length = 30 * day // months differ, but each has its own number
	}
	for i, owed := range debts {
		deviation := a.deviates(owed.Coin, owed.Business, from/length)
		if i == faulty {
			deviation = fault
		}
		at += 1000 + int64(seeded.Mix(uint64(a.seed), uint64(at))%30_000)
		a.plan(at, func(at int64) { a.pay(at, from, to, owed, deviation) })
	}
}

// joined makes one debt of those in a coin if both kinds are paid together.
func (a *SpotAccount) joined(all []programme.Debt) []programme.Debt {
	if !a.rule.Together {
		return all
	}
	var joined []programme.Debt
	for _, owed := range all { // ordered by coin
		owed.Business = programme.DirectReward
		if last := len(joined) - 1; last >= 0 && joined[last].Coin == owed.Coin {
			joined[last].Amount = joined[last].Amount.Add(owed.Amount)
			continue
		}
		joined = append(joined, owed)
	}
	return joined
}

// Times after which a deviation shows.
const (
	lateBy  = 5*day + 3*hour
	takenBy = 9*day + 5*hour
	strayBy = 3*hour + 20*minute
)

func (a *SpotAccount) pay(at, from, to int64, owed programme.Debt, deviation Deviation) {
	p := Payout{
		From: affiliate.Millis(from), To: affiliate.Millis(to), Coin: owed.Coin, Business: owed.Business, Together: a.rule.Together,
		Owed: NumberOf(owed.Amount), Paid: "0", Deviation: deviation, At: affiliate.Millis(at),
	}
	a.Payouts = append(a.Payouts, p)
	bill := func(i int) func(int64, decimal.Decimal) {
		return func(at int64, amount decimal.Decimal) { a.reward(&a.Payouts[i], at, amount) }
	}(len(a.Payouts) - 1)
	part := owed.Amount.Mul(decimal.New(1, -1))
	switch p.Deviation {
	case DeviationNone:
		bill(at, owed.Amount)
	case DeviationMissing:
	case DeviationShort:
		bill(at, owed.Amount.Sub(part))
	case DeviationOver:
		bill(at, owed.Amount.Add(part))
	case DeviationDoubled:
		bill(at, owed.Amount)
		bill(at, owed.Amount)
	case DeviationLate:
		a.plan(at+lateBy, func(at int64) { bill(at, owed.Amount) })
	case DeviationTaken:
		bill(at, owed.Amount)
		a.plan(at+takenBy, func(at int64) { bill(at, part.Neg()) })
	case DeviationStray:
		a.Payouts[len(a.Payouts)-1].Deviation = DeviationNone
		bill(at, owed.Amount)
		a.plan(at+strayBy, func(at int64) { a.payStray(at, owed) })
	}
}

// payStray pays an amount that no commissions explain.
func (a *SpotAccount) payStray(at int64, like programme.Debt) {
	a.Payouts = append(a.Payouts, Payout{
		From: affiliate.Millis(at), To: affiliate.Millis(at), Coin: like.Coin, Business: like.Business, Together: a.rule.Together,
		Owed: "0", Paid: "0", Deviation: DeviationStray, At: affiliate.Millis(at),
	})
	// With more decimals than commissions have, the amount is never that of a period.
	amount := like.Amount.Mul(decimal.New(37, -2)).Truncate(8).Add(decimal.New(1_000_007, -14))
	a.reward(&a.Payouts[len(a.Payouts)-1], at, amount)
}

// reward writes a bill of a payout.
func (a *SpotAccount) reward(p *Payout, at int64, amount decimal.Decimal) {
	id := a.book(&a.SpotBills, a.Spot, BookedBill{Coin: p.Coin, Business: p.Business, At: at, Delta: amount})
	p.Bills = append(p.Bills, RewardBill{strconv.FormatInt(id, 10), affiliate.Millis(at), NumberOf(amount)})
	p.Paid = NumberOf(p.Paid.Decimal().Add(amount))
	if p.Coin == "USDT" {
		a.rewards = a.rewards.Add(amount)
	}
}
