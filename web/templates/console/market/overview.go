package market

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/market"
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
	Tickers market.Answered[map[string]exchange.Ticker] // of all spot pairs, by symbol
	Log     []trading.Intent                            // the newest, newest first
	Desk    bool                                        // orders are written here
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
func (v DeskView) orders() (list []exchange.OpenOrder, words string) {
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
	slices.SortStableFunc(list, func(a, b exchange.OpenOrder) int { return cmp.Compare(b.Created, a.Created) })
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
func (v DeskView) fills() (list []exchange.Fill, words string) {
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
	slices.SortStableFunc(list, func(a, b exchange.Fill) int { return cmp.Compare(b.Created, a.Created) })
	words = v.partWords(len(list), "fill", oldest, unread, failed)
	if cut {
		words += "; older ones of today are left out"
	}
	return list, words
}

// feeWords adds up the fees of fills. The exchange does not say in which coin they are.
func feeWords(list []exchange.Fill) string {
	sums := map[string]*affiliate.Sum{}
	for _, f := range list {
		if !f.Fees.Known() {
			continue
		}
		coin := string(f.BaseCoin)
		if f.Side == exchange.Sell {
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
	exchange.Bill
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
