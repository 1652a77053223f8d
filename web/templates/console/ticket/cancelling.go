package ticket

import (
	"maps"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
	"rebatedesk/web/templates/console/frame"
)

// CancellationPath is the address of a cancellation over several pairs.
const CancellationPath = "/console/trade/cancel"

// CancellationView is a cancellation over several pairs: its review, and its outcome.
type CancellationView struct {
	TradingView
	Parts   []CancelPart
	LeftOut []string // pairs that a rule stopped, with the reason
	Alert   string
}

// CancelPart is the cancellation of orders of one pair.
type CancelPart struct {
	Intent    trading.Intent
	Own       bool             // the reader wrote it and may send it
	Flight    *trading.Flight  // of the review
	Cancelled *CancelledOrders // of the review
}

// Drafted reports whether the part was not sent yet.
func (p CancelPart) Drafted() bool { return p.Intent.Orders[0].State == trading.IntentDrafted }

func (p CancelPart) ready() bool { return p.Own && p.Drafted() && p.Flight.Clear() }

// intents names the intents, for an address.
func (v CancellationView) intents() string {
	ids := make([]string, len(v.Parts))
	for i, p := range v.Parts {
		ids[i] = p.Intent.ID
	}
	return strings.Join(ids, ".")
}

// ready returns how many orders of how many pairs can be sent.
func (v CancellationView) ready() (orders, pairs int) {
	for _, p := range v.Parts {
		if p.ready() {
			orders, pairs = orders+len(p.Intent.Orders), pairs+1
		}
	}
	return orders, pairs
}

// unknown reports whether an outcome is unknown.
func (v CancellationView) unknown() bool {
	return slices.ContainsFunc(v.Parts, func(p CancelPart) bool { return frame.WorstState(p.Intent) == trading.IntentUnknown })
}

// firstMade is when the oldest part was reviewed.
func (v CancellationView) firstMade() affiliate.Millis {
	return slices.MinFunc(v.Parts, func(a, b CancelPart) int { return int(a.Intent.Made - b.Intent.Made) }).Intent.Made
}

// checkedAt is when the parts were checked for this page.
func (v CancellationView) checkedAt() (at affiliate.Millis) {
	for _, p := range v.Parts {
		if p.Flight != nil {
			at = max(at, p.Flight.At)
		}
	}
	return at
}

// summary says how many orders there are and what they are worth, by coin.
func (v CancellationView) summary() string {
	orders, unread := 0, 0
	sums := map[string]*affiliate.Sum{}
	for _, p := range v.Parts {
		orders += len(p.Intent.Orders)
		if p.Cancelled == nil {
			continue
		}
		unread += p.Cancelled.Unread
		for _, o := range p.Cancelled.Lines {
			if sums[p.Cancelled.Coin] == nil {
				sums[p.Cancelled.Coin] = new(affiliate.Sum)
			}
			if o.Worth.Known() {
				sums[p.Cancelled.Coin].Add(o.Worth)
			}
		}
	}
	words := phrase.Things(orders, "order") + " of " + phrase.Things(len(v.Parts), "pair")
	for n, coin := range slices.Sorted(maps.Keys(sums)) {
		words += map[bool]string{true: ", worth ", false: " and "}[n == 0] + affiliate.Grouped(sums[coin].String()) + phrase.Space + coin
	}
	if unread > 0 {
		words += "; of " + phrase.Count(unread) + " the worth is not known"
	}
	return words + "."
}

// CancelledOrders are the orders that a cancellation is about.
type CancelledOrders struct {
	Count  int
	Lines  []frame.OrderLine // those that are known
	Worth  affiliate.Number  // of their rests, at their prices
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
