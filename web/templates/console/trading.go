package console

import (
	"fmt"
	"hash/fnv"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
	"rebatedesk/web/templates/ui"
)

// TradingBar is the state of sending that every page of the console shows.
type TradingBar struct {
	trading.Status
	Caps      trading.Caps
	Unknowns  []trading.Intent
	Code      bool // allowing sending again requires a code
	FormToken string
	Zone      *time.Location
	Alert     string // why sending was not allowed again
	Why       string // the reason that was given for it
	Back      string // page to which its forms lead without a script; empty: the one they are on
}

// BarID is the id of the state of sending.
const BarID = "trading-bar"

// stateSwap lets a form change the state of sending on a page that stays as it is: what is typed
// in a ticket is kept. Without a script the form leads back to the page, and after an error to the page of tickets.
func stateSwap(address string) templ.Attributes {
	return templ.Attributes{"hx-post": address, "hx-target": "#" + BarID, "hx-select": "#" + BarID, "hx-select-oob": "unset", "hx-swap": "outerHTML", "hx-push-url": "false", "hx-trigger": "submit"}
}

// Off reports whether the bar has nothing to show.
func (b TradingBar) Off() bool {
	return b.Mode == trading.Off && !b.Stopped() && len(b.Unknowns) == 0
}

// stops reports whether stopping makes sense: orders are sent, and that is not stopped yet.
func (b TradingBar) stops() bool { return b.Mode == trading.Live && !b.Switch.Stopped }

// sendByWords begin the sentence that says until when a review may be sent.
func sendByWords(mode trading.Mode) string {
	if mode == trading.Dry {
		return "Run it by "
	}
	return "Send by "
}

// unknownID is the id of an order with an unknown outcome in the bar.
func unknownID(in trading.Intent) string { return "unknown-" + in.ID }

// spentWords says how much of the daily cap is used, coin by coin.
func (b TradingBar) spentWords() string {
	var parts []string
	for coin, worth := range b.Spent {
		parts = append(parts, affiliate.Grouped(string(worth))+phrase.Space+string(coin))
	}
	slices.Sort(parts)
	words := "Sent today (UTC): nothing"
	if len(parts) > 0 {
		words = "Sent today (UTC): " + strings.Join(parts, ", ") + " at most"
	}
	if b.Caps.Day.Known() {
		words += ", of " + affiliate.Grouped(string(b.Caps.Day)) + " allowed in each quote coin"
	}
	if b.Caps.Order.Known() {
		words += " · at most " + affiliate.Grouped(string(b.Caps.Order)) + " an order"
	}
	return words
}

