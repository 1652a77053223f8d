package trading

import (
	"strconv"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
)

// Forwarded returns the draft for an order call of a program. Its client order ids
// distinguish its orders, so an identical order is intentional.
func Forwarded(account affiliate.Account, c weex.ParsedRequest) Draft {
	d := Draft{Account: account, Pair: c.Symbol, Source: FromProxy, Again: true}
	switch {
	case c.Trigger != nil:
		d.Kind, d.Pair, d.Orders = Trigger, c.Trigger.Symbol, []Order{forwardedTrigger(*c.Trigger)}
	case len(c.Orders) > 0:
		d.Kind = Place
		if c.Endpoint.Section == sectionBatch {
			d.Kind = PlaceBatch
		}
		for _, o := range c.Orders {
			d.Orders = append(d.Orders, forwardedOrder(o))
		}
	default:
		d.Kind = Cancel
		if c.Endpoint.Section == sectionCancelSome {
			d.Kind = CancelSome
		}
		for _, id := range c.Cancel.OrderIDs {
			d.Orders = append(d.Orders, Order{OrderID: id})
		}
		for _, id := range c.Cancel.ClientOrderIDs {
			d.Orders = append(d.Orders, Order{ClientID: id})
		}
	}
	return d
}

// The calls that take several orders, by their sections of the document.
const (
	sectionBatch      = "4.8"
	sectionCancelSome = "4.10"
)

func forwardedOrder(o weex.NewOrder) Order {
	return Order{
		Side: string(o.Side), Type: string(o.Type), Force: string(o.Force),
		Price: o.Price, Quantity: o.Quantity, ClientID: o.ClientOrderID,
	}
}

func forwardedTrigger(o weex.TriggerOrder) Order {
	return Order{
		Action: string(o.Type), Match: string(o.MatchType), Margin: int(o.MarginMode),
		Price: o.ExecutePrice, TriggerPrice: o.TriggerPrice, Quantity: o.Size, ClientID: o.ClientOID,
	}
}

// Further words of the proxy for the outcome of an intent.
const (
	WordUnknown = "unknown"
	WordDryRun  = "dry-run"
)

// Word returns the word for the outcome of an intent if the exchange did not answer, and
// the reason as sentences. It is empty if the exchange answered, even with a refusal. One
// unknown order makes the whole intent unknown.
func Word(in Intent) (word, why string) {
	var doubted []string
	for _, o := range in.Orders {
		switch {
		case o.State == IntentUnknown, o.State == IntentSending:
			doubt := "What became of order " + strconv.Itoa(o.N+1) + " is unknown"
			if o.Message != "" {
				doubt += ": " + o.Message
			}
			doubted = append(doubted, strings.TrimSuffix(doubt, ".")+".")
		case o.State == IntentDryRun:
			word, why = WordDryRun, o.Message
		case o.State == IntentNotSent && o.Rule != "":
			word, why = Rule(o.Rule).Word(), o.Message
		case o.State == IntentNotSent:
			word, why = WordNotSent, o.Message
		}
	}
	if doubted != nil {
		return WordUnknown, strings.Join(doubted, " ")
	}
	return word, why
}
