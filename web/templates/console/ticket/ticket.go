// Package ticket draws tickets, the review and outcome of intents, and cancellations.
package ticket

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
	"rebatedesk/web/templates/console/frame"
	"rebatedesk/web/templates/ui"
)

// TicketPanel is the ticket beside a chart.
type TicketPanel struct {
	Account affiliate.Account
	Symbol  string
	Kind    string // place, batch or trigger
	ID      string // of the form, which takes effect once even if it is sent twice
	Token   string
	Form    ui.Form
	Alert   string // why the previous form was refused
	Check   TicketChecked
}

// TicketBalance is what there is of a coin: the newest bill says how much, and open orders hold a
// part of that.
type TicketBalance struct {
	Coin    string
	Amount  affiliate.Number // that is there; unknown: no recent bill names it
	At      affiliate.Millis // of the bill
	Held    affiliate.Number // by open orders
	Free    affiliate.Number // what they do not hold
	Pairs   []string         // whose open orders are counted
	Problem string           // why it is not known what is free
}

// TicketChecked is what follows from the fields of a ticket, by the rules of its pair.
type TicketChecked struct {
	Kind, Symbol string
	Rules        weex.TradingPair // of a spot pair, as far as they are known
	Contract     affiliate.Coin   // quote coin of a contract
	Last         affiliate.Number
	Base, Quote  TicketBalance

	Price    affiliate.Number // that was pointed at; unknown: none was
	Unit     affiliate.Number // price of the value: the limit, or the last one
	Quantity affiliate.Number // derived from value or share; unknown: it was not
	Derived  string           // what it was derived from
	Value    affiliate.Number // unit times the quantity as it would be sent
	Share    affiliate.Number // of what is free, in percent; unknown if that is not known
	Fee      affiliate.Number // worth of the taker's fee
	Away     affiliate.Number // of a limit price from the last one, in percent of it

	Notes   []string        // what is worth knowing, but forbids nothing
	Missing []string        // fields that are still empty
	Wrong   string          // why the fields cannot be read
	Typed   []trading.Order // as typed, before rounding
	Flight  *trading.Flight
	Line    *TicketLine
}

// TicketLine is a price of a ticket that is drawn into the chart.
type TicketLine struct {
	At    affiliate.Number
	Words string
	Side  string // buy, sell or trigger
}

// lineOf returns the price of an order that is not sent yet, as it is drawn into the chart; nil if
// it has none.
func lineOf(o trading.Order) *TicketLine {
	if at := amountTyped(o.TriggerPrice); at.Known() {
		return &TicketLine{at, "trigger " + affiliate.Grouped(string(at)), "trigger"}
	}
	if at := amountTyped(o.Price); at.Known() && o.Type == string(weex.Limit) {
		return &TicketLine{at, "ticket: " + o.Side + " " + affiliate.Grouped(string(at)), o.Side}
	}
	return nil
}

// amountTyped returns what was typed if it is a number that is not negative.
func amountTyped(n affiliate.Number) affiliate.Number {
	if _, err := affiliate.ParseNumber(string(n)); err != nil || strings.HasPrefix(string(n), "-") {
		return ""
	}
	return n
}

// line is the price of the order that is reviewed, as it is drawn into the chart.
func (v IntentView) line() *TicketLine {
	if !v.drafted() || len(v.Intent.Orders) != 1 {
		return nil
	}
	return lineOf(v.Intent.Orders[0])
}

// drawnLine is a line as the script of the chart reads it.
func drawnLine(l *TicketLine) templ.Attributes {
	if l == nil {
		return nil
	}
	return templ.Attributes{"data-line-at": string(l.At), "data-line-words": l.Words, "data-line-side": l.Side}
}

