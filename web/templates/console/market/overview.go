package market

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/market"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
	"rebatedesk/web/charts"
	"rebatedesk/web/templates/console/frame"
)

// DeskView is the first page of the console.
type DeskView struct {
	frame.View
	Pairs   []PairCard
	More    int // favourites that have no card
	Wallet  market.Wallet
	Tickers market.Answered[map[string]weex.Ticker] // of all spot pairs, by symbol
	Log     []trading.Intent                        // the newest, newest first
	Desk    bool                                    // orders are written here
	Now     time.Time
	Stream  string
}

// PairCard is a favourite pair.
type PairCard struct {
	market.Quote
	Path  string // of the line of the last day
	Rises bool
}

// LineSteps and LineStep are the line of the last day on a card.
const (
	LineSteps = 96
	LineStep  = 15 * time.Minute
)

// state says in a word what is wrong with a pair.
func (c PairCard) state(now time.Time) string {
	_, at := c.Last()
	switch p := c.Pair.Value; {
	case c.Pair.Known() && !c.Listed:
		return "not listed"
	case p.EnableTrade == affiliate.FlagOf(false):
		return "suspended"
	case at.IsZero() && c.Ticker.Err != nil:
		return "not known now"
	case at.IsZero():
		return "being read…"
	case now.Sub(at) > frame.StaleAfter:
		return "old"
	case p.DisplayNew == affiliate.FlagOf(true):
		return "new"
	}
	return ""
}

// place is where the last price lies between the lowest and the highest of 24 hours, in percent.
func (c PairCard) place() (percent string, ok bool) {
	t := c.Ticker.Value
	last, _ := c.Last()
	if !last.Known() || !t.Low.Known() || !t.High.Known() || t.High.Cmp(t.Low) <= 0 {
		return "", false
	}
	low := t.Low.Decimal()
	share := last.Decimal().Sub(low).Shift(2).DivRound(t.High.Decimal().Sub(low), 1)
	if share.IsNegative() {
		share = share.Sub(share)
	}
	if n := share.IntPart(); n > 100 {
		return "100%", true
	}
	return share.String() + "%", true
}

// orders are the open orders of all favourites, newest first, and what is not known.
func (v DeskView) orders() (list []weex.OpenOrder, words string) {
	unread, failed := 0, 0
	var oldest time.Time
	for _, c := range v.Pairs {
		switch {
		case c.Orders.Err != nil:
			failed++
		case !c.Orders.Known():
			unread++
		}
		if at := c.Orders.At; !at.IsZero() && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
		list = append(list, c.Orders.Value...)
	}
	slices.SortStableFunc(list, func(a, b weex.OpenOrder) int { return cmp.Compare(b.Created, a.Created) })
	return list, v.partWords(len(list), "open order", oldest, unread, failed)
}

// partWords says how many things there are and how far that is known.
func (v DeskView) partWords(n int, one string, at time.Time, unread, failed int) string {
	words := "No " + one + "s"
	if n > 0 {
		words = phrase.Things(n, one)
	}
	switch {
	case len(v.Pairs) == 0:
		return "Of favourite pairs; there are none."
	case at.IsZero() && failed > 0:
		return "Not known now: the exchange gives no answer."
	case at.IsZero():
		return "Being read…"
	}
	words += " of " + phrase.Things(len(v.Pairs), "favourite") + ", as of " + at.In(v.Zone).Format("15:04:05 MST")
	if failed > 0 {
		words += "; of " + phrase.Things(failed, "pair") + " the newest attempt failed"
	}
	if unread > 0 {
		words += "; " + phrase.Things(unread, "pair") + " being read"
	}
	return words
}

// fills are today's fills of all favourites, newest first.
func (v DeskView) fills() (list []weex.Fill, words string) {
	y, m, d := v.Now.In(v.Zone).Date()
	today := affiliate.MillisOf(time.Date(y, m, d, 0, 0, 0, 0, v.Zone))
	unread, failed, cut := 0, 0, false
	var oldest time.Time
	for _, c := range v.Pairs {
		switch {
		case c.Fills.Err != nil:
			failed++
		case !c.Fills.Known():
			unread++
		}
		if at := c.Fills.At; !at.IsZero() && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
		n := 0
		for _, f := range c.Fills.Value {
			if f.Created >= today {
				list = append(list, f)
				n++
			}
		}
		cut = cut || n >= frame.FillsRead
	}
	slices.SortStableFunc(list, func(a, b weex.Fill) int { return cmp.Compare(b.Created, a.Created) })
	words = v.partWords(len(list), "fill", oldest, unread, failed)
	if cut {
		words += "; older ones of today are left out"
	}
	return list, words
}

