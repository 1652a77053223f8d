// Package orders draws the page of open orders.
package orders

import (
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/market"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
	"rebatedesk/web/templates/console/frame"
)

// OpenOrdersView is the page of all open orders.
type OpenOrdersView struct {
	frame.View
	Pairs    []PairOrders
	Filters  []frame.Field
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
	Shown  []frame.OrderLine
	Hidden int // orders that the filter leaves out
}

// filterView is the page with its filters in the place where the frame draws them.
func (v OpenOrdersView) filterView() frame.View {
	frame := v.View
	frame.Fields = v.Filters
	return frame
}

// narrowed reports whether a filter is in use.
func (v OpenOrdersView) narrowed() bool {
	return slices.ContainsFunc(v.Filters, func(f frame.Field) bool { return f.Value != "" })
}

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
		words += ", worth " + affiliate.Grouped(string(worth)) + phrase.Space + frame.QuoteCoin(p.Symbol)
	}
	if p.Hidden > 0 {
		words += ", " + phrase.Count(p.Hidden) + " left out by the filter"
	}
	if len(p.Orders.Value) >= frame.MostListed {
		words += ", the first " + phrase.Count(frame.MostListed) + " of this pair"
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
	return p.Orders.Known() && now.Sub(p.Orders.At) > 2*frame.StaleAfter
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

// everyPair names the pairs of a list that have open orders, for the button that cancels all.
func (v OpenOrdersView) everyPair() (pairs []string, orders int) {
	for _, p := range v.listed() {
		if n := len(p.Orders.Value); n > 0 {
			pairs, orders = append(pairs, p.Symbol), orders+n
		}
	}
	return pairs, orders
}

func joined(pairs []string) string { return strings.Join(pairs, " ") }
