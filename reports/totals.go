package reports

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// totaller adds sums up exactly, per coin.
type totaller struct{ coins map[affiliate.Coin]*coinSums }

type coinSums struct {
	records                       int64
	commission, fee, taker, maker affiliate.Sum
}

func totalsOf(days []store.DaySums) []Totals {
	var t totaller
	for _, d := range days {
		t.add(d.Coin, d.Sums)
	}
	return t.totals()
}

func (t *totaller) add(coin affiliate.Coin, s store.Sums) {
	if t.coins == nil {
		t.coins = map[affiliate.Coin]*coinSums{}
	}
	sums := t.coins[coin]
	if sums == nil {
		sums = new(coinSums)
		t.coins[coin] = sums
	}
	sums.records += s.Records
	sums.commission.Add(s.Commission)
	sums.fee.Add(s.Fee)
	sums.taker.Add(s.TakerAmount)
	sums.maker.Add(s.MakerAmount)
}

// totals lists the coins, the one with most records first.
func (t *totaller) totals() []Totals {
	list := make([]Totals, 0, len(t.coins))
	for coin, s := range t.coins {
		list = append(list, Totals{
			Coin: coin, Records: s.records, Commission: s.commission.Decimal(), Fee: s.fee.Decimal(),
			TakerAmount: s.taker.Decimal(), MakerAmount: s.maker.Decimal(),
		})
	}
	slices.SortFunc(list, func(a, b Totals) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Coin, b.Coin))
	})
	return list
}

func recordsOf(totals []Totals) int64 {
	var n int64
	for _, t := range totals {
		n += t.Records
	}
	return n
}

// mainCoin is the coin that charts and rankings are about: the one asked for,
// else the one with most records.
func (q Query) mainCoin(totals []Totals) affiliate.Coin {
	if q.Coin != "" || len(totals) == 0 {
		return q.Coin
	}
	return totals[0].Coin
}

// dailySeries lays commission of one coin out by day and product.
func (q *question) dailySeries(coin affiliate.Coin, sums []store.DaySums, c *coverer) DailySeries {
	n := q.Days.Len()
	series := DailySeries{Coin: coin, Days: make([]affiliate.Day, n), State: make([]DayState, n)}
	for i := range n {
		series.Days[i] = q.Days.First + affiliate.Day(i)
		series.State[i] = c.state(series.Days[i])
	}
	parts := map[affiliate.Product][]decimal.Decimal{}
	series.Total = make([]decimal.Decimal, n)
	for _, d := range sums {
		if d.Coin != coin {
			continue
		}
		values := parts[d.Product]
		if values == nil {
			values = make([]decimal.Decimal, n)
			parts[d.Product] = values
		}
		i := int(d.Day - q.Days.First)
		amount := d.Commission.Decimal()
		values[i] = values[i].Add(amount)
		series.Total[i] = series.Total[i].Add(amount)
	}
	for _, product := range sortedKeys(parts) {
		series.Parts = append(series.Parts, SeriesPart{Name: product.Label(), Values: parts[product]})
	}
	return series
}

// sortedKeys lists the products: the known ones in their order, then others.
func sortedKeys(parts map[affiliate.Product][]decimal.Decimal) []affiliate.Product {
	var products []affiliate.Product
	for p := range parts {
		products = append(products, p)
	}
	slices.SortFunc(products, func(a, b affiliate.Product) int {
		rank := func(p affiliate.Product) int {
			if i := slices.Index(affiliate.Products(), p); i >= 0 {
				return i
			}
			return len(affiliate.Products())
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	return products
}