// Complete derives the figures that follow from the orders as they would be sent.
func (v *TicketChecked) Complete(fields map[string]string) {
	o := v.Flight.Draft.Orders[0]
	switch v.Kind {
	case "trigger":
		v.Line = lineOf(o)
	case "place":
		quantity := amountTyped(o.Quantity)
		v.Value = trading.ValueOf(v.Unit, quantity)
		if v.Rules.TakerFeeRate.Known() {
			v.Fee = trading.ValueOf(v.Value, v.Rules.TakerFeeRate)
		}
		there, part, most := v.Quote, v.Value, v.Value
		switch {
		case o.Side == string(weex.Sell):
			there, part, most = v.Base, quantity, quantity
		case o.Type == string(weex.Market) && amountTyped(o.Worth).Known():
			most = o.Worth
		}
		if there.Free.Known() && !there.Free.IsZero() && part.Known() {
			v.Share = affiliate.Number(part.Decimal().Shift(2).DivRound(there.Free.Decimal(), 2).String())
		}
		if there.Free.Known() && most.Known() && most.Cmp(there.Free) > 0 {
			v.Notes = append(v.Notes, "It takes up to "+affiliate.Grouped(string(most))+phrase.Space+there.Coin+", and "+affiliate.Grouped(string(there.Free))+" are free.")
		}
		if v.Line = lineOf(o); v.Line != nil {
			v.Away = trading.PercentAway(v.Line.At, v.Last)
			v.Notes = append(v.Notes, v.awayNotes(o.Side == string(weex.Buy))...)
		}
	}
}

// stops returns the rules that do not hold, without those that only say that a field is empty.
func (v TicketChecked) stops() []trading.FlightLine {
	if v.Flight == nil {
		return nil
	}
	return slices.DeleteFunc(v.Flight.Stops(), func(l trading.FlightLine) bool {
		return l.Rule == trading.RuleFields && slices.Contains(v.Missing, l.Field)
	})
}

// fieldLabels name the fields of tickets.
var fieldLabels = map[string]string{"price": "price", "quantity": "quantity", "orderList": "rows", "trigger_price": "trigger price", "execute_price": "execution price", "size": "size"}

// state says in one line whether the ticket can be reviewed.
func (v TicketChecked) state() (words, class string) {
	stops := len(v.stops())
	switch {
	case v.Wrong != "" && len(v.Missing) == 0:
		return v.Wrong, "text-error"
	case stops > 0:
		return phrase.Things(stops, "rule") + " against it", "text-error"
	case len(v.Missing) > 0:
		names := make([]string, len(v.Missing))
		for i, name := range v.Missing {
			names[i] = fieldLabels[name]
		}
		return "Still to enter: " + strings.Join(names, ", ") + ".", "text-muted"
	case v.Flight != nil:
		return fmt.Sprintf("All %d rules hold, as of now.", len(v.Flight.Lines)), "text-success"
	}
	return "", ""
}

// derived is a figure that follows from the fields.
type derivedFigure struct{ Label, Text, Hint string }

func (v TicketChecked) figures() (list []derivedFigure) {
	add := func(label string, n affiliate.Number, unit, hint string) {
		if n.Known() {
			list = append(list, derivedFigure{label, affiliate.Grouped(string(n)) + phrase.Space + unit, hint})
		}
	}
	if v.Flight == nil {
		return nil
	}
	if v.Kind == "place" {
		o := v.Flight.Draft.Orders[0]
		if len(v.Typed) == 1 && o.Quantity != v.Typed[0].Quantity {
			add("Rounded to the step", o.Quantity, v.Rules.BaseCoin, "")
		}
		label := "Value"
		if o.Type == string(weex.Market) {
			label = "Value at the last price"
		}
		add(label, v.Value, v.Rules.QuoteCoin, "")
		if o.Worth != v.Value {
			add("Worth at most", o.Worth, string(o.Coin), "what the caps count")
		}
		add("Fee as taker", v.Fee, v.Rules.QuoteCoin, "value times "+frame.FractionCell(v.Rules.TakerFeeRate).Text+"; the exchange may take it in another coin")
		if v.Away.Known() {
			list = append(list, derivedFigure{"From the last price", v.awayWords(), "the last price is " + string(v.Last)})
		}
		there := v.Quote
		if o.Side == string(weex.Sell) {
			there = v.Base
		}
		if v.Share.Known() {
			list = append(list, derivedFigure{"Share of what is free", affiliate.Grouped(string(v.Share)) + phrase.Space + "%", "of " + string(there.Free) + " " + there.Coin})
		}
		return list
	}
	for _, worth := range worthsOf(v.Flight.Draft.Orders) {
		add("Worth at most", worth.Amount, string(worth.Coin), "what the caps count")
	}
	return list
}

