package console

import (
	"cmp"
	"context"
	"iter"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/market"
	"rebatedesk/reports/query"
	"rebatedesk/trading"
	templates "rebatedesk/web/templates/console"
)

// logOfOrders is how many of our intents the page of orders lists.
const logOfOrders = 20

// ageNames are the ages by which open orders are filtered, and ages how long they are.
var (
	ageNames = []string{"1h", "24h", "7d"}
	ages     = map[string]time.Duration{"1h": time.Hour, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour}
)

// openOrdersSheet has the parameters of the page of open orders.
var openOrdersSheet = sheet{
	Path: templates.OrdersPath, title: "Orders", about: "Open orders of favourites and of pairs that were asked for in the last day, and what became of ours",
	answers: "Which orders wait at the exchange?", terms: []string{"intent", "unknown intent"},
	fields: []templates.ConsoleField{
		spotField("pair", "Pair"), oneOfText(field("side", "Side", ""), []exchange.Side{exchange.Buy, exchange.Sell}),
		oneOfText(field("older", "Older than", ""), ageNames),
		field("beyond", "From the market, at least %", "text"), field("within", "At most %", "text"),
	},
}

// orderFilter narrows a list of open orders. Empty fields do not narrow. What is unknown of an
// order does not hide it.
type orderFilter struct {
	pair, side     string
	older          string           // one of ageNames
	beyond, within affiliate.Number // distance from the last price, in percent of it
}

// orderFilterOf reads the filter of a request.
func orderFilterOf(value func(string) string) (f orderFilter, err error) {
	wrong := func(name, problem string) (orderFilter, error) {
		return f, &query.ParamError{Param: name, Value: value(name), Problem: problem}
	}
	f.pair, f.side = affiliate.SpotSymbolOf(value("pair")), value("side")
	if f.pair != "" && (len(f.pair) > 40 || !affiliate.IsSpotSymbol(f.pair)) {
		return wrong("pair", "is no spot pair like BTC/USDT")
	}
	if f.side != "" && f.side != string(exchange.Buy) && f.side != string(exchange.Sell) {
		return wrong("side", "is neither buy nor sell")
	}
	if f.older = value("older"); f.older != "" && ages[f.older] == 0 {
		return wrong("older", "is none of "+strings.Join(ageNames, ", "))
	}
	for name, into := range map[string]*affiliate.Number{"beyond": &f.beyond, "within": &f.within} {
		if text := strings.TrimSpace(value(name)); text != "" {
			if *into = numberIn(text); !into.Known() {
				return wrong(name, "is no number of percent, zero or more")
			}
		}
	}
	if f.beyond.Known() && f.within.Known() && f.beyond.Cmp(f.within) > 0 {
		return wrong("within", "is less than the "+string(f.beyond)+" % of beyond, so no order would fit")
	}
	return f, nil
}

// keeps reports whether an order passes the filter.
func (f orderFilter) keeps(o exchange.OpenOrder, last affiliate.Number, now time.Time) bool {
	if f.side != "" && string(o.Side) != f.side || f.older != "" && o.Created.Known() && now.Sub(o.Created.Time()) < ages[f.older] {
		return false
	}
	if !o.Price.Known() || !last.Known() || last.Cmp("0") <= 0 {
		return true
	}
	// The distance is compared by multiplying, which is exact.
	away := o.Price.Decimal().Sub(last.Decimal()).Abs().Shift(2)
	return (!f.beyond.Known() || away.GreaterThanOrEqual(last.Decimal().Mul(f.beyond.Decimal()))) &&
		(!f.within.Known() || away.LessThanOrEqual(last.Decimal().Mul(f.within.Decimal())))
}

// values returns the filter as parameters.
func (f orderFilter) values() url.Values {
	values := url.Values{}
	set := func(name, value string) {
		if value != "" {
			values.Set(name, value)
		}
	}
	set("pair", f.pair)
	set("side", f.side)
	set("older", f.older)
	set("beyond", string(f.beyond))
	set("within", string(f.within))
	return values
}