// TradingView holds what all trading pages share.
type TradingView struct {
	ConsoleView
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
	Open        []exchange.OpenOrder
	OpenProblem string   // why the open orders are unknown
	Pairs       []string // that the exchange lists, as far as they are known

	Market *MarketView // of the pair, which a stream keeps up to date; nil: the pair is none
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

// IntentStates are the states by which the order log is narrowed.
var IntentStates = []trading.IntentState{trading.IntentUnknown, trading.IntentSending, trading.IntentDrafted, trading.IntentPlaced, trading.IntentCancelled, trading.IntentRefused,
	trading.IntentNotSent, trading.IntentResolved, trading.IntentDryRun}

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

func (v IntentView) drafted() bool { return v.Intent.Orders[0].State == trading.IntentDrafted }

func (v IntentView) action(what string) string { return intentAddress(v.Intent) + "/" + what }

func intentAddress(in trading.Intent) string { return "/console/intents/" + url.PathEscape(in.ID) }

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

// oneSentence describes a single order of an intent.
func oneSentence(in trading.Intent, o trading.Order) string {
	in.Orders = []trading.Order{o}
	return trading.Describe(in)
}

// exactPair is a pair by its name and its symbol.
func exactPair(symbol string) string {
	if name := affiliate.MarketPair(symbol); name != symbol {
		return name + " (" + symbol + ")"
	}
	return symbol
}

// intentWords describes an intent in one line.
func intentWords(in trading.Intent) string {
	words := oneSentence(in, in.Orders[0])
	if n := len(in.Orders); n > 1 {
		words += " And " + phrase.Things(n-1, "more order") + "."
	}
	return words
}

// countsOf says how many orders are in each state.
func countsOf(in trading.Intent) string {
	counts := map[trading.IntentState]int{}
	for _, o := range in.Orders {
		counts[o.State]++
	}
	var parts []string
	for _, state := range IntentStates {
		if n := counts[state]; n > 0 && len(in.Orders) == 1 {
			parts = append(parts, stateName(state))
		} else if n > 0 {
			parts = append(parts, phrase.Count(n)+phrase.Space+stateName(state))
		}
	}
	return strings.Join(parts, ", ")
}

// stateName is the name of a state for people.
func stateName(s trading.IntentState) string {
	switch s {
	case trading.IntentDrafted:
		return "to be reviewed"
	case trading.IntentSending:
		return "on its way"
	case trading.IntentNotSent:
		return "not sent"
	case trading.IntentDryRun:
		return "dry run"
	}
	return string(s)
}

// stateClass returns the severity of a state.
func stateClass(s trading.IntentState) string {
	switch s {
	case trading.IntentPlaced, trading.IntentCancelled:
		return "text-success"
	case trading.IntentUnknown, trading.IntentRefused:
		return "text-error"
	case trading.IntentSending, trading.IntentNotSent:
		return "text-warning"
	}
	return "text-muted"
}

// stateMeans explains what a state guarantees.
var stateMeans = map[trading.IntentState]string{
	trading.IntentDrafted:   "Written down. Nothing was sent.",
	trading.IntentSending:   "It is being sent. Open the page again in a moment.",
	trading.IntentPlaced:    "The exchange took the order.",
	trading.IntentCancelled: "The exchange cancelled the order.",
	trading.IntentRefused:   "The exchange said no: nothing was done.",
	trading.IntentNotSent:   "Nothing left this machine.",
	trading.IntentUnknown:   "It may have been done, or not. It is not sent again; its side of the pair is blocked until this is cleared up.",
	trading.IntentResolved:  "It was unknown. Somebody looked, and said what became of it.",
	trading.IntentDryRun:    "Everything was done but sending.",
}

// badge returns the state of sending in one word; "stopped" takes precedence over all
// others.
func (b TradingBar) badge() (words, class string) {
	switch {
	case b.Stopped():
		return "STOPPED", "border-error bg-error text-error-content"
	case b.Mode == trading.Live:
		return "LIVE", "border-error text-error"
	case b.Mode == trading.Dry:
		return "DRY RUN", "border-warning text-warning"
	}
	return "TRADING OFF", "border-line text-muted"
}

// sending returns the same for scripts and styles.
func (b TradingBar) sending() string {
	words, _ := b.badge()
	return strings.ReplaceAll(strings.ToLower(words), " ", "-")
}

// Token identifies everything that the bar shows: a page with the same token needs no
// other bar.
func (b TradingBar) Token() string {
	h := fnv.New64a()
	fmt.Fprint(h, b.sending(), b.KillFile, b.Switch, b.spentWords(), b.Code, len(b.Unknowns)) // a hash never fails
	for _, in := range b.Unknowns {
		fmt.Fprint(h, in.ID, intentWords(in))
	}
	return strconv.FormatUint(h.Sum64(), 36)
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

func millisWords(m affiliate.Millis, zone *time.Location) string {
	if !m.Known() {
		return "never"
	}
	return phrase.Second(m.Time(), zone)
}

func verdictWords(verdict string) string {
	if verdict == "done" {
		return "done"
	}
	return "not done"
}

// ordersOf links to a page about a pair, or to one of its orders.
func ordersOf(v ConsoleView, path, pair, order string) string {
	values := url.Values{"symbol": {pair}}
	if len(v.Accounts) > 1 {
		values.Set("account", string(v.Account))
	}
	if order != "" {
		values.Set("orderId", order)
	}
	if path == "/console/trade" {
		values.Set("kind", "cancel")
	}
	return path + "?" + values.Encode()
}

// stopsFirst sorts the lines of a check that stop it before the others.
func stopsFirst(f trading.Flight) []trading.FlightLine {
	return slices.Concat(f.Stops(), passedLines(f))
}

// failedWords says how many of the checks failed: "1 of 14 failed".
func failedWords(f trading.Flight) string {
	return phrase.Count(len(f.Stops())) + " of " + phrase.Count(len(f.Lines)) + " failed"
}

// enteredBy says who entered an order, and how.
func enteredBy(in trading.Intent) string {
	if in.Source == string(trading.FromPage) {
		return in.Actor + " in the browser"
	}
	return in.Actor + " through the proxy, by " + in.Via
}

// cancelAddress returns the page that cancels the open orders of a page; it is empty if
// there are none, or the reader may not cancel them.
func (v ConsoleView) cancelAddress() string {
	if v.Here != "/console/orders" || v.Sheet == nil || len(v.Sheet.Rows) == 0 || v.Trading == nil || v.Trading.Mode == trading.Off || !v.User.Role.May(access.MayTrade) {
		return ""
	}
	for _, f := range v.Fields {
		if f.Name == "symbol" {
			return ordersOf(v, "/console/trade", affiliate.SpotSymbolOf(f.Value), "")
		}
	}
	return ""
}

// passedLines returns the rules that hold.
func passedLines(f trading.Flight) []trading.FlightLine {
	return slices.DeleteFunc(slices.Clone(f.Lines), func(l trading.FlightLine) bool { return l.Verdict != trading.VerdictPass })
}
