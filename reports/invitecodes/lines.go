package invitecodes

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
)

// CodeLine is one invite code of one account over a range.
type CodeLine struct {
	Account affiliate.Account
	Code    string // empty: the code is not known
	CodeSteps
	FirstDepositors int64 // in the range, whenever they registered
	FirstTraders    int64 // in the range, whenever they registered
	Active          int64 // with at least one record in the range
	InRange         []figures.Totals
	Before          []figures.Totals // in the compared period
	OfRegistered    []figures.Totals // all that was ever earned by those who registered in the range
	Share           figures.Ratio    // of the commission of all lines
	Change          figures.Change   // of the commission
}

// In is what the code brought in the range in one coin.
func (l CodeLine) In(coin affiliate.Coin) figures.Totals { return figures.TotalIn(l.InRange, coin) }

// Was is what the code brought in the compared period in one coin.
func (l CodeLine) Was(coin affiliate.Coin) figures.Totals { return figures.TotalIn(l.Before, coin) }

// Volume is that of all coins together.
func (l CodeLine) Volume() decimal.Decimal { return figures.VolumeOf(l.InRange) }

// Value is the commission per registration: all that those who registered in
// the range ever earned, up to now, divided by how many they are. It is rounded
// to 8 decimals, and not known where nobody registered.
func (l CodeLine) Value(coin affiliate.Coin) (decimal.Decimal, bool) {
	if l.Registered == 0 {
		return decimal.Decimal{}, false
	}
	return figures.TotalIn(l.OfRegistered, coin).Commission.DivRound(decimal.NewFromInt(l.Registered), 8), true
}

type codeKey struct {
	account affiliate.Account
	code    string
}

// sumOfCodes adds lines up.
func sumOfCodes(lines []CodeLine) CodeLine {
	var total CodeLine
	inRange, before, ofRegistered := figures.CoinTotals{}, figures.CoinTotals{}, figures.CoinTotals{}
	for _, l := range lines {
		total.join(l)
		inRange.Add(l.InRange)
		before.Add(l.Before)
		ofRegistered.Add(l.OfRegistered)
	}
	total.InRange, total.Before, total.OfRegistered = inRange.Totals(), before.Totals(), ofRegistered.Totals()
	return total
}
