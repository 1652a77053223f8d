package ticket

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
	"rebatedesk/web/templates/console/frame"
	"rebatedesk/web/templates/ui"
)

// sendByWords begin the sentence that says until when a review may be sent.
func sendByWords(mode trading.Mode) string {
	if mode == trading.Dry {
		return "Run it by "
	}
	return "Send by "
}

// sendWords say on the button what it does.
func sendWords(in trading.Intent) string {
	o := in.Orders[0]
	switch {
	case o.Side == "":
		return "Cancel " + phrase.Things(len(in.Orders), "order")
	case len(in.Orders) > 1:
		return "Send " + phrase.Things(len(in.Orders), "order")
	case o.TriggerPrice.Known():
		return "Place the trigger order"
	}
	base, _, _ := strings.Cut(affiliate.PairName(in.Pair), "/")
	words := phrase.Capital(o.Side) + " " + affiliate.Grouped(string(o.Quantity)) + phrase.Space + base
	switch {
	case !o.Worth.Known() || o.Coin == "":
		return words
	case o.Price.Known():
		words += " for "
	default:
		words += " for at most "
	}
	return words + affiliate.Grouped(string(o.Worth)) + phrase.Space + string(o.Coin)
}

// TradingView holds what all trading pages share.
type TradingView struct {
	frame.View
	MayTrade bool // the reader may send orders
	Mode     trading.Mode
	Values   url.Values // the parameters of the page
}

// TicketView is a form for orders.
type TicketView struct {
	TradingView
	Kind        string // place, batch, trigger or cancel
	Pair        string
	ID          string // of the form, which takes effect once even if it is sent twice
	Alert       string // why the previous form was refused
	Form        ui.Form
	Flight      *trading.Flight // the check that stopped it
	Open        []weex.OpenOrder
	OpenProblem string   // why the open orders are unknown
	Pairs       []string // that the exchange lists, as far as they are known

	Market *frame.PairView // of the pair, which a stream keeps up to date; nil: the pair is none
}

// ticketTabs are the tickets by their function.
var ticketTabs = []struct{ kind, label string }{
	{"place", "One spot order"}, {"batch", "Several spot orders"}, {"trigger", "Contract trigger"}, {"cancel", "Cancel"},
}

func (v TicketView) tabAddress(kind string) string {
	values := url.Values{"kind": {kind}}
	if len(v.Accounts) > 1 {
		values.Set("account", string(v.Account))
	}
	if kind != "trigger" && affiliate.IsSpot(v.Pair) {
		values.Set("symbol", v.Pair)
	}
	return "/console/trade?" + values.Encode()
}

// TicketAddress returns the page with the ticket of a kind for a pair.
func TicketAddress(account affiliate.Account, kind, symbol string) string {
	return "/console/trade?" + url.Values{"account": {string(account)}, "kind": {kind}, "symbol": {symbol}}.Encode()
}

// writtenPair returns the pair as its field shows it.
func (v TicketView) writtenPair() string {
	if v.Kind == "trigger" {
		return affiliate.WrittenPair(v.Pair, affiliate.ContractSymbolOf)
	}
	return affiliate.WrittenPair(v.Pair, affiliate.SpotSymbolOf)
}

// choice is one entry of a list of choices.
type choice struct{ Value, Label, Class string }

func chosenAmong(choices []choice, value string) bool {
	return slices.ContainsFunc(choices, func(c choice) bool { return c.Value == value })
}

var (
	sides       = []choice{{"buy", "Buy", "buys"}, {"sell", "Sell", "sells"}}
	orderTypes  = []choice{{"limit", "Limit", ""}, {"market", "Market", ""}}
	orderForces = []choice{{"normal", "Until cancelled", ""}, {"postOnly", "As maker only (post only)", ""},
		{"fok", "All or nothing (FOK)", ""}, {"ioc", "Fill now, cancel the rest (IOC)", ""}}
	triggerActions = []choice{{"1", "Open long (buy)", ""}, {"2", "Open short (sell)", ""}, {"3", "Close long (sell)", ""}, {"4", "Close short (buy)", ""}}
	triggerMatches = []choice{{"0", "At the execution price", ""}, {"1", "At the market", ""}}
	marginModes    = []choice{{"1", "Cross", ""}, {"3", "Isolated", ""}}
)

// IntentsView is the list of intents.
type IntentsView struct {
	TradingView
	State trading.IntentState // only intents with an order in it; empty: all
	Rows  []trading.Intent
	Older string // address of older ones; empty if there are none
}

func (v IntentView) drafted() bool { return v.Intent.Orders[0].State == trading.IntentDrafted }

func (v IntentView) action(what string) string { return frame.IntentAddress(v.Intent) + "/" + what }

// rounded lists the quantities that were rounded down, in words.
func (v IntentView) rounded() (words []string) {
	for n, o := range v.Typed {
		if n < len(v.Intent.Orders) && o.Quantity.Known() && o.Quantity != v.Intent.Orders[n].Quantity {
			words = append(words, "The quantity "+string(o.Quantity)+" is rounded down to the step of the pair: "+string(v.Intent.Orders[n].Quantity)+".")
		}
	}
	return words
}

// look returns what was seen of an order.
func (v IntentView) look(o trading.Order) (trading.Look, bool) {
	if v.Findings == nil {
		return trading.Look{}, false
	}
	at := slices.IndexFunc(v.Findings.Looks, func(l trading.Look) bool { return l.Order == o.N })
	if at < 0 {
		return trading.Look{}, false
	}
	return v.Findings.Looks[at], true
}

// unknown reports whether an order of the intent has an unknown outcome.
func (v IntentView) unknown() bool {
	return slices.ContainsFunc(v.Intent.Orders, func(o trading.Order) bool { return o.State == trading.IntentUnknown })
}

// exactPair is a pair by its name and its symbol.
func exactPair(symbol string) string {
	if name := affiliate.MarketPair(symbol); name != symbol {
		return name + " (" + symbol + ")"
	}
	return symbol
}

// lineOrder says which order a line is about, if there are several.
func lineOrder(l trading.FlightLine, f trading.Flight) string {
	if l.Order < 0 || len(f.Draft.Orders) < 2 {
		return ""
	}
	return "order " + ui.Itoa(l.Order+1) + ", "
}

func verdictClass(v trading.Verdict) string {
	switch v {
	case trading.VerdictPass:
		return "text-success"
	case trading.VerdictFail:
		return "text-error"
	}
	return "text-warning"
}

// stopsFirst sorts the lines of a check that stop it before the others.
func stopsFirst(f trading.Flight) []trading.FlightLine {
	return slices.Concat(f.Stops(), passedLines(f))
}

// failedWords says how many of the checks failed: "1 of 14 failed".
func failedWords(f trading.Flight) string {
	return phrase.Count(len(f.Stops())) + " of " + phrase.Count(len(f.Lines)) + " failed"
}

// passedLines returns the rules that hold.
func passedLines(f trading.Flight) []trading.FlightLine {
	return slices.DeleteFunc(slices.Clone(f.Lines), func(l trading.FlightLine) bool { return l.Verdict != trading.VerdictPass })
}

// IntentView is an intent: its review before it is sent, its result after.
type IntentView struct {
	TradingView
	Intent   trading.Intent
	Own      bool // the reader wrote it and may send it
	Alert    string
	Typed    []trading.Order // as typed, before rounding; nil if no longer known
	Flight   *trading.Flight // of the review
	Findings *trading.Findings

	Cancelled *CancelledOrders // that a cancellation is about; nil: orders are placed
}

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