// feeWords adds up the fees of fills. The exchange does not say in which coin they are.
func feeWords(list []weex.Fill) string {
	sums := map[string]*affiliate.Sum{}
	for _, f := range list {
		if !f.Fees.Known() {
			continue
		}
		coin := string(f.BaseCoin)
		if f.Side == weex.Sell {
			coin = string(f.QuoteCoin)
		}
		if sums[coin] == nil {
			sums[coin] = new(affiliate.Sum)
		}
		sums[coin].Add(f.Fees)
	}
	var parts []string
	for coin, sum := range sums {
		parts = append(parts, affiliate.Grouped(sum.String())+phrase.Space+coin)
	}
	slices.Sort(parts)
	if len(parts) == 0 {
		return ""
	}
	return "Fees: " + strings.Join(parts, ", ")
}

// billGroup is the newest bill of one kind and coin, and how many of the newest bills are of it.
type billGroup struct {
	weex.Bill
	N   int
	Sum string
}

// bills groups the newest bills by kind and coin, the newest group first.
func (v DeskView) bills() []billGroup {
	var groups []*billGroup
	sums := map[*billGroup]*affiliate.Sum{}
	for _, b := range v.Wallet.Bills.Value {
		i := slices.IndexFunc(groups, func(g *billGroup) bool { return g.Type == b.Type && g.CoinName == b.CoinName })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &billGroup{Bill: b})
			sums[groups[i]] = new(affiliate.Sum)
		}
		g := groups[i]
		g.N++
		sums[g].Add(b.DeltaAmount)
		if b.Created > g.Created {
			g.Bill = b
		}
	}
	list := make([]billGroup, len(groups))
	for i, g := range groups {
		g.Sum = sums[g].String()
		list[i] = *g
	}
	slices.SortStableFunc(list, func(a, b billGroup) int { return cmp.Compare(b.Created, a.Created) })
	return list
}

// readWords says as of when something was read.
func readWords(at time.Time, err error, zone *time.Location) string {
	switch {
	case err != nil && at.IsZero():
		return "Not known now: " + err.Error() + "."
	case err != nil:
		return "The exchange gives no answer now. Last known state, of " + at.In(zone).Format("15:04:05 MST") + "."
	case at.IsZero():
		return "Being read…"
	}
	return "as of " + at.In(zone).Format("15:04:05 MST")
}

// linePath makes the line of a card.
func linePath(starts []affiliate.Millis, prices []affiliate.Number, now affiliate.Millis) (string, bool) {
	step := affiliate.Millis(LineStep.Milliseconds())
	first := now - now%step - (LineSteps-1)*step
	at := make([]int, len(starts))
	for i, s := range starts {
		at[i] = int((s - first) / step)
	}
	return charts.Spark(at, prices, LineSteps)
}

// NewPairCard returns the card of a pair with the line of its last day.
func NewPairCard(q market.Quote, starts []affiliate.Millis, prices []affiliate.Number, now time.Time) PairCard {
	c := PairCard{Quote: q}
	c.Path, c.Rises = linePath(starts, prices, affiliate.MillisOf(now))
	return c
}

// balanceLine is what the newest bill of a coin says is there, with its worth.
type balanceLine struct {
	weex.Bill
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
	newest := map[affiliate.Coin]weex.Bill{}
	for _, b := range v.Wallet.Bills.Value {
		if known, ok := newest[b.CoinName]; b.AfterAmount.Known() && (!ok || b.Created > known.Created) {
			newest[b.CoinName] = b
		}
	}
	all.Total.Coin = figures.ValuedIn
	for _, b := range slices.SortedFunc(maps.Values(newest), func(a, b weex.Bill) int { return cmp.Compare(a.CoinName, b.CoinName) }) {
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
func (v DeskView) valued(b weex.Bill) balanceLine {
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
