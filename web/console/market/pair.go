package market

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/market"
	"rebatedesk/reports/query"
	"rebatedesk/trading"
	"rebatedesk/web/charts"
	"rebatedesk/web/console"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/console/frame"
	templates "rebatedesk/web/templates/console/market"
)

const (
	slotsShown  = 180 // candles of a chart
	tradesShown = 50
)

// Parameters of the page of a pair: the length of its candles, whether they are listed, and the
// averages that are hidden, with dots between them. Without it, they are those of the browser.
const (
	intervalParam = "interval"
	tableParam    = "table"
	hideParam     = "hide"
)

// marketPage is the page of a pair: its sheet only checks the parameters.
func marketPage(symbol string) console.Sheet {
	sh := pairSheet(symbol)
	sh.Path, sh.Title, sh.About = frame.PairAddress(symbol), affiliate.PairName(symbol), "Spot pair "+symbol
	if affiliate.IsContract(symbol) {
		sh.Section, sh.Title, sh.About = "4.5", sh.Title+" contract", "Contract pair "+symbol
		sh.Fields = nil
	}
	return sh
}

// Pair is the page of one pair, of the spot or the contract market.
func (s *Area) Pair(c *fiber.Ctx) error {
	symbol, err := symbolOf(c)
	if err != nil {
		return err
	}
	if c.Context().QueryArgs().Has("limit") && !affiliate.IsContract(symbol) {
		return s.SheetPage(alone(pairSheet(symbol)))(c) // one answer of the exchange as it is
	}
	sh := marketPage(symbol)
	interval, err := intervalOf(c)
	if err != nil {
		return err
	}
	view, a, err := s.Frame(c, sh)
	if err != nil || a.Client == nil {
		return s.RenderPage(c, view, err)
	}
	view.Fields, view.Close = nil, true
	if err := sh.Check(a); err != nil {
		view.Fields = sh.Filled(a)
		view.Sheet = sh.Sheet(console.SheetPage{}, err, s.Zone)
		console.FailedPage(c, &view, err)
		return s.RenderPage(c, view, nil)
	}
	if err := s.Noted(c); err != nil {
		return err
	}
	watch := s.Market.WatchMarket(a.Account, symbol)
	defer watch.Close()
	console.Await(c.UserContext(), watch, console.RecentRead)
	v, err := s.marketView(c.UserContext(), a.Account, symbol, interval)
	if err != nil {
		return err
	}
	v.View = view
	v.Budget = console.BudgetOf(a.Client)
	v.Stream = console.StreamAddress("market", a.Account, url.Values{"symbol": {symbol}, intervalParam: {interval.Name}})
	drawn, err := drawLive(c.UserContext(), v)
	if err != nil {
		return err
	}
	if drawn.chart != nil {
		v.Had = drawn.had()
	}
	v.FillMarks = console.MarksOf(v.Quote).String()
	v.Reader, v.CancelID = a.User, trading.NewID()
	marked, err := s.Console.Favourites(c.UserContext(), a.User)
	if err != nil {
		return err
	}
	v.Marked, v.Watched = slices.Contains(marked, symbol), watched(s.Market, a.Account, marked)
	v.Table = a.Given.Get(tableParam) != ""
	if v.Hidden, v.Hides, err = hiddenOf(c, a.Given); err != nil {
		return err
	}
	v.Ticket = s.panel(c, a.Account, symbol, a.Given.Get("ticket"))
	if !affiliate.IsContract(symbol) && v.Listed {
		console.NoteAsked(s.Market, a.Account, symbol)
	}
	s.NotePage(c, sh, a, unknownMarket(v))
	switch {
	case v.Pair.Known() && !v.Listed && !v.Chart.Any():
		c.Status(http.StatusNotFound)
	case unknownMarket(v) != nil:
		c.Status(http.StatusBadGateway)
	}
	return s.Render(c, templates.Market(v))
}

// hiddenOf returns the averages that the reader hid, and whether the address says so.
func hiddenOf(c *fiber.Ctx, given url.Values) (hidden []string, said bool, err error) {
	if !given.Has(hideParam) {
		return handler.HiddenLines(c), false, nil
	}
	for _, id := range strings.Split(given.Get(hideParam), ".") {
		switch {
		case id == "":
		case !slices.Contains(charts.AverageIDs, id):
			return nil, true, &query.ParamError{Param: hideParam, Value: id, Problem: "is none of " + strings.Join(charts.AverageIDs, ", ")}
		default:
			hidden = append(hidden, id)
		}
	}
	return hidden, true, nil
}

// mostWatched is how many favourites are in reach on the page of a pair.
const mostWatched = 12

// watched returns the favourites that are in reach on the page of a pair, by the tickers that the
// page reads anyway.
func watched(feed *market.Feed, account affiliate.Account, marked []string) (list []templates.PairCard) {
	for _, symbol := range marked[:min(len(marked), mostWatched)] {
		list = append(list, templates.PairCard{Quote: feed.Quote(account, symbol)})
	}
	return list
}

// unknownMarket returns why nothing is known of a pair, or nil.
func unknownMarket(v templates.MarketView) error {
	if v.Chart.Any() {
		return nil
	}
	if v.Contract() {
		if !v.Quote.Contract.Known() {
			return v.Quote.Contract.Err
		}
		return nil
	}
	if !v.Trades.Known() {
		return v.Trades.Err
	}
	return nil
}

