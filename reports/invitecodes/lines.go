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
	OurCode bool   // the exchange tells the code of nobody in the account; it is ours
	CodeSteps
	FirstDepositors int64 // in the range, whenever they registered
	FirstTraders    int64 // in the range, whenever they registered
	Active          int64 // with at least one record in the range
	InRange         []figures.Totals
	Before          []figures.Totals // in the compared period
	OfRegistered    []figures.Totals // everything ever earned by those who registered in the range
	Share           figures.Ratio    // share of the commission of all lines
	Change          figures.Change   // change of the commission
	Presence        figures.Presence // only for the lines of a page that is compared; empty without a known code
	Trend           figures.Trend    // commission per day; only for the lines of a page
}

// In returns the totals of the code in the range in one coin.
func (l CodeLine) In(coin affiliate.Coin) figures.Totals { return figures.TotalIn(l.InRange, coin) }

// Was returns the totals of the code in the compared period in one coin.
func (l CodeLine) Was(coin affiliate.Coin) figures.Totals { return figures.TotalIn(l.Before, coin) }

// Volume returns the volume of all coins together.
func (l CodeLine) Volume() decimal.Decimal { return figures.VolumeOf(l.InRange) }

// Value returns the commission per registration: everything ever earned by those who
// registered in the range, up to now, divided by their number. It is rounded to 8 decimals,
// and not known if no user registered.
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

// sumOfCodes adds up lines.
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
