package ticket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/market"
	"rebatedesk/trading"
	"rebatedesk/web/console"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/console/frame"
	templates "rebatedesk/web/templates/console/ticket"
	"rebatedesk/web/templates/ui"
)

var tickets = []string{console.PlaceTicket, console.BatchTicket, console.TriggerTicket, console.CancelTicket}

// ticketPairs holds the initial pair of each ticket, in the notation of the document.
var ticketPairs = map[string]string{console.PlaceTicket: "BTCUSDT_SPBL", console.BatchTicket: "BTCUSDT_SPBL", console.TriggerTicket: "cmt_btcusdt"}

// Ticket shows an empty form. It sends nothing to the exchange, except that a
// cancellation reads the open orders.
func (s *Area) Ticket(c *fiber.Ctx) error {
	kind := cmp.Or(c.Query("kind"), console.PlaceTicket)
	if !slices.Contains(tickets, kind) {
		return handler.NewProblem(fiber.StatusBadRequest, "There is no such ticket: it is one of "+strings.Join(tickets, ", ")+".")
	}
	return s.showTicket(c, kind, "", nil)
}

// showTicket shows a form, and the reason why the previous one was refused.
func (s *Area) showTicket(c *fiber.Ctx, kind, alert string, flight *trading.Flight) error {
	frame, err := s.tradingView(c, "Trade", "Prepare an order, and review it before it is sent", frame.TicketPath, "kind", "symbol")
	if err != nil {
		return err
	}
	v := templates.TicketView{TradingView: frame, Kind: kind, Alert: alert, ID: trading.NewID(), Flight: flight, Form: ui.Form{Values: map[string]string{}}}
	for name, values := range s.Form(c) {
		v.Form.Values[name] = values[0]
	}
	v.Pair = console.SymbolWritten(kind, cmp.Or(strings.TrimSpace(s.Form(c).Get("symbol")), frame.Values.Get("symbol"), ticketPairs[kind]))
	if frame.Trading != nil {
		frame.Trading.Back = templates.TicketAddress(v.Account, kind, v.Pair)
	}
	for _, p := range s.Market.Pairs(v.Account).Value {
		v.Pairs = append(v.Pairs, p.Symbol)
	}
	if flight != nil {
		for _, line := range flight.Stops() {
			if line.Field != "" {
				v.Form.Fault(line.Field, line.Words)
			}
		}
	}
	if _, used := s.Console.Client(v.Account); used && v.MayTrade && v.Mode != trading.Off && console.IsPair(v.Pair) {
		market, err := s.PairView(c.UserContext(), v.Account, v.Pair)
		if err != nil {
			return err
		}
		market.Reader, market.Stream = s.Reader(c), console.StreamAddress("ticket", v.Account, url.Values{"symbol": {v.Pair}})
		market.FillMarks = console.MarksOf(market.Quote).String()
		if kind == console.TriggerTicket {
			market.Stream += "&kind=" + console.TriggerTicket // for pairs that are entered later
		}
		v.Market = &market
	}
	if kind == console.CancelTicket && v.Pair != "" && v.MayTrade && v.Mode != trading.Off {
		if err := s.readOpen(c, &v); err != nil {
			return err
		}
	}
	if inPlace(c) {
		fields := map[string]string{}
		for name := range v.Form.Values {
			fields[name] = strings.TrimSpace(v.Form.Values[name])
		}
		if panel := s.ticketPanel(c, v.Account, v.Pair, kind, fields); panel != nil {
			panel.Alert = alert
			panel.Form.Faults = v.Form.Faults
			if flight != nil {
				panel.Check.Flight = flight
			}
			return s.Render(c, templates.Ticketed(*panel))
		}
	}
	return s.Render(c, templates.Ticket(v))
}