// OpenOrders is the page of all open orders. With a parameter of the exchange's endpoint, it is
// one answer of the exchange as it is.
func (s *Area) OpenOrders(c *fiber.Ctx) error {
	for _, f := range ordersSheet.fields {
		if c.Context().QueryArgs().Has(f.Name) {
			return s.SheetPage(ordersSheet)(c)
		}
	}
	frame, a, err := s.consoleView(c, openOrdersSheet)
	if err != nil || a.client == nil {
		return s.renderConsole(c, frame, err)
	}
	filter, err := orderFilterOf(a.given.Get)
	if err != nil {
		return err
	}
	if err := s.noted(c); err != nil {
		return err
	}
	pairs, err := s.pairsOfOrders(c.UserContext(), a, filter)
	if err != nil {
		return err
	}
	watch := s.Market.WatchOrders(a.account, pairs)
	defer watch.Close()
	await(c.UserContext(), watch, recentRead)
	if filter.pair != "" {
		noteAsked(s.Market, a.account, filter.pair)
	}
	v, err := s.openOrdersView(c.UserContext(), a.account, pairs, filter)
	if err != nil {
		return err
	}
	v.Filters, frame.Fields = frame.Fields, nil
	v.ConsoleView = frame
	v.Budget = budgetOf(a.client)
	v.MayTrade = s.tradingMode() != trading.Off && s.May(c, access.MayTrade)
	v.FormID = trading.NewID()
	v.Stream = streamAddress("orders", a.account, filter.values())
	v.FillMarks = marksOf(quotesOf(v.Pairs, func(p templates.PairOrders) market.Quote { return p.Quote })...).String()
	s.notePage(c, openOrdersSheet, a, nil)
	return s.Render(c, templates.OpenOrders(v))
}

// pairsOfOrders returns the pairs whose open orders a page shows.
func (s *Area) pairsOfOrders(ctx context.Context, a asking, f orderFilter) ([]string, error) {
	if f.pair != "" {
		return []string{f.pair}, nil
	}
	pairs, err := s.followed(ctx, a)
	return pairs[:min(len(pairs), mostPairs)], err
}

// liveOrders begins the stream of the page of open orders.
func (s *Area) liveOrders(c *fiber.Ctx, t *teller) (live, error) {
	filter, err := orderFilterOf(func(name string) string { return c.Query(name) })
	var pairs []string
	return live{
		watch: func(ctx context.Context) (_ *market.Reader, err error) {
			if pairs, err = s.pairsOfOrders(ctx, asking{console: s.Console, account: t.account, user: t.user}, filter); err != nil {
				return nil, err
			}
			return s.Market.WatchOrders(t.account, pairs), nil
		},
		news: func(ctx context.Context) error {
			v, err := s.openOrdersView(ctx, t.account, pairs, filter)
			if err != nil {
				return err
			}
			v.MayTrade = t.trades
			if err := t.fillNews(quotesOf(v.Pairs, func(p templates.PairOrders) market.Quote { return p.Quote })...); err != nil {
				return err
			}
			return t.parts(ctx, templates.OrderList(v), templates.OrderLog(v), t.budget())
		},
	}, err
}

// openOrdersView returns the contents of the page of open orders, without its frame.
func (s *Area) openOrdersView(ctx context.Context, account affiliate.Account, pairs []string, f orderFilter) (v templates.OpenOrdersView, err error) {
	v.Now, v.Zone, v.Account, v.Accounts = time.Now(), s.Zone, account, s.Console.Names()
	v.Filtered = len(f.values()) > 0 && f != orderFilter{pair: f.pair}
	for _, symbol := range pairs {
		q := s.Market.Quote(account, symbol)
		p := templates.PairOrders{Quote: q}
		last, _ := q.Last()
		for _, o := range q.Orders.Value {
			if !f.keeps(o, last, v.Now) {
				p.Hidden++
				continue
			}
			p.Shown = append(p.Shown, templates.NewOrderLine(o, last))
		}
		slices.SortStableFunc(p.Shown, func(x, y templates.OrderLine) int {
			return cmp.Or(cmp.Compare(x.Side, y.Side), y.Price.Cmp(x.Price))
		})
		v.Pairs = append(v.Pairs, p)
	}
	if s.Trading == nil {
		return v, nil
	}
	v.Log, err = s.Trading.Intents(ctx, trading.IntentQuery{Account: account, Pair: f.pair, Limit: logOfOrders})
	return v, err
}

