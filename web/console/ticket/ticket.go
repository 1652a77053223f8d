package ticket

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/market"
	"rebatedesk/reports/query"
	"rebatedesk/trading"
	"rebatedesk/web/console"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/console/frame"
	templates "rebatedesk/web/templates/console/ticket"
	"rebatedesk/web/templates/ui"
)

// panelPath is the address of the ticket beside a chart, as a part of a page. Below it is the check
// of a ticket that is being filled in.
const panelPath = "/console/ticket"

// inPlace reports whether a request comes from the ticket beside a chart, which shows review
// and result in its own place.
func inPlace(c *fiber.Ctx) bool { return c.Get("HX-Target") == "ticket" }

// chosenFirst is what an empty ticket of a kind has chosen.
var chosenFirst = map[string]map[string]string{
	console.PlaceTicket:   {"side": string(weex.Buy), "orderType": string(weex.Limit), "force": string(weex.GoodTillCancelled)},
	console.TriggerTicket: {"type": "1", "match_type": "0", "marginMode": "1"},
	console.BatchTicket:   {},
}

// ticketPanel returns the ticket for a pair, nil for a reader who sends no orders.
func (s *Area) ticketPanel(c *fiber.Ctx, account affiliate.Account, symbol, kind string, fields map[string]string) *templates.TicketPanel {
	if s.TradingMode() == trading.Off || !s.May(c, access.MayTrade) {
		return nil
	}
	if affiliate.IsContract(symbol) {
		kind = console.TriggerTicket
	} else if kind != console.BatchTicket {
		kind = console.PlaceTicket
	}
	if len(fields) == 0 {
		fields = maps.Clone(chosenFirst[kind])
	}
	p := &templates.TicketPanel{Account: account, Symbol: symbol, Kind: kind, ID: trading.NewID(), Token: s.Token(c), Form: ui.Form{Values: fields}}
	p.Check = s.checkTicket(c.UserContext(), account, symbol, kind, fields, s.Sharing(c.UserContext(), account, s.Reader(c), symbol))
	return p
}

// Panel draws the ticket for a pair beside its chart, nil for a reader who sends no orders.
func (s *Area) Panel(c *fiber.Ctx, account affiliate.Account, symbol, kind string) templ.Component {
	if p := s.ticketPanel(c, account, symbol, kind, nil); p != nil {
		return templates.Ticketed(*p)
	}
	return nil
}

// TicketPart is the ticket beside a chart alone: an empty one, or with the orders of an intent
// that was not sent.
func (s *Area) TicketPart(c *fiber.Ctx) error {
	given, account, symbol, err := s.ticketAsked(c, "kind", "from")
	if err != nil {
		return err
	}
	if c.Get("HX-Request") != "true" {
		return c.Redirect(frame.PairAddress(symbol), fiber.StatusSeeOther)
	}
	fields := map[string]string{}
	if id := given.Get("from"); id != "" {
		in, err := s.Trading.Intent(c.UserContext(), id)
		if err != nil {
			return missingIntent(err)
		}
		fields = fieldsOf(in)
	}
	panel := s.ticketPanel(c, account, symbol, given.Get("kind"), fields)
	if panel == nil {
		return fiber.ErrNotFound
	}
	return s.Render(c, templates.Ticketed(*panel))
}

// fieldsOf returns the fields of a ticket that would make the intent again.
func fieldsOf(in trading.Intent) map[string]string {
	o := in.Orders[0]
	switch trading.IntentKind(in.Kind) {
	case trading.Place:
		return map[string]string{"side": o.Side, "orderType": o.Type, "force": o.Force, "price": string(o.Price), "quantity": string(o.Quantity)}
	case trading.PlaceBatch:
		return map[string]string{"orderList": templates.BatchText(in.Orders)}
	case trading.Trigger:
		return map[string]string{"type": o.Action, "match_type": o.Match, "marginMode": ui.Itoa(o.Margin), "size": string(o.Quantity),
			"execute_price": string(o.Price), "trigger_price": string(o.TriggerPrice)}
	}
	return nil
}

// ticketAsked checks account and pair of a request about a ticket.
func (s *Area) ticketAsked(c *fiber.Ctx, known ...string) (given url.Values, account affiliate.Account, symbol string, err error) {
	if s.Trading == nil {
		return nil, "", "", fiber.ErrNotFound
	}
	if given, err = handler.Parameters(c); err != nil {
		return nil, "", "", err
	}
	for name, values := range given {
		if len(values) > 1 || name != console.AccountParam && name != "symbol" && !slices.Contains(known, name) {
			return nil, "", "", &query.ParamError{Param: name, Value: values[0], Problem: "cannot be used here, or stands there twice"}
		}
	}
	account, symbol = affiliate.Account(given.Get(console.AccountParam)), given.Get("symbol")
	if account == "" && len(s.Console.Names()) > 0 {
		account = s.Console.Names()[0]
	}
	if _, ok := s.Console.Client(account); !ok {
		return nil, "", "", &query.ParamError{Param: console.AccountParam, Value: string(account), Problem: "is no account in use"}
	}
	symbol = console.SymbolWritten(given.Get("kind"), symbol)
	if !console.IsPair(symbol) {
		return nil, "", "", &query.ParamError{Param: "symbol", Value: symbol, Problem: "is no pair"}
	}
	return given, account, symbol, nil
}

