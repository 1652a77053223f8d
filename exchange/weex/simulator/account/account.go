package account

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/market"
	"rebatedesk/exchange/weex/simulator/programme"
	"rebatedesk/exchange/weex/simulator/seeded"
)

// SpotAccount is the user's money and orders. Each access brings it up to date: every event
// since the last access is applied in chronological order, so that nothing depends on when
// or how often it is accessed.
type SpotAccount struct {
	ID        string
	seed      int64
	owed      func(from, to int64) []programme.Debt
	rule      PayoutRule
	faults    []plannedFault // that payouts will have, if only a few have
	agenda    agenda
	until     int64 // ms; payouts and the user's transfers end here
	clock     int64 // ms; all events up to here have been applied
	advancing bool
	lastID    int64

	Spot, Funding Wallet
	SpotBills     []BookedBill
	FundingBills  []BookedBill
	Transfers     []Movement
	Payouts       []Payout
	rewards       decimal.Decimal // USDT paid out since the last transfer

	Orders   []*SpotOrder // all orders, oldest first
	byID     map[int64]*SpotOrder
	byClient map[string]*SpotOrder
	received map[string]int // requests to place an order by the client's identifier, including refused ones
	Open     []*SpotOrder
	Fills    []SpotFill

	triggerList []*PendingTrigger
	triggers    map[string]*PendingTrigger // trigger orders by the client's identifier
}

// openingBalances are the balances of a new account unless others are given.
var openingBalances = map[affiliate.Coin]affiliate.Number{
	"USDT": "50000", "USDC": "10000", "BTC": "0.75", "ETH": "12", "SOL": "150", "XRP": "8000", "DOGE": "60000",
}

// New opens an account with the first day of the programme, and with the usual balances if
// none are given. The history of the programme ends at the start; live says that payouts and
// transfers go on after it. owed returns the commissions from one instant until before another,
// which are paid by the rule.
func New(seed int64, balances map[affiliate.Coin]affiliate.Number, first, start int64, live bool, rule PayoutRule, owed func(from, to int64) []programme.Debt) *SpotAccount {
	a := &SpotAccount{
		ID: strconv.FormatUint(seeded.Subseed(seed, "account")%9_000_000_000+1_000_000_000, 10), seed: seed,
		owed: owed, rule: rule.complete(), clock: first, until: start,
		Spot: Wallet{}, Funding: Wallet{},
		byID: map[int64]*SpotOrder{}, byClient: map[string]*SpotOrder{}, received: map[string]int{},
		triggers: map[string]*PendingTrigger{},
	}
	if live {
		a.until = never
	}
	if a.rule.Faults == PayoutFaultsFew {
		a.faults = fewFaults(seed, start)
	}
	if balances == nil {
		balances = openingBalances
	}
	at := first
	for _, coin := range slices.Sorted(maps.Keys(balances)) {
		amount := balances[coin].Decimal()
		if market.CoinNamed(coin) == nil || !amount.IsPositive() {
			continue
		}
		at += minute
		a.agenda.enter(at, func(at int64) {
			a.book(&a.FundingBills, a.Funding, BookedBill{Coin: coin, Business: "deposit", At: at, Delta: amount})
		})
		at += minute
		a.agenda.enter(at, func(at int64) { a.transfer(at, coin, amount, FundingType, SpotType) })
	}
	a.planPayout(first)
	a.plan(first+day+morning, a.morning)
	return a
}

// Advance applies every event up to now: scheduled actions and fills, in chronological
// order.
func (a *SpotAccount) Advance(now int64) {
	if a.advancing {
		return // a postponed order is placed at its own time
	}
	a.advancing = true
	defer func() { a.advancing = false }()
	for {
		o := a.nextDue(now)
		at := a.agenda.next()
		switch {
		case o != nil && o.due < at:
			a.clock = o.due
			a.fillPart(o, o.due)
		case at <= now:
			a.clock = at
			a.agenda.keepNext()
		default:
			a.clock = max(a.clock, now)
			return
		}
	}
}

// morning is the time of the day at which the user moves money.
const morning = 8 * hour

// morning does the work of a day: it moves half of the income to the funding account on
// Mondays, and withdraws some of that on the first of a month.
func (a *SpotAccount) morning(at int64) {
	today := affiliate.Day(at / day)
	if today.Weekday() == time.Monday {
		a.plan(at+2*hour, a.moveRewards)
	}
	if _, _, date := today.Date(); date == 1 {
		a.plan(at+4*hour, a.withdraw)
	}
	a.plan(at+day, a.morning)
}

func (a *SpotAccount) moveRewards(at int64) {
	amount := decimal.Min(a.rewards.Div(decimal.NewFromInt(2)), a.Spot.of("USDT").Available).Truncate(2)
	if amount.IsPositive() {
		a.transfer(at, "USDT", amount, SpotType, FundingType)
	}
	a.rewards = decimal.Zero
}

// withdraw takes most of the funding account's dollars out of the exchange: the amount
// leaves immediately, and the withdrawal completes a little later.
func (a *SpotAccount) withdraw(at int64) {
	fee := decimal.NewFromInt(1)
	amount := a.Funding.of("USDT").Available.Mul(decimal.New(6, -1)).Truncate(2)
	if amount.LessThan(decimal.NewFromInt(20)) {
		return
	}
	a.book(&a.FundingBills, a.Funding, BookedBill{Coin: "USDT", Business: "withdraw_freeze", At: at, Delta: amount.Neg()})
	a.plan(at+20*minute, func(at int64) {
		a.book(&a.FundingBills, a.Funding, BookedBill{Coin: "USDT", Business: "withdraw_complete", At: at, Fees: fee})
	})
}

// newID returns an identifier: a number above 2^53 that grows with time.
func (a *SpotAccount) newID() int64 {
	a.lastID = max(a.lastID+1, a.clock<<20)
	return a.lastID
}

// Later runs an action after a delay, in order with all other events.
func (a *SpotAccount) Later(by time.Duration, do func()) {
	a.agenda.enter(a.clock+by.Milliseconds(), func(int64) { do() })
}

// plan enters an event of the programme, unless the programme has ended by then. Orders go on.
func (a *SpotAccount) plan(at int64, keep func(at int64)) {
	if at <= a.until {
		a.agenda.enter(at, keep)
	}
}