// readOpen reads the orders that can be cancelled.
func (s *Area) readOpen(c *fiber.Ctx, v *templates.TicketView) error {
	client, ok := s.Console.Client(v.Account)
	if !ok {
		return nil
	}
	if err := s.Noted(c); err != nil {
		return err
	}
	ctx := exchange.WithPriority(c.UserContext(), exchange.Interactive)
	outcome := ""
	for o, err := range client.AllOpenOrders(ctx, weex.OpenOrderQuery{Symbol: v.Pair}) {
		if err != nil {
			outcome = err.Error()
			v.OpenProblem = "The open orders cannot be read now: " + outcome + ". That is not the same as none."
			break
		}
		v.Open = append(v.Open, o)
	}
	s.Note(c, "console page", frame.TicketPath, string(v.Account)+" open orders of "+handler.Quote(v.Pair), outcome)
	return nil
}

// Review checks and records a draft, and shows it for confirmation. A form that is sent
// twice leads to the review, or the result, of the first.
func (s *Area) Review(c *fiber.Ctx) error {
	fields := s.Form(c)
	kind := fields.Get("kind")
	if s.Trading == nil || !slices.Contains(tickets, kind) {
		c.Status(fiber.StatusBadRequest)
		return s.showTicket(c, console.PlaceTicket, "Nothing was sent: there is no such ticket, or trading is off.", nil)
	}
	if strings.TrimSpace(fields.Get("form")) == "" { // two such forms could not be told apart, and would be two orders
		c.Status(fiber.StatusBadRequest)
		return s.showTicket(c, kind, "Nothing was sent: the form has no number of its own. Open the page again.", nil)
	}
	if fields.Has("cancel-every") {
		return s.review(c, fields)
	}
	cancelButtons(fields)
	draft, wrong := draftIn(fields)
	if wrong == "" && kind == console.PlaceTicket && derivedOf(fields.Get) != "" && derivedOf(func(name string) string { return strings.TrimSpace(fields.Get(name)) }) != fields.Get("derived") {
		wrong = "The quantity does not belong to the value or share that was typed: look at it again."
	}
	if wrong != "" {
		c.Status(fiber.StatusBadRequest)
		return s.showTicket(c, kind, "Nothing was sent. "+wrong, nil)
	}
	ctx := exchange.WithPriority(c.UserContext(), exchange.Interactive)
	in, err := s.Trading.Prepare(ctx, s.trader(c), draft)
	if refusal, ok := errors.AsType[*trading.RefusedDraft](err); ok {
		c.Status(fiber.StatusBadRequest)
		return s.showTicket(c, kind, "Not sent. "+refusal.Flight.Stops()[0].Words, &refusal.Flight)
	}
	if err != nil {
		return err
	}
	s.Bell.Ring()
	if in.Orders[0].State != trading.IntentDrafted {
		return toIntent(c, s, in)
	}
	return s.showIntent(c, in, templates.IntentView{Typed: draft.Orders})
}

// draftIn reads the fields of a ticket. It keeps the numbers as typed, because the
// flight check validates them.
func draftIn(fields url.Values) (d trading.Draft, wrong string) {
	text := func(name string) string { return strings.TrimSpace(fields.Get(name)) }
	d = trading.Draft{ID: text("form"), Account: affiliate.Account(text(console.AccountParam)), Kind: trading.IntentKind(text("kind")), Pair: console.SymbolWritten(text("kind"), text("symbol")),
		Source: trading.FromPage, Again: text("again") == "yes"}
	switch text("kind") {
	case console.BatchTicket:
		d.Orders, wrong = batchIn(text("orderList"))
		return d, wrong
	case console.CancelTicket:
		return cancellationIn(fields, d)
	case console.TriggerTicket:
		margin, err := strconv.Atoi(cmp.Or(text("marginMode"), "0"))
		if err != nil {
			margin = -1 // the check reports the valid values
		}
		d.Orders = []trading.Order{{Action: text("type"), Match: text("match_type"), Margin: margin, Quantity: affiliate.Number(text("size")),
			Price: affiliate.Number(text("execute_price")), TriggerPrice: affiliate.Number(text("trigger_price"))}}
		return d, ""
	}
	d.Orders = []trading.Order{{Side: text("side"), Type: text("orderType"), Force: text("force"),
		Price: affiliate.Number(text("price")), Quantity: affiliate.Number(text("quantity"))}}
	return d, ""
}