// ticketFields are the fields of tickets. Those after the quantity are not part of an order:
// value and share are other ways to write a quantity, basis says which way was used, near is a
// price that was pointed at, and derived is what the quantity was derived from.
var ticketFields = []string{"form", "kind", "side", "orderType", "force", "price", "quantity", "value", "share", "basis", "near", "derived", "again",
	"orderList", "type", "match_type", "marginMode", "size", "execute_price", "trigger_price"}

// TicketCheck answers a ticket that is being filled in: what follows from its fields, and which
// rules hold. It changes nothing, and asks the exchange only if nobody has asked lately.
func (s *Area) TicketCheck(c *fiber.Ctx) error {
	given, account, symbol, err := s.ticketAsked(c, ticketFields...)
	if err != nil {
		return err
	}
	others := s.Sharing(c.UserContext(), account, s.Reader(c), symbol)
	watch := s.Market.WatchTicket(account, symbol, others.Pairs)
	defer watch.Close()
	console.Await(c.UserContext(), watch, time.Minute)
	fields := map[string]string{}
	for name := range given {
		fields[name] = strings.TrimSpace(given.Get(name))
	}
	kind := fields["kind"]
	if affiliate.IsContract(symbol) {
		kind = console.TriggerTicket
	}
	return s.Render(c, templates.TicketCheckPart(s.checkTicket(c.UserContext(), account, symbol, kind, fields, others)))
}

// checkTicket returns what follows from the fields of a ticket.
func (s *Area) checkTicket(ctx context.Context, account affiliate.Account, symbol, kind string, fields map[string]string, others console.Sharers) templates.TicketChecked {
	fields = maps.Clone(fields)
	quote, reading := s.readingOf(account, symbol)
	v := templates.TicketChecked{Kind: kind, Symbol: symbol, Rules: reading.Rules, Last: reading.Last, Contract: reading.Coin}
	values := url.Values{console.AccountParam: {string(account)}, "symbol": {symbol}}
	switch kind {
	case console.BatchTicket:
		v.Missing = missingOf(fields, "orderList")
	case console.TriggerTicket:
		if fields["near"] != "" {
			v.Price = nearText(fields["near"], "")
			fields["trigger_price"] = string(v.Price)
		}
		v.Missing = missingOf(fields, "trigger_price", "execute_price", "size")
	default:
		v.Base, v.Quote = s.balances(account, quote, others)
		s.derive(&v, fields)
		v.Missing = missingOf(fields, "price", "quantity")
		if fields["orderType"] == string(weex.Market) {
			v.Missing = missingOf(fields, "quantity")
		}
	}
	for name, value := range fields {
		values.Set(name, value)
	}
	values.Set("kind", kind)
	draft, wrong := draftIn(values)
	if v.Wrong = wrong; wrong != "" || len(draft.Orders) == 0 {
		return v
	}
	v.Typed = draft.Orders
	flight := s.Trading.Preview(ctx, draft, reading)
	v.Flight = &flight
	v.Complete(fields)
	return v
}

// missingOf returns the fields that are still empty.
func missingOf(fields map[string]string, names ...string) (missing []string) {
	for _, name := range names {
		if fields[name] == "" {
			missing = append(missing, name)
		}
	}
	return missing
}

// readingOf returns what is known of a pair, for a check.
func (s *Area) readingOf(account affiliate.Account, symbol string) (market.Quote, trading.PairReading) {
	q := s.Market.Quote(account, symbol)
	last, at := q.Last()
	r := trading.PairReading{Known: q.Pair.Known(), Listed: q.Listed, Rules: q.Pair.Value, Last: last, Age: max(time.Since(at), 0)}
	if affiliate.IsContract(symbol) {
		r.Known = q.Contract.Known() || exchange.ClassOf(q.Contract.Err) == exchange.ClassValidation
		r.Coin = trading.ContractCoin(symbol, s.Market.Pairs(account).Value)
	}
	return q, r
}

// derive computes price and quantity of a spot ticket from the way in which they were written.
func (s *Area) derive(v *templates.TicketChecked, fields map[string]string) {
	if fields["near"] != "" {
		v.Price = nearText(fields["near"], v.Rules.TickSize)
		fields["price"] = string(v.Price)
	}
	unit := affiliate.Number(fields["price"])
	if fields["orderType"] == string(weex.Market) {
		unit = v.Last
	}
	if _, err := affiliate.ParseNumber(string(unit)); err != nil {
		unit = ""
	}
	buys := fields["side"] != string(weex.Sell)
	there := v.Base
	if buys {
		there = v.Quote
	}
	switch typed := console.NumberIn(fields[fields["basis"]]); fields["basis"] {
	case "value":
		v.Quantity = trading.QuantityWorth(typed, unit, v.Rules.StepSize)
	case "share":
		v.Quantity = s.partOfFree(v, there, typed, unit, buys, fields["orderType"] == string(weex.Market))
	default:
		v.Unit = unit
		return
	}
	v.Unit, v.Derived = unit, derivedOf(func(name string) string { return fields[name] })
	fields["quantity"] = string(v.Quantity)
}

