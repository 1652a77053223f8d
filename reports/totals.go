package reports

import (
	"cmp"
	"maps"
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
	sums.add(s)
}

func (c *coinSums) add(s store.Sums) {
	c.records += s.Records
	c.commission.Add(s.Commission)
	c.fee.Add(s.Fee)
	c.taker.Add(s.TakerAmount)
	c.maker.Add(s.MakerAmount)
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
func mainCoin(asked affiliate.Coin, totals []Totals) affiliate.Coin {
	if only := onlyCoin(asked); only != "" || len(totals) == 0 {
		return cmp.Or(only, append(affiliate.Choices(asked), "")[0])
	}
	return totals[0].Coin
}

// onlyCoin is the coin asked for where it is one; empty where it is any or several.
func onlyCoin(asked affiliate.Coin) affiliate.Coin {
	if coins := affiliate.Choices(asked); len(coins) == 1 {
		return coins[0]
	}
	return ""
}

// dailySeries lays commission of one coin out by day, split as the query asks.
func (q *question) dailySeries(coin affiliate.Coin, sums []store.DaySums, c *coverer) DailySeries {
	series := seriesOf(q.Days, coin, sums, c, q.By)
	series.By = q.By
	return series
}

// seriesOf lays sums of one coin out by day and by product or source.
func seriesOf(days affiliate.Days, coin affiliate.Coin, sums []store.DaySums, c *coverer, by string) DailySeries {
	n := days.Len()
	series := DailySeries{Coin: coin, Days: make([]affiliate.Day, n), State: make([]DayState, n)}
	for i := range n {
		series.Days[i] = days.First + affiliate.Day(i)
		series.State[i] = c.state(series.Days[i])
	}
	layers := map[string][]decimal.Decimal{}
	series.Total = make([]decimal.Decimal, n)
	for _, d := range sums {
		if d.Coin != coin {
			continue
		}
		name := splitName(by, d)
		values := layers[name]
		if values == nil {
			values = make([]decimal.Decimal, n)
			layers[name] = values
		}
		i := int(d.Day - days.First)
		amount := d.Commission.Decimal()
		values[i] = values[i].Add(amount)
		series.Total[i] = series.Total[i].Add(amount)
	}
	for _, name := range sortedNames(layers, splitOrder(by)) {
		series.Parts = append(series.Parts, SeriesPart{Name: splitLabel(by, name), Values: layers[name]})
	}
	return series
}

// sortedNames lists the names: the known ones in their order, then others.
func sortedNames(layers map[string][]decimal.Decimal, known []string) []string {
	rank := func(name string) int {
		if i := slices.Index(known, name); i >= 0 {
			return i
		}
		return len(known)
	}
	return slices.SortedFunc(maps.Keys(layers), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}

// merge adds what others have added.
func (c *coinSums) merge(o *coinSums) {
	c.records += o.records
	for _, sum := range [][2]*affiliate.Sum{{&c.commission, &o.commission}, {&c.fee, &o.fee}, {&c.taker, &o.taker}, {&c.maker, &o.maker}} {
		sum[0].AddSum(*sum[1])
	}
}
