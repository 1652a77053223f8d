// Package orders has the page of all open orders.
package orders

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
	"rebatedesk/exchange/weex"
	"rebatedesk/market"
	"rebatedesk/reports/query"
	"rebatedesk/trading"
	"rebatedesk/web/console"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/console/frame"
	"rebatedesk/web/templates/console/orders"
)

// Area holds the handlers.
type Area struct{ *console.Base }

// New returns the handlers.
func New(b *console.Base) *Area {
	s := &Area{b}
	b.Lives["orders"] = s.liveOrders
	return s
}

// Routes are the page of open orders and its file.
func (s *Area) Routes() []route.Route { return s.SheetRoutes(ordersSheet, s.OpenOrders) }

// logOfOrders is how many of our intents the page of orders lists.
const logOfOrders = 20

// ageNames are the ages by which open orders are filtered, and ages how long they are.
var (
	ageNames = []string{"1h", "24h", "7d"}
	ages     = map[string]time.Duration{"1h": time.Hour, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour}
)

// openOrdersSheet has the parameters of the page of open orders.
var openOrdersSheet = console.Sheet{
	Path: frame.OrdersPath, Title: "Orders", About: "Open orders of favourites and of pairs that were asked for in the last day, and what became of ours",
	Answers: "Which orders wait at the exchange?", Terms: []string{"intent", "unknown intent"},
	Fields: []frame.Field{
		console.SpotField("pair", "Pair"), console.OneOfText(console.Field("side", "Side", ""), []weex.Side{weex.Buy, weex.Sell}),
		console.OneOfText(console.Field("older", "Older than", ""), ageNames),
		console.Field("beyond", "From the market, at least %", "text"), console.Field("within", "At most %", "text"),
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
	if f.side != "" && f.side != string(weex.Buy) && f.side != string(weex.Sell) {
		return wrong("side", "is neither buy nor sell")
	}
	if f.older = value("older"); f.older != "" && ages[f.older] == 0 {
		return wrong("older", "is none of "+strings.Join(ageNames, ", "))
	}
	for name, into := range map[string]*affiliate.Number{"beyond": &f.beyond, "within": &f.within} {
		if text := strings.TrimSpace(value(name)); text != "" {
			if *into = console.NumberIn(text); !into.Known() {
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
func (f orderFilter) keeps(o weex.OpenOrder, last affiliate.Number, now time.Time) bool {
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
	for _, f := range ordersSheet.Fields {
		if c.Context().QueryArgs().Has(f.Name) {
			return s.SheetPage(ordersSheet)(c)
		}
	}
	frame, a, err := s.Frame(c, openOrdersSheet)
	if err != nil || a.Client == nil {
		return s.RenderPage(c, frame, err)
	}
	filter, err := orderFilterOf(a.Given.Get)
	if err != nil {
		return err
	}
	if err := s.Noted(c); err != nil {
		return err
	}
	pairs, err := s.pairsOfOrders(c.UserContext(), a, filter)
	if err != nil {
		return err
	}
	watch := s.Market.WatchOrders(a.Account, pairs)
	defer watch.Close()
	console.Await(c.UserContext(), watch, console.RecentRead)
	if filter.pair != "" {
		console.NoteAsked(s.Market, a.Account, filter.pair)
	}
	v, err := s.openOrdersView(c.UserContext(), a.Account, pairs, filter)
	if err != nil {
		return err
	}
	v.Filters, frame.Fields = frame.Fields, nil
	v.View = frame
	v.Budget = console.BudgetOf(a.Client)
	v.MayTrade = s.TradingMode() != trading.Off && s.May(c, access.MayTrade)
	v.FormID = trading.NewID()
	v.Stream = console.StreamAddress("orders", a.Account, filter.values())
	v.FillMarks = console.MarksOf(console.QuotesOf(v.Pairs, func(p orders.PairOrders) market.Quote { return p.Quote })...).String()
	s.NotePage(c, openOrdersSheet, a, nil)
	return s.Render(c, orders.OpenOrders(v))
}

// pairsOfOrders returns the pairs whose open orders a page shows.
func (s *Area) pairsOfOrders(ctx context.Context, a console.Asking, f orderFilter) ([]string, error) {
	if f.pair != "" {
		return []string{f.pair}, nil
	}
	pairs, err := s.Followed(ctx, a)
	return pairs[:min(len(pairs), console.MostPairs)], err
}

// liveOrders begins the stream of the page of open orders.
func (s *Area) liveOrders(c *fiber.Ctx, t *console.Teller) (console.Live, error) {
	filter, err := orderFilterOf(func(name string) string { return c.Query(name) })
	var pairs []string
	return console.Live{
		Watch: func(ctx context.Context) (_ *market.Reader, err error) {
			if pairs, err = s.pairsOfOrders(ctx, console.Asking{Console: s.Console, Account: t.Account, User: t.User}, filter); err != nil {
				return nil, err
			}
			return s.Market.WatchOrders(t.Account, pairs), nil
		},
		News: func(ctx context.Context) error {
			v, err := s.openOrdersView(ctx, t.Account, pairs, filter)
			if err != nil {
				return err
			}
			v.MayTrade = t.Trades
			if err := t.FillNews(console.QuotesOf(v.Pairs, func(p orders.PairOrders) market.Quote { return p.Quote })...); err != nil {
				return err
			}
			return t.Parts(ctx, orders.OrderList(v), orders.OrderLog(v), t.Budget())
		},
	}, err
}

// openOrdersView returns the contents of the page of open orders, without its frame.
func (s *Area) openOrdersView(ctx context.Context, account affiliate.Account, pairs []string, f orderFilter) (v orders.OpenOrdersView, err error) {
	v.Now, v.Zone, v.Account, v.Accounts = time.Now(), s.Zone, account, s.Console.Names()
	v.Filtered = len(f.values()) > 0 && f != orderFilter{pair: f.pair}
	for _, symbol := range pairs {
		q := s.Market.Quote(account, symbol)
		p := orders.PairOrders{Quote: q}
		last, _ := q.Last()
		for _, o := range q.Orders.Value {
			if !f.keeps(o, last, v.Now) {
				p.Hidden++
				continue
			}
			p.Shown = append(p.Shown, frame.NewOrderLine(o, last))
		}
		slices.SortStableFunc(p.Shown, func(x, y frame.OrderLine) int {
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

// ordersSheet is one answer of the exchange about the open orders of a pair (4.11).
var ordersSheet = console.Sheet{
	Path: "/console/orders", Title: "Open orders", Words: "trade", Noun: "order", Section: "4.11",
	About:   "Orders of a pair that are not filled, or only in part",
	Answers: "Which orders wait at the exchange?", Terms: []string{"intent", "unknown intent"},
	Fields: []frame.Field{console.Needed(console.SpotField("symbol", "Pair")), console.Field("limit", "Rows (1–100)", "number"), console.Field("pageNo", "Page, from 0", "number")},
	Columns: []frame.SheetColumn{
		console.Column("order_id", "Order"), console.Column("client_order_id", "Client order id"), console.Column("symbol", "Pair"), console.Column("side", "Side"),
		console.Column("order_type", "Type"), console.Column("status", "Status"), console.Figure("price", "Price"), console.Figure("quantity", "Quantity"),
		console.Figure("fill_quantity", "Filled"), console.Figure("fill_total_amount", "Filled value"), console.Figure("latest_fill_price", "Last fill"),
		console.Figure("max_fill_price", "Highest fill"), console.Figure("min_fill_price", "Lowest fill"),
		console.Column("created_utc", "Created"), console.Column("updated_utc", "Updated"), console.Column("account_id", "Account id"),
	},
	Ask: func(ctx context.Context, a console.Asking) (p console.SheetPage, err error) {
		q := weex.OpenOrderQuery{Symbol: a.Values.Get("symbol"), Limit: a.Whole("limit"), PageNo: a.Whole("pageNo")}
		got, err := a.Client.OpenOrders(ctx, q)
		p.Rows = console.RowsOf(a, got.Records, orderRow)
		p.Back, p.Next = console.Turned("pageNo", q.PageNo, 0, cmp.Or(q.Limit, console.UsualRows), got)
		return p, err
	},
	All: func(ctx context.Context, a console.Asking) iter.Seq2[frame.SheetRow, error] {
		return console.AllRows(a, a.Client.AllOpenOrders(ctx, weex.OpenOrderQuery{Symbol: a.Values.Get("symbol")}), orderRow)
	},
}

func orderRow(a console.Asking, o weex.OpenOrder) frame.SheetRow {
	fills := a.Link(frame.FillsPath, "symbol", o.Symbol, "orderId", o.OrderID)
	return frame.SheetRow{Cells: []frame.Cell{
		frame.LinkCell(o.OrderID, fills, "Fills of this order"), frame.TextCell(string(o.ClientOrderID)), frame.TextCell(o.Symbol),
		frame.TextCell(string(o.Side)), frame.TextCell(string(o.Type)), frame.TextCell(string(o.Status)),
		frame.NumberCell(o.Price), frame.NumberCell(o.Quantity), frame.NumberCell(o.FillQuantity),
		frame.NumberCell(o.FillTotalAmount), frame.NumberCell(o.LatestFillPrice), frame.NumberCell(o.MaxFillPrice),
		frame.NumberCell(o.MinFillPrice), frame.TimeCell(o.Created, a.Zone), frame.TimeCell(o.Updated, a.Zone), frame.TextCell(o.AccountID),
	}}
}