// partOfFree returns the quantity of a share of what is free, in percent. All of it is the most:
// a market order to buy has room for the worst price at which it may execute.
func (s *Area) partOfFree(v *templates.TicketChecked, there templates.TicketBalance, percent, unit affiliate.Number, buys, market bool) affiliate.Number {
	if percent.Known() && percent.Cmp("100") > 0 {
		v.Notes = append(v.Notes, "A share is at most 100 % of what is free.")
		return ""
	}
	amount := trading.PartOf(there.Free, percent)
	if !buys {
		return trading.QuantityWorth(amount, "1", v.Rules.StepSize)
	}
	quantity := trading.QuantityWorth(amount, unit, v.Rules.StepSize)
	if !market || !quantity.Known() {
		return quantity
	}
	most := trading.QuantityWorth(there.Free, trading.WorstPrice(unit, v.Rules.MarketFallbackPriceRatio), v.Rules.StepSize)
	if most.Known() && most.Cmp(quantity) < 0 {
		return most
	}
	return quantity
}

// derivedOf describes what a quantity is derived from.
func derivedOf(field func(string) string) string {
	basis := cmp.Or(field("basis"), "quantity")
	if basis != "value" && basis != "share" {
		return ""
	}
	return strings.Join([]string{field("side"), field("orderType"), field("price"), basis, field(basis)}, "|")
}

// nearText returns the multiple of a step that is nearest to a price that was pointed at. A
// contract has no known step: its price keeps six digits of those that were drawn.
func nearText(text string, tick affiliate.Number) affiliate.Number {
	n := console.NumberIn(text)
	if tick.Known() || !n.Known() {
		return trading.NearestMultiple(n, tick)
	}
	d := n.Decimal()
	digits := int32(6 - d.NumDigits() - int(d.Exponent()))
	return affiliate.Number(d.Round(digits).String())
}

// heldFor is the age up to which the open orders and bills of a balance are good.
const heldFor = 90 * time.Second

// balances returns what is there, held and free of the coins of a pair, by the newest bills and
// the open orders that are known.
func (s *Area) balances(account affiliate.Account, q market.Quote, others console.Sharers) (base, quote templates.TicketBalance) {
	return s.balance(account, q, q.Pair.Value.BaseCoin, others), s.balance(account, q, q.Pair.Value.QuoteCoin, others)
}

func (s *Area) balance(account affiliate.Account, q market.Quote, coin string, others console.Sharers) templates.TicketBalance {
	b := templates.TicketBalance{Coin: coin, Problem: others.Problem}
	if coin == "" {
		return b
	}
	wallet := s.Market.Wallet(account)
	for _, bill := range wallet.Bills.Value {
		if strings.EqualFold(string(bill.CoinName), coin) && bill.AfterAmount.Known() && bill.Created > b.At {
			b.Amount, b.At = bill.AfterAmount, bill.Created
		}
	}
	if wallet.Bills.Known() && time.Since(wallet.Bills.At) > heldFor {
		b.Problem = "the bills were last read at " + wallet.Bills.At.In(s.Zone).Format("15:04:05 MST")
	}
	var held affiliate.Sum
	for _, symbol := range append([]string{q.Symbol}, others.Pairs...) {
		baseCoin, quoteCoin := s.CoinsOf(account, symbol)
		if coin != baseCoin && coin != quoteCoin {
			continue
		}
		orders := s.Market.Quote(account, symbol).Orders
		if problem := s.holding(&held, orders, coin == baseCoin); problem != "" && b.Problem == "" {
			b.Problem = "the open orders of " + affiliate.PairName(symbol) + " " + problem
		}
		b.Pairs = append(b.Pairs, symbol)
	}
	if b.Problem != "" {
		return b
	}
	b.Held = affiliate.Number(held.String())
	if b.Free = trading.FreeOf(b.Amount, b.Held); !b.Free.Known() && b.Amount.Known() {
		b.Problem = "open orders hold " + affiliate.Grouped(string(b.Held)) + ", more than that"
	}
	return b
}

// holding adds what the open orders of a pair hold of one of its coins. It returns why that is
// not known, or nothing.
func (s *Area) holding(held *affiliate.Sum, orders market.Answered[[]weex.OpenOrder], base bool) (problem string) {
	switch {
	case !orders.Known():
		return "were not read yet"
	case time.Since(orders.At) > heldFor:
		return "were last read at " + orders.At.In(s.Zone).Format("15:04:05 MST")
	case len(orders.Value) >= frame.MostListed:
		return "are more than are read at once"
	}
	for _, o := range orders.Value {
		if o.Side != weex.Buy && o.Side != weex.Sell {
			return "have one of an unknown side"
		}
		if sells := o.Side == weex.Sell; sells != base {
			continue
		}
		line := frame.NewOrderLine(o, "")
		part := line.Worth
		if base {
			part = line.Rest
		}
		if !part.Known() || !held.Add(part) {
			return "have one of which it is not known what it holds"
		}
	}
	return ""
}