// coinWorth is the most that orders can turn over in a coin.
type coinWorth struct {
	Coin   affiliate.Coin
	Amount affiliate.Number // unknown if that of an order is
}

// worthsOf adds up the worth of orders by coin.
func worthsOf(list []trading.Order) (worths []coinWorth) {
	sums := map[affiliate.Coin]*affiliate.Sum{}
	unknown := map[affiliate.Coin]bool{}
	for _, o := range list {
		if sums[o.Coin] == nil {
			sums[o.Coin] = new(affiliate.Sum)
		}
		if !o.Worth.Known() || !sums[o.Coin].Add(o.Worth) {
			unknown[o.Coin] = true
		}
	}
	delete(sums, "")
	for _, coin := range slices.Sorted(maps.Keys(sums)) {
		worth := coinWorth{Coin: coin}
		if !unknown[coin] {
			worth.Amount = affiliate.Number(sums[coin].String())
		}
		worths = append(worths, worth)
	}
	return worths
}

// ordersSum says how many orders there are, if several, and what they are worth at most.
func ordersSum(list []trading.Order) string {
	var parts []string
	if len(list) > 1 {
		parts = append(parts, phrase.Things(len(list), "order"))
	}
	for _, worth := range worthsOf(list) {
		if worth.Amount.Known() {
			parts = append(parts, "worth up to "+affiliate.Grouped(string(worth.Amount))+phrase.Space+string(worth.Coin))
		}
	}
	return strings.Join(parts, ", ")
}

// sum says within the button what is reviewed, or how many rules are against it.
func (v TicketChecked) sum() string {
	stops := len(v.stops())
	switch {
	case v.Flight == nil || len(v.Missing) > 0 || v.Wrong != "":
		return ""
	case stops > 0:
		return phrase.Things(stops, "rule") + " against it"
	case v.Kind != "place":
		return ordersSum(v.Flight.Draft.Orders)
	}
	o := v.Flight.Draft.Orders[0]
	words := o.Side + " " + affiliate.Grouped(string(o.Quantity)) + phrase.Space + v.Rules.BaseCoin
	if !v.Value.Known() {
		return words
	}
	value := affiliate.Grouped(string(v.Value)) + phrase.Space + v.Rules.QuoteCoin
	if o.Type == string(weex.Market) {
		return words + ", about " + value
	}
	return words + " for " + value
}

func (v TicketChecked) awayWords() string {
	if v.Away.IsZero() {
		return "the same"
	}
	return frame.OrderLine{Away: v.Away}.AwayWords()
}

// awayNotes warn of a limit price that is likely not what was meant, on either side of the market:
// the rules of the exchange forbid only the side that costs the trader.
func (v TicketChecked) awayNotes(buys bool) []string {
	ratio := v.Rules.SellLimitPriceRatio
	if buys {
		ratio = v.Rules.BuyLimitPriceRatio
	}
	if !v.Away.Known() || v.Away.IsZero() {
		return nil
	}
	costly := buys == (v.Away.Cmp("0") > 0)
	switch away := v.Away.Decimal().Abs(); {
	case costly:
		return []string{"The price is " + v.awayWords() + " the last price, so the order can be executed at once, as taker."}
	case ratio.Known() && away.GreaterThan(ratio.Decimal().Shift(2)):
		return []string{"The price is " + v.awayWords() + " the last price: it is executed only if the market moves that far."}
	}
	return nil
}

