package market

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
)

// balanceLine is what the newest bill of a coin says is there, with its worth.
type balanceLine struct {
	exchange.Bill
	Worth affiliate.Amount // exact
	Known bool             // the worth
	Price string           // at which it is valued, for its title; empty: at none
}

// balanceTable has the newest bills of each coin that state a balance, valued at the last prices.
type balanceTable struct {
	Coins   []balanceLine    // by coin
	Total   affiliate.Amount // exact, of the coins whose worth is known
	Known   bool             // the worth of at least one coin
	Without []string         // coins that are not in the total
}

// balances values what is there. Without a price of a coin its worth is unknown, unless nothing is
// there.
func (v DeskView) balances() (all balanceTable) {
	newest := map[affiliate.Coin]exchange.Bill{}
	for _, b := range v.Wallet.Bills.Value {
		if known, ok := newest[b.CoinName]; b.AfterAmount.Known() && (!ok || b.Created > known.Created) {
			newest[b.CoinName] = b
		}
	}
	all.Total.Coin = figures.ValuedIn
	for _, b := range slices.SortedFunc(maps.Values(newest), func(a, b exchange.Bill) int { return cmp.Compare(a.CoinName, b.CoinName) }) {
		line := v.valued(b)
		if line.Known {
			all.Known = true
			all.Total.Value = all.Total.Value.Add(line.Worth.Value)
		} else {
			all.Without = append(all.Without, string(b.CoinName))
		}
		all.Coins = append(all.Coins, line)
	}
	return all
}

// valued converts a balance at the last price of its pair, which is exact: there is no other way
// than one multiplication.
func (v DeskView) valued(b exchange.Bill) balanceLine {
	line := balanceLine{Bill: b, Worth: affiliate.Amount{Coin: figures.ValuedIn}}
	amount := b.AfterAmount.Decimal()
	symbol := affiliate.SpotSymbolOf(string(b.CoinName) + "/" + string(figures.ValuedIn))
	price := v.Tickers.Value[symbol].LastPrice
	switch {
	case b.CoinName == figures.ValuedIn:
		line.Worth.Value, line.Known = amount, true
	case amount.IsZero():
		line.Worth.Value, line.Known = decimal.Zero, true
	case price.Known() && price.Decimal().IsPositive():
		line.Worth.Value, line.Known = affiliate.Times(amount, price.Decimal()), true
		line.Price = "at " + affiliate.Grouped(string(price)) + phrase.Space + string(figures.ValuedIn)
	}
	return line
}

// title is the exact worth, and the price behind it.
func (b balanceLine) title() string {
	words := b.Worth.Exact()
	if b.Price != "" {
		words += ", " + b.Price
	}
	return words
}

// words say of when the prices are, and which coins are not in the total.
func (b balanceTable) words(at time.Time, err error, zone *time.Location) string {
	var words string
	switch {
	case at.IsZero() && err != nil:
		words = "The prices are not known now: the exchange gives no answer."
	case at.IsZero():
		words = "The prices are being read…"
	case err != nil:
		words = "Worth at the last known prices, of " + at.In(zone).Format("15:04:05 MST") + ": the exchange gives no newer ones now."
	default:
		words = "Worth at the last prices, of " + at.In(zone).Format("15:04:05 MST") + "."
	}
	switch n := len(b.Without); {
	case n == 1:
		words += " The total is without " + b.Without[0] + ", which has no known price in " + string(figures.ValuedIn) + "."
	case n > 1:
		words += " The total is without " + phrase.Listed(b.Without) + ", which have no known price in " + string(figures.ValuedIn) + "."
	}
	return words
}
