package books

import (
	"time"

	"rebatedesk/affiliate"
)

// Kind says whose commissions a payment is for.
type Kind string

// Kinds, by their names in exports.
const (
	Direct Kind = "direct" // including those of a source that the interface document does not list
	Sub    Kind = "sub"    // of sub-agents' clients
	All    Kind = "all"    // both in one sum
)

// Period is how long the exchange collects commissions before it pays them.
type Period string

// Periods, in the zone of the exchange, which is UTC unless [Input.Ahead] says otherwise. A week
// begins on Monday.
const (
	Hour  Period = "hour"
	Day   Period = "day"
	Week  Period = "week"
	Month Period = "month"
)

// Rule says when the exchange pays commissions, and by which bills.
type Rule struct {
	Period   Period
	Delay    time.Duration     // from the end of a period to its payment
	Window   time.Duration     // how much later a payment is still on time
	Together bool              // one sum for direct commissions and those of sub-agents
	Types    map[Kind][]string // business types of its bills: of Direct and Sub, or of All; a type may be in both
}

// HourSum is the commission of one UTC hour.
type HourSum struct {
	Account    affiliate.Account
	Coin       affiliate.Coin
	Source     affiliate.Source
	Start      affiliate.Millis
	Commission affiliate.Sum
}

// Change is a difference in a record of commission that the exchange made after the day was
// first read whole.
type Change struct {
	Account    affiliate.Account
	Coin       affiliate.Coin
	Source     affiliate.Source
	Deal       affiliate.Millis // when the commission was earned
	Noticed    affiliate.Millis
	Difference affiliate.Sum // after − before
}

// Bill is a bill of any business type that may be a payment.
type Bill struct {
	Account affiliate.Account
	affiliate.Bill
}

// Input is what the books are made of.
type Input struct {
	Earned  []HourSum // as known at the instant of the question
	Changes []Change  // which Earned contains
	Bills   []Bill    // of any order; an unknown amount counts as 0
	// Earned and Paid of an account are known for these instants: from a start until before an
	// end. Between them nothing is missing.
	EarnedKnown, PaidKnown map[affiliate.Account][]Stretch
	// Ahead is how far the zone of an account's exchange is ahead of UTC: its days, weeks and months
	// begin that much earlier.
	Ahead map[affiliate.Account]affiliate.Millis
	Now   affiliate.Millis // by the exchange's clock
}

// Stretch is a range of time that excludes its end.
type Stretch struct{ From, To affiliate.Millis }

// State says how the bills of a period compare with its commission.
type State string

// States, by their names in exports.
const (
	Matched     State = "matched"
	Short       State = "short"
	Over        State = "over"
	Missing     State = "missing"
	Twice       State = "twice"
	Late        State = "late"        // paid in full, but after the rule's time
	Pending     State = "pending"     // not due yet, or not collected on both sides, or paid before all its commissions were listed
	Unexplained State = "unexplained" // a payment that belongs to no period
)

// Fixed is a rule with the instant from which it holds.
type Fixed struct {
	Account affiliate.Account
	From    affiliate.Millis // the start of a UTC day
	Rule    Rule
}

// Books are the payments of all accounts compared with what was earned.
type Books struct {
	// Lines of the accounts that have a rule, by time, account, coin and kind. Together they
	// hold every earned amount and every counted bill once.
	Lines []Line
	// Counted are the bills that count as payments, oldest first: those whose business type a
	// rule of the account names, and those of [DefaultTypes] if the account has no rule.
	Counted []Bill
	Totals  []Total // by account and coin
	Hints   []PaidElsewhere
}

// Line is one period, coin and kind of an account, or one payment without a period.
type Line struct {
	From, To affiliate.Millis // the period, which excludes To; both the time of the bill if it is Unexplained
	Account  affiliate.Account
	Coin     affiliate.Coin
	Kind     Kind
	Earned   affiliate.Sum // as known at the instant of the question
	WhenPaid affiliate.Sum // as known to the exchange when it first paid; equal to Earned without a bill
	LastPaid affiliate.Sum // as known to the exchange when it last paid; equal to Earned without a bill
	Paid     affiliate.Sum
	Due      affiliate.Millis // when the payment is late
	State    State
	Bills    []Bill // oldest first
}

// Difference returns Paid − Earned.
func (l *Line) Difference() affiliate.Sum {
	d := l.Paid
	d.AddSum(l.Earned.Negated())
	return d
}

// Restated returns what the exchange changed in the commission after it was paid: Earned −
// WhenPaid.
func (l *Line) Restated() affiliate.Sum {
	d := l.Earned
	d.AddSum(l.WhenPaid.Negated())
	return d
}

// Score says how much of the payments a rule explains to the last digit.
type Score struct {
	Rule      Rule
	Bills     int // of its business types with positive amounts
	Explained int // of them those that pay a period exactly and on time
	Coins     []CoinScore
}

// CoinScore is the Score in one coin, of bills with positive amounts.
type CoinScore struct {
	Coin            affiliate.Coin
	Paid, Explained affiliate.Sum
}