// balanceWords say how much is there, held and free.
func (b TicketBalance) balanceWords() string {
	if b.Coin == "" {
		return ""
	}
	if !b.Amount.Known() {
		return b.Coin + ": not known, no recent bill names it."
	}
	there := affiliate.Grouped(string(b.Amount)) + phrase.Space + b.Coin
	switch {
	case b.Problem != "":
		return there + " there. How much of it is free is not known: " + b.Problem + "."
	case b.Held.IsZero():
		return there + " free, none held by open orders."
	}
	return affiliate.Grouped(string(b.Free)) + phrase.Space + b.Coin + " free: " + affiliate.Grouped(string(b.Amount)) + " there, " +
		affiliate.Grouped(string(b.Held)) + " held by open orders."
}

// balanceHint names the pairs whose open orders are counted.
func (b TicketBalance) balanceHint() string {
	names := make([]string, len(b.Pairs))
	for i, symbol := range b.Pairs {
		names[i] = affiliate.PairName(symbol)
	}
	return "By the newest bill and the open orders of " + strings.Join(names, ", ") + "."
}

// countedWords say which open orders are counted in what is free.
func (v TicketChecked) countedWords() string {
	pairs := map[string]bool{}
	for _, b := range []TicketBalance{v.Base, v.Quote} {
		if b.Free.Known() {
			for _, symbol := range b.Pairs {
				pairs[symbol] = true
			}
		}
	}
	switch len(pairs) {
	case 0:
		return ""
	case 1:
		return "Counted: open orders of this pair. Orders of pairs that nobody follows are not."
	}
	return "Counted: open orders of this pair and of " + phrase.Things(len(pairs)-1, "other followed pair") + ". Orders of pairs that nobody follows are not."
}

// takeFields name the fields of a ticket for values of an order.
func (v TicketChecked) takeField(name string) string {
	if v.Kind == "trigger" && name == "quantity" {
		return "size"
	}
	return name
}

// taken returns the field and its text with which a nearest value is taken. Of a batch it is
// the whole text.
func (v TicketChecked) taken(l trading.FlightLine, n trading.NearestValue) (field, text string) {
	if v.Kind != "batch" {
		return v.takeField(n.Field), string(n.Value)
	}
	orders := slices.Clone(v.Typed)
	if n.Field == "price" {
		orders[l.Order].Price = n.Value
	} else {
		orders[l.Order].Quantity = n.Value
	}
	return "orderList", BatchText(orders)
}

// BatchText writes orders as the rows of a batch.
func BatchText(orders []trading.Order) string {
	var b strings.Builder
	for _, o := range orders {
		cells := []string{o.Side, o.Type, o.Force, string(o.Price), string(o.Quantity)}
		if o.Type == string(weex.Market) {
			cells = []string{o.Side, o.Type, string(o.Quantity)}
		}
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	return b.String()
}

// stopsOf returns the rules against one order of a batch.
func (v TicketChecked) stopsOf(n int) (list []trading.FlightLine) {
	for _, l := range v.stops() {
		if l.Order == n {
			list = append(list, l)
		}
	}
	return list
}

// panelAddress returns the ticket of a kind, alone.
func panelAddress(account affiliate.Account, symbol, kind, from string) string {
	values := url.Values{"account": {string(account)}, "symbol": {symbol}, "kind": {kind}}
	if from != "" {
		values.Set("from", from)
	}
	return "/console/ticket?" + values.Encode()
}

func (p TicketPanel) contract() bool { return affiliate.IsContract(p.Symbol) }

func (p TicketPanel) value(name, otherwise string) string {
	if v, ok := p.Form.Values[name]; ok && v != "" {
		return v
	}
	return otherwise
}
