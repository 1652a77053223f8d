package console

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/market"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
)

// OrdersPath is the address of the page of open orders.
const OrdersPath = "/console/orders"

// OpenOrdersView is the page of all open orders.
type OpenOrdersView struct {
	ConsoleView
	Pairs    []PairOrders
	Filters  []ConsoleField
	Filtered bool             // by more than the pair
	Log      []trading.Intent // newest first
	MayTrade bool             // the reader may cancel
	FormID   string
	Stream   string
	Now      time.Time
}

// PairOrders are the open orders of a pair.
type PairOrders struct {
	market.Quote
	Shown  []OrderLine
	Hidden int // orders that the filter leaves out
}

// OrderLine is an open order with what follows from it.
type OrderLine struct {
	exchange.OpenOrder
	Rest  affiliate.Number // quantity that is not filled
	Worth affiliate.Number // of the rest, at the price of the order
	Away  affiliate.Number // from the last price, in percent of it
}

// NewOrderLine computes what follows from an open order and the last price.
func NewOrderLine(o exchange.OpenOrder, last affiliate.Number) OrderLine {
	line := OrderLine{OpenOrder: o, Away: trading.PercentAway(o.Price, last)}
	if o.Quantity.Known() && o.FillQuantity.Known() {
		line.Rest = affiliate.Number(o.Quantity.Decimal().Sub(o.FillQuantity.Decimal()).String())
	}
	line.Worth = trading.ValueOf(o.Price, line.Rest)
	return line
}

// CancelledOrders are the orders that a cancellation is about.
type CancelledOrders struct {
	Count  int
	Lines  []OrderLine      // those that are known
	Worth  affiliate.Number // of their rests, at their prices
	Coin   string
	Unread int // orders whose worth is not known
}

func (v CancelledOrders) words() string {
	words := phrase.Things(v.Count, "order")
	if v.Unread == v.Count {
		return words + ", whose worth is not known."
	}
	words += ", worth " + affiliate.Grouped(string(v.Worth)) + phrase.Space + v.Coin + " at " + map[bool]string{true: "its price", false: "their prices"}[v.Count == 1]
	if v.Unread > 0 {
		words += "; of " + phrase.Count(v.Unread) + " the worth is not known"
	}
	return words + "."
}

// QuoteCoin returns the coin of the price of a pair.
func QuoteCoin(symbol string) string {
	return MarketView{Quote: market.Quote{Symbol: symbol}}.quoteCoin()
}

// filterView is the page with its filters in the place where the frame draws them.
func (v OpenOrdersView) filterView() ConsoleView {
	frame := v.ConsoleView
	frame.Fields = v.Filters
	return frame
}

// narrowed reports whether a filter is in use.
func (v OpenOrdersView) narrowed() bool {
	return slices.ContainsFunc(v.Filters, func(f ConsoleField) bool { return f.Value != "" })
}

// openOrdersOf returns the page of the open orders of a pair.
func openOrdersOf(v ConsoleView, pair string) string {
	values := url.Values{"pair": {pair}}
	if len(v.Accounts) > 1 {
		values.Set("account", string(v.Account))
	}
	return OrdersPath + "?" + values.Encode()
}

// mostListed is how many open orders of a pair are read at once.
const mostListed = 100

// worth is the sum of the orders shown, unknown if one of them is unknown.
func (p PairOrders) worth() affiliate.Number {
	var sum affiliate.Sum
	for _, o := range p.Shown {
		if !o.Worth.Known() || !sum.Add(o.Worth) {
			return ""
		}
	}
	return affiliate.Number(sum.String())
}

// words say how many orders there are, what they are worth and of when that is.
func (p PairOrders) words(zone *time.Location) string {
	switch {
	case p.Pair.Known() && !p.Listed && len(p.Orders.Value) == 0:
		return "The exchange does not list this pair (any more)."
	case !p.Orders.Known() && p.Orders.Err != nil:
		return "Not known now: " + p.Orders.Err.Error() + "."
	case !p.Orders.Known():
		return "Being read…"
	}
	words := phrase.Things(len(p.Shown), "order")
	if worth := p.worth(); worth.Known() && len(p.Shown) > 0 {
		words += ", worth " + affiliate.Grouped(string(worth)) + phrase.Space + QuoteCoin(p.Symbol)
	}
	if p.Hidden > 0 {
		words += ", " + phrase.Count(p.Hidden) + " left out by the filter"
	}
	if len(p.Orders.Value) >= mostListed {
		words += ", the first " + phrase.Count(mostListed) + " of this pair"
	}
	words += ", as of " + p.Orders.At.In(zone).Format("15:04:05 MST")
	if p.Orders.Err != nil {
		words += "; the newest attempt failed"
	}
	switch {
	case !p.Pair.Known():
	case !p.Listed:
		words += ". The exchange does not list this pair (any more)"
	case p.Pair.Value.EnableTrade == affiliate.FlagOf(false):
		words += ". Trading of this pair is suspended"
	}
	return words
}

