package simulator

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator/market"
	"rebatedesk/exchange/simulator/seeded"
)

// Payout is what the exchange paid, or should have paid, for the commissions
// of one UTC day in one coin. It is paid on the following day, into the spot
// account.
type Payout struct {
	Day       affiliate.Day
	Coin      affiliate.Coin
	Business  string           // bizType of its bills: rr_agent_reward for direct clients, rake_back_reward for those of sub-agents
	Owed      affiliate.Number // the commissions of that day, as they were when it was paid
	Paid      affiliate.Number // the sum of its bills
	Deviation Deviation
	At        affiliate.Millis // when it was paid, or would have been
	BillIDs   []string
}

// Deviation is what is wrong with a payout.
type Deviation string

// The deviations. None is a payout that is as it should be.
const (
	DeviationNone    Deviation = ""
	DeviationMissing Deviation = "missing" // nothing was paid
	DeviationShort   Deviation = "short"   // less was paid
	DeviationDoubled Deviation = "doubled" // the same was paid twice
)

// deviates says how a payout of the day with that number, counted from the
// first one, deviates: in each month of a coin there is one of each kind.
func deviates(seed int64, coin affiliate.Coin, business string, number int64) Deviation {
	const cycle = 31
	shift := seeded.Key(seed, "payouts "+string(coin)+business) % cycle
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

// debt is what is owed for a day in one coin.
type debt struct {
	debtKey
	amount decimal.Decimal
}

type debtKey struct {
	coin     affiliate.Coin
	business string
}

func businessOf(source affiliate.Source) string {
	if source == affiliate.SubAgent {
		return "rake_back_reward"
	}
	return "rr_agent_reward"
}

// payDay pays what is owed for a day, a coin after the other.
func (a *account) payDay(at int64, d affiliate.Day) {
	for _, owed := range a.owed(d) {
		at += 1000 + int64(seeded.Mix(uint64(a.seed), uint64(at))%30_000)
		a.agenda.enter(at, func(at int64) { a.pay(at, d, owed) })
	}
}

func (a *account) pay(at int64, d affiliate.Day, owed debt) {
	p := Payout{
		Day: d, Coin: owed.coin, Business: owed.business, Owed: numberOf(owed.amount),
		Deviation: deviates(a.seed, owed.coin, owed.business, int64(d)), At: affiliate.Millis(at),
	}
	times, amount := 1, owed.amount
	switch p.Deviation {
	case DeviationMissing:
		times = 0
	case DeviationShort:
		amount = amount.Mul(decimal.New(9, -1))
	case DeviationDoubled:
		times = 2
	}
	for range times {
		id := a.book(&a.spotBills, a.spot, bill{coin: owed.coin, business: owed.business, at: at, delta: amount})
		p.BillIDs = append(p.BillIDs, strconv.FormatInt(id, 10))
	}
	paid := amount.Mul(decimal.NewFromInt(int64(times)))
	p.Paid = numberOf(paid)
	if owed.coin == "USDT" {
		a.rewards = a.rewards.Add(paid)
	}
	a.payouts = append(a.payouts, p)
}

// tally adds up units of 10^-12 beyond 64 bits.
type tally struct{ high, low uint64 }

func (t *tally) add(units int64) {
	var carry uint64
	t.low, carry = bits.Add64(t.low, uint64(units), 0)
	t.high += carry
}

// decimal is the sum.
func (t tally) decimal() decimal.Decimal {
	const half = 1 << 32
	low := decimal.NewFromUint64(t.low)
	high := decimal.NewFromUint64(t.high).Mul(decimal.NewFromInt(half)).Mul(decimal.NewFromInt(half))
	return high.Add(low).Shift(-commissionDecimals)
}

// owed are the commissions of a UTC day, the coins in a fixed order. Those that
// are not listed yet count as well: the exchange knows its trades.
func (s *Simulator) owed(d affiliate.Day) []debt {
	sums := map[debtKey]*tally{}
	more := map[debtKey]decimal.Decimal{}
	of := func(key debtKey) *tally {
		if sums[key] == nil {
			sums[key] = &tally{}
		}
		return sums[key]
	}
	from, to := int64(d)*day, int64(d+1)*day
	for _, product := range products(s.ledger.rows) {
		all := s.ledger.rows[product]
		for _, r := range all[place(all, from-1, rowTime):place(all, to-1, rowTime)] {
			if c := r.custom; c != nil {
				// What a test inserted need not be a number.
				if n, err := affiliate.ParseNumber(string(c.Commission)); err == nil {
					key := debtKey{c.Coin, businessOf(c.Source)}
					more[key] = more[key].Add(n.Decimal())
				}
				continue
			}
			of(s.debtKey(r)).add(r.fee * int64(r.rate))
		}
	}
	if s.life != nil {
		for _, r := range s.life.unlisted(from, to) {
			of(s.debtKey(r)).add(r.fee * int64(r.rate))
		}
	}
	for key, sum := range sums {
		more[key] = more[key].Add(sum.decimal())
	}
	var all []debt
	for key, amount := range more {
		if amount.IsPositive() && market.CoinNamed(key.coin) != nil {
			all = append(all, debt{key, amount})
		}
	}
	slices.SortFunc(all, func(a, b debt) int {
		return strings.Compare(string(a.coin)+a.business, string(b.coin)+b.business)
	})
	return all
}

func (s *Simulator) debtKey(r row) debtKey {
	return debtKey{pairs[r.pair].coin, businessOf(s.programme.traders[r.who].source())}
}