// marketView returns what is known of a pair, without the frame of the page.
func (s *Area) marketView(ctx context.Context, account affiliate.Account, symbol string, interval market.Interval) (v templates.MarketView, err error) {
	if v.PairView, err = s.PairView(ctx, account, symbol); err != nil {
		return v, err
	}
	v.Rows = tradesShown
	v.Unread = console.Unread(exchange.Page[weex.Trade]{Quarantined: v.UnreadTrades}, "trade", func(t weex.Trade) string { return t.TradeID })
	v.Chart = charts.Candles{Of: affiliate.PairName(symbol), Interval: interval, Zone: s.Zone}
	if v.Chart.Slots, err = s.Market.Chart(ctx, account, symbol, interval, charts.SlotsBefore+slotsShown); err != nil {
		return v, err
	}
	v.Chart.Averages = charts.AveragesOf(v.Chart.Slots)
	v.Chart = v.Chart.Part(firstShown(v.Chart.Slots), len(v.Chart.Slots))
	v.Chart.Last = v.Quote.Contract.Value.Last
	if len(v.Trades.Value) > 0 {
		v.Chart.Last = v.Trades.Value[0].FillPrice
	}
	v.Chart.Tick, v.Chart.Coin = v.Quote.Pair.Value.TickSize, frame.QuoteCoin(symbol)
	for _, o := range v.Orders.Value {
		v.Chart.Lines = append(v.Chart.Lines, charts.PriceLine{Price: o.Price, Side: string(o.Side), Order: o.OrderID,
			Words: fmt.Sprintf("%s %s", o.Side, affiliate.Grouped(string(o.Quantity)))})
	}
	for _, f := range v.Fills.Value {
		v.Chart.Marks = append(v.Chart.Marks, charts.PriceMark{At: f.Created, Price: f.FillPrice, Side: string(f.Side),
			Words: fmt.Sprintf("own fill: %s %s at %s", f.Side, affiliate.Grouped(string(f.FillQuantity)), affiliate.Grouped(string(f.FillPrice)))})
	}
	return v, nil
}

// fewestSlots is how many slots a chart has at least.
const fewestSlots = 60

// firstShown returns the first slot of a chart: those before it only make averages, or nothing
// was seen in them.
func firstShown(slots []market.Slot) int {
	i := max(0, len(slots)-slotsShown)
	for len(slots)-i > fewestSlots && slots[i].State == market.SlotUnseen {
		i++
	}
	return i
}

// symbolOf returns the pair of the address.
func symbolOf(c *fiber.Ctx) (string, error) {
	symbol, err := url.PathUnescape(c.Params("symbol"))
	if err != nil || len(symbol) > 40 || strings.HasPrefix(c.Path(), frame.ContractsPath) != affiliate.IsContract(symbol) {
		return "", fiber.ErrNotFound
	}
	return symbol, nil
}

// intervalOf returns the length of the candles.
func intervalOf(c *fiber.Ctx) (market.Interval, error) {
	name := c.Query(intervalParam, "1m")
	interval, ok := market.IntervalNamed(name)
	if !ok {
		var names []string
		for _, i := range market.Intervals {
			names = append(names, i.Name)
		}
		return interval, &query.ParamError{Param: intervalParam, Value: name, Problem: "is none of " + strings.Join(names, ", ")}
	}
	return interval, nil
}

// pairSheet is the page of the recent public trades of a pair (4.4).
func pairSheet(symbol string) console.Sheet {
	return console.Sheet{
		Path: frame.MarketsPath + "/" + url.PathEscape(symbol), Title: symbol, Noun: "trade", Section: "4.4", About: "Recent trades of everybody, and the rules of the pair", Refresh: true,
		Fixed:  url.Values{"symbol": {symbol}},
		Own:    map[string][]string{intervalParam: nil, console.TicketParam: {console.PlaceTicket, console.BatchTicket, console.TriggerTicket}, tableParam: {"yes"}, hideParam: nil},
		Fields: []frame.Field{console.Field("limit", "Rows (1–1000)", "number")},
		Columns: []frame.SheetColumn{
			console.Column("fill_time_utc", "Time"), console.Figure("fill_price", "Price"), console.Figure("fill_quantity", "Quantity"), console.Figure("trade_value", "Value"),
			console.Column("buyer_maker", "Buyer was maker"), console.Column("best_match", "Fully filled"), console.Column("trade_id", "Trade"),
		},
		Ask: func(ctx context.Context, a console.Asking) (p console.SheetPage, err error) {
			got, err := a.Client.Trades(ctx, weex.TradeQuery{Symbol: symbol, Limit: a.Whole("limit")})
			p.Rows, p.Unread = console.PageRows(a, got, tradeRow), console.Unread(got, "trade", func(t weex.Trade) string { return t.TradeID })
			return p, err
		},
	}
}

// alone returns the page without the parameters of the chart, which one answer of the exchange
// does not have.
func alone(sh console.Sheet) console.Sheet {
	sh.Own, sh.About = nil, "Recent trades of everybody, as one answer of the exchange"
	sh.Title = affiliate.PairName(sh.Fixed.Get("symbol")) + " trades"
	return sh
}

func tradeRow(a console.Asking, t weex.Trade) frame.SheetRow {
	return frame.SheetRow{Cells: []frame.Cell{
		frame.TimeCell(t.FillTime, a.Zone), frame.NumberCell(t.FillPrice), frame.NumberCell(t.FillQuantity), frame.NumberCell(t.TradeValue),
		frame.FlagCell(t.BuyerMaker), frame.FlagCell(t.BestMatch), frame.TextCell(t.TradeID),
	}}
}

// PairFile returns the trades of the page as a file.
func (s *Area) PairFile(c *fiber.Ctx) error {
	symbol, err := url.PathUnescape(c.Params("symbol"))
	if err != nil || len(symbol) > 40 {
		return fiber.ErrNotFound
	}
	return s.SheetFile(pairSheet(symbol))(c)
}