// cancelAllWords name the button that cancels all orders of the pair.
func (p PairOrders) cancelAllWords() string {
	if len(p.Orders.Value) == 1 {
		return "Cancel the only order of " + affiliate.PairName(p.Symbol) + "…"
	}
	return "Cancel all " + phrase.Count(len(p.Orders.Value)) + " of " + affiliate.PairName(p.Symbol) + "…"
}

// stale reports whether the orders are older than they should be.
func (p PairOrders) stale(now time.Time) bool {
	return p.Orders.Known() && now.Sub(p.Orders.At) > 2*StaleAfter
}

// listed returns the pairs with open orders, or whose orders are not known; others only if
// there is one pair.
func (v OpenOrdersView) listed() (list []PairOrders) {
	for _, p := range v.Pairs {
		if len(p.Orders.Value) > 0 || !p.Orders.Known() || p.Orders.Err != nil || len(v.Pairs) == 1 {
			list = append(list, p)
		}
	}
	return list
}

// summary says what the list covers.
func (v OpenOrdersView) summary() string {
	if len(v.Pairs) == 0 {
		return ""
	}
	shown, unread, failed := 0, 0, 0
	for _, p := range v.Pairs {
		shown += len(p.Shown)
		switch {
		case !p.Orders.Known():
			unread++
		case p.Orders.Err != nil:
			failed++
		}
	}
	words := "No open orders"
	if shown > 0 {
		words = phrase.Things(shown, "open order")
	}
	if v.Filtered {
		words += " that match"
	}
	words += " of " + phrase.Things(len(v.Pairs), "pair")
	if shown == 0 {
		names := make([]string, len(v.Pairs))
		for i, p := range v.Pairs {
			names[i] = affiliate.PairName(p.Symbol)
		}
		words += ": " + strings.Join(names, ", ")
	}
	if failed > 0 {
		words += "; of " + phrase.Things(failed, "pair") + " the newest attempt failed, so this is the last known state"
	}
	if unread > 0 {
		words += "; of " + phrase.Things(unread, "pair") + " nothing is known yet"
	}
	return words + "."
}

// awayWords say how far an order is from the last price.
func (o OrderLine) awayWords() string {
	switch {
	case !o.Away.Known():
		return phrase.Dash
	case o.Away.IsZero():
		return "at the market"
	case o.Away[0] == '-':
		return string(o.Away[1:]) + phrase.Space + "% below"
	}
	return string(o.Away) + phrase.Space + "% above"
}

// ageWords say how old an order is.
func (o OrderLine) ageWords(now time.Time) string {
	if !o.Created.Known() {
		return "age not known"
	}
	switch age := now.Sub(o.Created.Time()); {
	case age < time.Minute:
		return "just now"
	case age < 2*time.Hour:
		return fmt.Sprintf("%d min", int(age.Minutes()))
	case age < 48*time.Hour:
		return fmt.Sprintf("%d h", int(age.Hours()))
	default:
		return fmt.Sprintf("%d d", int(age.Hours()/24))
	}
}

// evidenceWords sum up what is known of the outcome of an intent.
func evidenceWords(in trading.Intent) string {
	o := in.Orders[0]
	for _, other := range in.Orders {
		if other.State == worstState(in) {
			o = other
			break
		}
	}
	var words string
	add := func(text string) {
		if words != "" {
			words += " · "
		}
		words += text
	}
	if o.OrderID != "" && o.Side != "" {
		add("order " + o.OrderID)
	}
	if o.Rule != "" {
		add("rule: " + o.Rule)
	}
	if o.Status != 0 {
		add(fmt.Sprintf("HTTP %d", o.Status))
	}
	if o.Code != "" {
		add("code " + o.Code)
	}
	if o.Message != "" {
		add("“" + o.Message + "”")
	}
	if o.Verdict != "" {
		add(o.DecidedBy + ": " + verdictWords(o.Verdict) + ", " + o.Reason)
	}
	return words
}
