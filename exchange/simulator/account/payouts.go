package account

import (
	"strconv"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator/programme"
	"rebatedesk/exchange/simulator/seeded"
)

// Payout is the payment, made or due, for the commissions of one UTC day in one coin.
// It is paid into the spot account on the following day.
type Payout struct {
	Day       affiliate.Day
	Coin      affiliate.Coin
	Business  string           // bizType of its bills: rr_agent_reward for direct clients, rake_back_reward for those of sub-agents
	Owed      affiliate.Number // the commissions of that day, as of the payment
	Paid      affiliate.Number // the sum of its bills
	Deviation Deviation
	At        affiliate.Millis // when it was paid, or would have been
	BillIDs   []string
}

// Deviation is the error in a payout.
type Deviation string

// Deviations. None means that a payout is correct.
const (
	DeviationNone    Deviation = ""
	DeviationMissing Deviation = "missing" // nothing was paid
	DeviationShort   Deviation = "short"   // less was paid
	DeviationDoubled Deviation = "doubled" // the same was paid twice
)

// deviates returns how a payout on the day with that number, counted from the first day,
// deviates. Each month of a coin has one deviation of each kind.
func deviates(seed int64, coin affiliate.Coin, business string, number int64) Deviation {
	const cycle = 31
	shift := seeded.Subseed(seed, "payouts "+string(coin)+business) % cycle
	switch (uint64(number) + shift) % cycle {
	case 4:
		return DeviationMissing
	case 13:
		return DeviationShort
	case 22:
		return DeviationDoubled
	}
	return DeviationNone
}

// payDay pays the commissions of a day, one coin after another.
func (a *SpotAccount) payDay(at int64, d affiliate.Day) {
	for _, owed := range a.owed(d) {
		at += 1000 + int64(seeded.Mix(uint64(a.seed), uint64(at))%30_000)
		a.agenda.enter(at, func(at int64) { a.pay(at, d, owed) })
	}
}

func (a *SpotAccount) pay(at int64, d affiliate.Day, owed programme.Debt) {
	p := Payout{
		Day: d, Coin: owed.Coin, Business: owed.Business, Owed: NumberOf(owed.Amount),
		Deviation: deviates(a.seed, owed.Coin, owed.Business, int64(d)), At: affiliate.Millis(at),
	}
	times, amount := 1, owed.Amount
	switch p.Deviation {
	case DeviationMissing:
		times = 0
	case DeviationShort:
		amount = amount.Mul(decimal.New(9, -1))
	case DeviationDoubled:
		times = 2
	}
	for range times {
		id := a.book(&a.SpotBills, a.Spot, BookedBill{Coin: owed.Coin, Business: owed.Business, At: at, Delta: amount})
		p.BillIDs = append(p.BillIDs, strconv.FormatInt(id, 10))
	}
	paid := amount.Mul(decimal.NewFromInt(int64(times)))
	p.Paid = NumberOf(paid)
	if owed.Coin == "USDT" {
		a.rewards = a.rewards.Add(paid)
	}
	a.Payouts = append(a.Payouts, p)
}