// batchIn reads rows of orders, each like: buy limit normal 61000.5 0.01. A market
// order omits force and price. Columns are separated by spaces, tabs, commas or
// semicolons, as in spreadsheets. A number with separators of thousands is refused: where columns
// are separated by commas it would be another order.
func batchIn(text string) (orders []trading.Order, wrong string) {
	for n, row := range strings.Split(text, "\n") {
		cells := cellsOf(row)
		if len(cells) > 0 && len(orders) == 0 && strings.EqualFold(cells[0], "side") {
			continue // the headings of a spreadsheet
		}
		for i := range min(len(cells), 2) {
			cells[i] = strings.ToLower(cells[i])
		}
		if at := slices.IndexFunc(cells, groupedNumber.MatchString); at >= 0 {
			return nil, fmt.Sprintf("Row %d has the number %s: write it without separators, %s.", n+1, cells[at], strings.ReplaceAll(cells[at], ",", ""))
		}
		switch {
		case len(cells) == 0:
			continue
		case len(cells) == 3 && cells[1] == string(weex.Market):
			orders = append(orders, trading.Order{Side: cells[0], Type: cells[1], Quantity: affiliate.Number(cells[2])})
		case len(cells) == 5:
			orders = append(orders, trading.Order{Side: cells[0], Type: cells[1], Force: cells[2],
				Price: affiliate.Number(cells[3]), Quantity: affiliate.Number(cells[4])})
		default:
			return nil, fmt.Sprintf("Row %d cannot be read: write side, orderType, force, price and quantity, or side, market and quantity.", n+1)
		}
	}
	return orders, ""
}

// groupedNumber matches a number with commas between its thousands.
var groupedNumber = regexp.MustCompile(`^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$`)

// cellsOf splits a row, leaving out empty cells. If it has tabs, as rows that are pasted from a
// spreadsheet do, they alone separate.
func cellsOf(row string) []string {
	if !strings.Contains(row, "\t") {
		return strings.FieldsFunc(row, func(r rune) bool { return strings.ContainsRune(" \r,;\"", r) })
	}
	cells := strings.Split(row, "\t")
	for i := range cells {
		cells[i] = strings.Trim(cells[i], " \r\"")
	}
	return slices.DeleteFunc(cells, func(cell string) bool { return cell == "" })
}

// cancellationIn reads which orders to cancel: all orders of the pair, or the marked
// ones.
func cancellationIn(fields url.Values, d trading.Draft) (trading.Draft, string) {
	if fields.Get("all") == "yes" {
		d.Kind = trading.CancelAll
		return d, ""
	}
	for name := range fields {
		if id, marked := strings.CutPrefix(name, "order-"); marked {
			d.Orders = append(d.Orders, trading.Order{OrderID: id})
		}
	}
	slices.SortFunc(d.Orders, func(a, b trading.Order) int { return strings.Compare(a.OrderID, b.OrderID) })
	d.Kind = trading.CancelSome
	switch len(d.Orders) {
	case 0:
		return d, "Mark the orders that are to be cancelled."
	case 1:
		d.Kind = trading.Cancel
	}
	return d, ""
}

// liveTicket begins the stream of the page of tickets.
func (s *Area) liveTicket(c *fiber.Ctx, t *console.Teller) (console.Live, error) {
	symbol, err := console.PairOfStream(c)
	return console.Live{
		Watch: func(ctx context.Context) (*market.Reader, error) { return s.WatchPair(ctx, t, symbol), nil },
		News: func(ctx context.Context) error {
			v, err := s.PairView(ctx, t.Account, symbol)
			if err != nil {
				return err
			}
			v.Reader = t.User
			if err := t.FillNews(v.Quote); err != nil {
				return err
			}
			return t.Parts(ctx, templates.TicketPrice(v), frame.TicketNotices(v), frame.TicketOthers(v), t.Budget())
		},
	}, err
}
