package figures

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store/sums"
)

// CoinSums holds exact sums per coin.
type CoinSums struct{ coins map[affiliate.Coin]*coinSums }

type coinSums struct {
	records int64
	affiliate.Summed[affiliate.Sum]
}

// TotalsOf adds up days per coin, the coin with most records first.
func TotalsOf(days []sums.DaySums) []Totals {
	var t CoinSums
	for _, d := range days {
		t.Add(d.Coin, d.Sums)
	}
	return t.Totals()
}

// Add adds sums of one coin.
func (t *CoinSums) Add(coin affiliate.Coin, s sums.Sums) {
	if t.coins == nil {
		t.coins = map[affiliate.Coin]*coinSums{}
	}
	sums := t.coins[coin]
	if sums == nil {
		sums = new(coinSums)
		t.coins[coin] = sums
	}
	sums.add(s)
}

func (c *coinSums) add(s sums.Sums) {
	c.records += s.Records
	affiliate.AddNumbers(&c.Summed, &s.Summed)
}

// Totals lists the coins, the one with most records first.
func (t *CoinSums) Totals() []Totals {
	list := make([]Totals, 0, len(t.coins))
	for coin, s := range t.coins {
		list = append(list, Totals{coin, s.records, affiliate.MapSummed(&s.Summed, (*affiliate.Sum).Decimal)})
	}
	slices.SortFunc(list, MostRecords)
	return list
}

// RecordsOf counts the records of all coins.
func RecordsOf(totals []Totals) int64 {
	var n int64
	for _, t := range totals {
		n += t.Records
	}
	return n
}

// MainCoin returns the coin of charts and rankings: the requested one, otherwise the one
// with most records.
func MainCoin(asked affiliate.Coin, totals []Totals) affiliate.Coin {
	if only := OnlyCoin(asked); only != "" || len(totals) == 0 {
		return cmp.Or(only, append(affiliate.Choices(asked), "")[0])
	}
	return totals[0].Coin
}

// OnlyCoin returns the requested coin if it is a single one. It is empty if none or several
// are requested.
func OnlyCoin(asked affiliate.Coin) affiliate.Coin {
	if coins := affiliate.Choices(asked); len(coins) == 1 {
		return coins[0]
	}
	return ""
}

// merge adds other sums.
func (c *coinSums) merge(o *coinSums) {
	c.records += o.records
	affiliate.AddSums(&c.Summed, &o.Summed)
}

// SumsWithin returns the sums of the given days.
func SumsWithin(totals []sums.DaySums, days affiliate.Days) []sums.DaySums {
	var list []sums.DaySums
	for _, d := range totals {
		if days.Contains(d.Day) {
			list = append(list, d)
		}
	}
	return list
}

// MostRecords orders totals: the coin with most records first, equal ones by name.
func MostRecords(a, b Totals) int {
	return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Coin, b.Coin))
}

// TotalIn returns the total of one coin, or zero if it has none.
func TotalIn(totals []Totals, coin affiliate.Coin) Totals {
	for _, t := range totals {
		if t.Coin == coin {
			return t
		}
	}
	return Totals{Coin: coin}
}

// Totals are the exact sums over a set of commission records of one coin.
type Totals struct {
	Coin    affiliate.Coin
	Records int64
	affiliate.Summed[decimal.Decimal]
}

// CommissionIn returns totals of which only the commission is known.
func CommissionIn(coin affiliate.Coin, records int64, commission decimal.Decimal) Totals {
	return Totals{coin, records, affiliate.Summed[decimal.Decimal]{Commission: commission}}
}

// VolumeOf returns the volume of all totals. The coin of a record is that of its fee and
// commission, and not the unit of its volume, which the exchange does not name. Volumes are
// approximately in the quote currency of the pair, so that records of all coins have one
// sum.
func VolumeOf(totals []Totals) decimal.Decimal {
	var sum decimal.Decimal
	for _, t := range totals {
		sum = sum.Add(t.Volume())
	}
	return sum
}

// Rate returns the effective rate: commission as a percentage of the fee, with two
// decimals. It is unknown without a fee.
func (t Totals) Rate() Ratio {
	if t.Fee.IsZero() {
		return Ratio{}
	}
	return Ratio{Percent: t.Commission.Shift(2).DivRound(t.Fee, 2), Known: true}
}

// Volume returns the trading volume, taker and maker together.
func (t Totals) Volume() decimal.Decimal { return t.TakerAmount.Add(t.MakerAmount) }

// CoinTotals add totals up by coin.
type CoinTotals map[affiliate.Coin]*coinSums

// Add adds each of the totals to those of its coin.
func (s CoinTotals) Add(list []Totals) {
	for _, t := range list {
		sum := s[t.Coin]
		if sum == nil {
			sum = new(coinSums)
			s[t.Coin] = sum
		}
		sum.addTotals(t)
	}
}

func (c *coinSums) addTotals(t Totals) {
	c.records += t.Records
	amounts := t.All()
	for i, sum := range c.All() {
		sum.AddDecimal(*amounts[i])
	}
}

// Totals lists the coins, the one with most records first.
func (s CoinTotals) Totals() []Totals {
	sums := CoinSums{s}
	return sums.Totals()
}