// cancelButtons turns what the buttons of a list of several pairs send into the fields of a
// cancellation of one pair.
func cancelButtons(fields url.Values) {
	switch {
	case fields.Get("cancel-one") != "":
		pair, order, _ := strings.Cut(fields.Get("cancel-one"), " ")
		forgetMarks(fields, "")
		fields.Set("symbol", pair)
		fields.Set("order-"+order, "yes")
	case fields.Get("cancel-marked") != "":
		pair := fields.Get("cancel-marked")
		forgetMarks(fields, pair)
		fields.Set("symbol", pair)
	case fields.Get("cancel-all") != "":
		forgetMarks(fields, "")
		fields.Set("symbol", fields.Get("cancel-all"))
		fields.Set("all", "yes")
	}
}

// forgetMarks removes the marks of orders of other pairs than one.
func forgetMarks(fields url.Values, pair string) {
	for name := range fields {
		if strings.HasPrefix(name, "order-") && (pair == "" || fields.Get(name) != pair) {
			fields.Del(name)
		}
	}
}

// ordersSheet is one answer of the exchange about the open orders of a pair (4.11).
var ordersSheet = sheet{
	Path: "/console/orders", title: "Open orders", words: "trade", noun: "order", section: "4.11",
	about:   "Orders of a pair that are not filled, or only in part",
	answers: "Which orders wait at the exchange?", terms: []string{"intent", "unknown intent"},
	fields: []templates.ConsoleField{needed(spotField("symbol", "Pair")), field("limit", "Rows (1–100)", "number"), field("pageNo", "Page, from 0", "number")},
	columns: []templates.SheetColumn{
		column("order_id", "Order"), column("client_order_id", "Client order id"), column("symbol", "Pair"), column("side", "Side"),
		column("order_type", "Type"), column("status", "Status"), figure("price", "Price"), figure("quantity", "Quantity"),
		figure("fill_quantity", "Filled"), figure("fill_total_amount", "Filled value"), figure("latest_fill_price", "Last fill"),
		figure("max_fill_price", "Highest fill"), figure("min_fill_price", "Lowest fill"),
		column("created_utc", "Created"), column("updated_utc", "Updated"), column("account_id", "Account id"),
	},
	ask: func(ctx context.Context, a asking) (p sheetPage, err error) {
		q := exchange.OpenOrderQuery{Symbol: a.values.Get("symbol"), Limit: a.whole("limit"), PageNo: a.whole("pageNo")}
		got, err := a.client.OpenOrders(ctx, q)
		p.rows = rowsOf(a, got.Records, orderRow)
		p.back, p.next = turned("pageNo", q.PageNo, 0, orWhole(q.Limit, records), got)
		return p, err
	},
	all: func(ctx context.Context, a asking) iter.Seq2[templates.SheetRow, error] {
		return allRows(a, a.client.AllOpenOrders(ctx, exchange.OpenOrderQuery{Symbol: a.values.Get("symbol")}), orderRow)
	},
}

func orderRow(a asking, o exchange.OpenOrder) templates.SheetRow {
	fills := a.link(templates.FillsPath, "symbol", o.Symbol, "orderId", o.OrderID)
	return templates.SheetRow{Cells: []templates.Cell{
		templates.LinkCell(o.OrderID, fills, "Fills of this order"), templates.TextCell(string(o.ClientOrderID)), templates.TextCell(o.Symbol),
		templates.TextCell(string(o.Side)), templates.TextCell(string(o.Type)), templates.TextCell(string(o.Status)),
		templates.NumberCell(o.Price), templates.NumberCell(o.Quantity), templates.NumberCell(o.FillQuantity),
		templates.NumberCell(o.FillTotalAmount), templates.NumberCell(o.LatestFillPrice), templates.NumberCell(o.MaxFillPrice),
		templates.NumberCell(o.MinFillPrice), templates.TimeCell(o.Created, a.zone), templates.TimeCell(o.Updated, a.zone), templates.TextCell(o.AccountID),
	}}
}
