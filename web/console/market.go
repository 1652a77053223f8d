package console

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/market"
	"rebatedesk/reports/query"
	"rebatedesk/trading"
	"rebatedesk/web/charts"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/console"
)

const (
	ContractsPath = templates.ContractsPath
	slotsShown    = 180 // candles of a chart
	tradesShown   = 50
	// firstRead is how long a page waits for the exchange if nothing recent is known, and
	// recentRead how old what it shows may be without a new question.
	firstRead  = 4 * time.Second
	recentRead = 10 * time.Second
)

// await waits for what a page watches, if nothing as recent is known, but no longer than firstRead.
func await(ctx context.Context, watch *market.Reader, recent time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, firstRead)
	defer cancel()
	watch.Ready(ctx, recent)
}

// Parameters of the page of a pair: the length of its candles, whether they are listed, and the
// averages that are hidden, with dots between them. Without it, they are those of the browser.
const (
	intervalParam = "interval"
	tableParam    = "table"
	hideParam     = "hide"
)

// marketPage is the page of a pair: its sheet only checks the parameters.
func marketPage(symbol string) sheet {
	sh := pairSheet(symbol)
	sh.Path, sh.title, sh.about = templates.PairAddress(symbol), affiliate.PairName(symbol), "Spot pair "+symbol
	if affiliate.IsContract(symbol) {
		sh.section, sh.title, sh.about = "4.5", sh.title+" contract", "Contract pair "+symbol
		sh.fields = nil
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
		return s.SheetPage(pairSheet(symbol).alone())(c) // one answer of the exchange as it is
	}
	sh := marketPage(symbol)
	interval, err := intervalOf(c)
	if err != nil {
		return err
	}
	view, a, err := s.consoleView(c, sh)
	if err != nil || a.client == nil {
		return s.renderConsole(c, view, err)
	}
	view.Fields, view.Close = nil, true
	if err := sh.check(a); err != nil {
		view.Fields = sh.filled(a)
		view.Sheet = sh.sheet(sheetPage{}, err, s.Zone)
		failedPage(c, &view, err)
		return s.renderConsole(c, view, nil)
	}
	if err := s.noted(c); err != nil {
		return err
	}
	watch := s.Market.WatchMarket(a.account, symbol)
	defer watch.Close()
	await(c.UserContext(), watch, recentRead)
	v, err := s.marketView(c.UserContext(), a.account, symbol, interval)
	if err != nil {
		return err
	}
	v.ConsoleView = view
	v.Budget = budgetOf(a.client)
	v.Stream = streamAddress(a.account, "market", symbol, interval.Name)
	drawn, err := drawLive(c.UserContext(), v)
	if err != nil {
		return err
	}
	if drawn.chart != nil {
		v.Had = drawn.had()
	}
	v.FillMarks = marksOf(v.Quote).String()
	v.Reader, v.CancelID = a.user, trading.NewID()
	marked, err := s.Console.Favourites(c.UserContext(), a.user)
	if err != nil {
		return err
	}
	v.Marked, v.Watched = slices.Contains(marked, symbol), watched(s.Market, a.account, marked)
	v.Table = a.given.Get(tableParam) != ""
	if v.Hidden, v.Hides, err = hiddenOf(c, a.given); err != nil {
		return err
	}
	v.Ticket = s.ticketPanel(c, a.account, symbol, a.given.Get("ticket"), nil)
	if !affiliate.IsContract(symbol) && v.Listed {
		noteAsked(s.Market, a.account, symbol)
	}
	s.notePage(c, sh, a, unknownMarket(v))
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

// pairView returns what is known of a pair, without its chart and the frame of the page.
func pairView(ctx context.Context, s *Area, account affiliate.Account, symbol string) (v templates.MarketView, err error) {
	v.Quote, v.Rows, v.Now = s.Market.Quote(account, symbol), tradesShown, time.Now()
	v.Unread = unread(exchange.Page[exchange.Trade]{Quarantined: v.UnreadTrades}, "trade", func(t exchange.Trade) string { return t.TradeID })
	v.Account, v.Accounts, v.Zone = account, s.Console.Names(), s.Zone
	return v, readDesk(ctx, s, account, symbol, &v)
}

// marketView returns what is known of a pair, without the frame of the page.
func (s *Area) marketView(ctx context.Context, account affiliate.Account, symbol string, interval market.Interval) (v templates.MarketView, err error) {
	if v, err = pairView(ctx, s, account, symbol); err != nil {
		return v, err
	}
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
	v.Chart.Tick, v.Chart.Coin = v.Quote.Pair.Value.TickSize, templates.QuoteCoin(symbol)
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

// intentsFor is how long an intent of a pair is shown to others, and intentsOfPair how many.
const (
	intentsFor    = time.Hour
	intentsOfPair = 12
)

// readDesk reads the state of sending and the recent intents of a pair.
func readDesk(ctx context.Context, s *Area, account affiliate.Account, symbol string, v *templates.MarketView) error {
	if s.Trading == nil {
		return nil
	}
	status, err := s.Trading.Status(ctx)
	if err != nil {
		return err
	}
	v.Status = &status
	list, err := s.Trading.Intents(ctx, trading.IntentQuery{Account: account, Pair: symbol, Limit: intentsOfPair})
	if err != nil {
		return err
	}
	since := affiliate.MillisOf(s.Trading.Now().Add(-intentsFor))
	v.Intents = slices.DeleteFunc(list, func(in trading.Intent) bool { return in.Made < since })
	return nil
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
	if err != nil || len(symbol) > 40 || strings.HasPrefix(c.Path(), ContractsPath) != affiliate.IsContract(symbol) {
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

// streamAddress is the address of the stream for a page.
func streamAddress(account affiliate.Account, page, symbol, interval string) string {
	values := url.Values{"page": {page}, accountParam: {string(account)}}
	if symbol != "" {
		values.Set("symbol", symbol)
	}
	if interval != "" {
		values.Set(intervalParam, interval)
	}
	return StreamPath + "?" + values.Encode()
}

// cardsShown is how many favourites have a card, and lastOrders how many of the newest orders the
// overview lists.
const (
	cardsShown = 8
	lastOrders = 5
)

// Home is the overview of the console.
func (s *Area) Home(c *fiber.Ctx) error {
	sh := sheet{Path: "/console", title: "Console", about: "Favourite pairs, orders and money of the account, as the exchange says"}
	view, a, err := s.consoleView(c, sh)
	if err != nil || a.client == nil {
		return s.renderConsole(c, view, err)
	}
	if err := s.noted(c); err != nil {
		return err
	}
	marked, err := s.Console.Favourites(c.UserContext(), a.user)
	if err != nil {
		return err
	}
	shown := marked[:min(len(marked), cardsShown)]
	watch := s.Market.WatchPairs(a.account, shown)
	defer watch.Close()
	await(c.UserContext(), watch, time.Minute)
	v, err := s.overviewView(c.UserContext(), a.account, shown)
	if err != nil {
		return err
	}
	v.ConsoleView, v.More = view, len(marked)-len(shown)
	v.Budget = budgetOf(a.client)
	v.Stream = streamAddress(a.account, "overview", "", "")
	v.FillMarks = marksOf(quotesOf(v.Pairs, func(c templates.PairCard) market.Quote { return c.Quote })...).String()
	s.notePage(c, sh, a, nil)
	return s.Render(c, templates.Overview(v))
}

// overviewView returns the contents of the overview, without the frame of the page.
func (s *Area) overviewView(ctx context.Context, account affiliate.Account, pairs []string) (v templates.DeskView, err error) {
	v.Now, v.Zone, v.Account, v.Accounts = time.Now(), s.Zone, account, s.Console.Names()
	v.Wallet, v.Tickers = s.Market.Wallet(account), s.Market.Tickers(account)
	if v.Desk = s.tradingMode() != trading.Off; v.Desk {
		if v.Log, err = s.Trading.Intents(ctx, trading.IntentQuery{Account: account, Limit: lastOrders}); err != nil {
			return v, err
		}
	}
	for _, symbol := range pairs {
		line, err := s.Market.Line(ctx, account, symbol, templates.LineStep, templates.LineSteps)
		if err != nil {
			return v, err
		}
		starts, prices := make([]affiliate.Millis, len(line)), make([]affiliate.Number, len(line))
		for i, p := range line {
			starts[i], prices[i] = p.Time, p.Price
		}
		v.Pairs = append(v.Pairs, templates.NewPairCard(s.Market.Quote(account, symbol), starts, prices, v.Now))
	}
	return v, nil
}
