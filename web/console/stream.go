package console

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/market"
	"rebatedesk/reports/query"
	"rebatedesk/trading"
	"rebatedesk/web/charts"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/console"
)

// StreamPath is the address of the streams that keep pages up to date.
const StreamPath = "/console/stream"

const (
	// heartbeat is the longest silence of a stream. A page that hears nothing for twice as
	// long says that it is out of date.
	heartbeat = 5 * time.Second
	// streamPatience is how long a reader may take for one message.
	streamPatience = 20 * time.Second
	// pace is the shortest time between two messages about the same page: what changes
	// meanwhile is told at once.
	pace = 500 * time.Millisecond
)

// Stream sends news of one page to a browser as server-sent events, until the browser closes it,
// the session ends, or its user may no longer see the console. A reader who is slower than the
// news gets the newest state and not what was in between.
func (s *Area) Stream(c *fiber.Ctx) error {
	who, err := s.Caller(c)
	if err != nil {
		return err
	}
	account := affiliate.Account(c.Query(accountParam))
	client, ok := s.Console.Client(account)
	if !ok {
		return &query.ParamError{Param: accountParam, Value: string(account), Problem: "is no account in use"}
	}
	t := &teller{area: s, account: account, client: client, user: s.Reader(c), trades: s.tradingMode() != trading.Off && s.May(c, access.MayTrade),
		told: toldBy(c.Query("had")), fills: fillMarksIn(c.Query("fills"))}
	switch page := c.Query("page"); page {
	case "market":
		if err := t.ofMarket(c); err != nil {
			return err
		}
	case "ticket":
		t.plain = true
		if err := t.ofMarket(c); err != nil {
			return err
		}
	case "orders":
		if err := t.ofOrders(c); err != nil {
			return err
		}
	case "overview":
	default:
		return &query.ParamError{Param: "page", Value: page, Problem: "is none of market, ticket, orders and overview"}
	}
	if c.Method() == fiber.MethodHead {
		return nil
	}
	leave, err := s.streams.enter(who.User)
	if err != nil {
		return err
	}
	session := liveSession{access: s.Access, secret: who.Secret, from: s.Client(c)}
	session.from.Background = true
	c.Set(fiber.HeaderContentType, "text/event-stream")
	c.Set("X-Accel-Buffering", "no")
	conn := c.Context().Conn()
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer leave()
		err := s.Guarded("stream of the console", func() error { return t.tell(s.Leaving, w, conn, session) })
		if err != nil {
			s.Log.Debug("a stream of the console ended", "error", err)
		}
	})
	return nil
}

// liveSession is the session of a stream.
type liveSession struct {
	access *access.Service
	secret string
	from   access.Origin
}

// ended reports why the stream has to end, if it has to.
func (l liveSession) ended(ctx context.Context) string {
	p, err := l.access.BySession(ctx, l.secret, l.from)
	switch {
	case err != nil || p.State != access.Full:
		return "Your session has ended. Sign in again."
	case !p.May(access.MayConsole) || !p.Bound.Everything():
		return "You may no longer see the console."
	}
	return ""
}

// teller tells one browser what is new.
type teller struct {
	area     *Area
	account  affiliate.Account
	client   *exchange.Client
	user     string
	trades   bool   // the reader may send orders
	symbol   string // empty: another page
	interval market.Interval
	plain    bool         // the page of tickets, which has no chart
	filter   *orderFilter // of the page of open orders; nil: another page

	marked []string // favourites that the page of a pair shows

	told  map[string]string // what the browser has of each part
	fills fillMarks         // own fills that the page knows; nil: it is not told of any
}

func (t *teller) ofMarket(c *fiber.Ctx) (err error) {
	t.symbol = symbolWritten(c.Query("kind"), c.Query("symbol"))
	if !isPair(t.symbol) {
		return &query.ParamError{Param: "symbol", Value: t.symbol, Problem: "is no pair"}
	}
	if t.interval, err = intervalOf(c); err != nil || t.plain {
		return err
	}
	t.marked, err = t.area.Console.Favourites(c.UserContext(), t.user)
	return err
}

// watch opens the reader of the page.
func (t *teller) watch(ctx context.Context) (*market.Reader, []string, error) {
	if t.symbol != "" && t.trades {
		others := t.area.sharing(ctx, t.account, t.user, t.symbol)
		return t.area.Market.WatchTicket(t.account, t.symbol, others.pairs), nil, nil
	}
	if t.symbol != "" {
		return t.area.Market.WatchMarket(t.account, t.symbol), nil, nil
	}
	if t.filter != nil {
		pairs, err := t.area.pairsOfOrders(ctx, asking{console: t.area.Console, account: t.account, user: t.user}, *t.filter)
		if err != nil {
			return nil, nil, err
		}
		return t.area.Market.WatchOrders(t.account, pairs), pairs, nil
	}
	marked, err := t.area.Console.Favourites(ctx, t.user)
	if err != nil {
		return nil, nil, err
	}
	shown := marked[:min(len(marked), cardsShown)]
	return t.area.Market.WatchPairs(t.account, shown), shown, nil
}

// tell writes messages until ctx ends, the session ends or the browser has gone.
func (t *teller) tell(ctx context.Context, w *bufio.Writer, conn net.Conn, session liveSession) error {
	watch, pairs, err := t.watch(ctx)
	if err != nil {
		return err
	}
	defer watch.Close()
	rung, leave := t.area.bell.listen()
	defer leave()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		if conn != nil {
			if err := conn.SetWriteDeadline(time.Now().Add(streamPatience)); err != nil {
				return err
			}
		}
		if why := session.ended(ctx); why != "" {
			return t.end(w, why)
		}
		if err := t.news(ctx, w, pairs); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		select {
		case <-time.After(pace):
		case <-ctx.Done():
			return t.end(w, "")
		}
		select {
		case <-watch.Changed():
		case <-rung:
		case <-beat.C:
		case <-ctx.Done():
			return t.end(w, "")
		}
	}
}

// end tells the browser why the stream ends; without a reason it may come back.
func (t *teller) end(w *bufio.Writer, why string) error {
	if why != "" {
		if err := event(w, "end", []byte(why)); err != nil {
			return err
		}
	}
	return w.Flush()
}

// news writes what differs from what the browser has, or a heartbeat.
func (t *teller) news(ctx context.Context, w *bufio.Writer, pairs []string) error {
	if err := event(w, "beat", fmt.Appendf(nil, "%d", time.Now().UnixMilli())); err != nil {
		return err
	}
	if t.filter != nil {
		return t.orderNews(ctx, w, pairs)
	}
	if t.symbol == "" {
		return t.overviewNews(ctx, w, pairs)
	}
	if t.plain {
		return t.ticketNews(ctx, w)
	}
	return t.marketNews(ctx, w)
}

func (t *teller) overviewNews(ctx context.Context, w *bufio.Writer, pairs []string) error {
	v, err := t.area.overviewView(ctx, t.account, pairs)
	if err != nil {
		return err
	}
	v.Budget = budgetOf(t.client)
	if err := t.fillNews(w, quotesOf(v.Pairs, func(c templates.PairCard) market.Quote { return c.Quote })...); err != nil {
		return err
	}
	return t.parts(ctx, w, templates.OverviewPairs(v), templates.OverviewOrders(v), templates.OverviewFills(v), templates.OverviewBalances(v), templates.OverviewLog(v), templates.OverviewBills(v),
		templates.OverviewTransfers(v), templates.Budget(v.ConsoleView))
}

func (t *teller) orderNews(ctx context.Context, w *bufio.Writer, pairs []string) error {
	v, err := t.area.openOrdersView(ctx, t.account, pairs, *t.filter)
	if err != nil {
		return err
	}
	v.Budget, v.MayTrade = budgetOf(t.client), t.trades
	if err := t.fillNews(w, quotesOf(v.Pairs, func(p templates.PairOrders) market.Quote { return p.Quote })...); err != nil {
		return err
	}
	return t.parts(ctx, w, templates.OrderList(v), templates.OrderLog(v), templates.Budget(v.ConsoleView))
}

func (t *teller) ticketNews(ctx context.Context, w *bufio.Writer) error {
	v, err := pairView(ctx, t.area, t.account, t.symbol)
	if err != nil {
		return err
	}
	v.Reader = t.user
	if err := t.fillNews(w, v.Quote); err != nil {
		return err
	}
	return t.parts(ctx, w, templates.TicketPrice(v), templates.TicketNotices(v), templates.TicketOthers(v),
		templates.Budget(templates.ConsoleView{Budget: budgetOf(t.client), Zone: t.area.Zone}))
}

func (t *teller) marketNews(ctx context.Context, w *bufio.Writer) error {
	page, err := t.area.pages.of(ctx, t)
	if err != nil {
		return err
	}
	if err := t.fillNews(w, page.view.Quote); err != nil {
		return err
	}
	for _, part := range page.parts {
		if err := t.part(w, part); err != nil {
			return err
		}
	}
	view := page.view
	view.Reader, view.Watched = t.user, watched(t.area.Market, t.account, t.marked)
	own := []templ.Component{templates.Budget(templates.ConsoleView{Budget: budgetOf(t.client), Zone: t.area.Zone}), templates.TicketOthers(view)}
	if !affiliate.IsContract(t.symbol) {
		own = append(own, templates.MarketWatch(view))
	}
	if err := t.parts(ctx, w, own...); err != nil {
		return err
	}
	if len(page.view.Chart.Slots) == 0 {
		return nil
	}
	if t.told[chartPart] == page.older {
		return t.part(w, page.tail)
	}
	// What is older than the newest candle changed as well: the whole chart is told.
	t.told[chartPart], t.told[tailPart] = page.older, page.tail.digest
	return event(w, "chart", page.chart)
}

// parts writes components that differ from what the browser has.
func (t *teller) parts(ctx context.Context, w *bufio.Writer, components ...templ.Component) error {
	for i, component := range components {
		content, err := handler.PartOfStream(ctx, component)
		if err != nil {
			return err
		}
		if err := t.part(w, livePart{fmt.Sprintf("part %d", i), "part", content, digest(content)}); err != nil {
			return err
		}
	}
	return nil
}

func (t *teller) part(w *bufio.Writer, part livePart) error {
	if t.told[part.name] == part.digest {
		return nil
	}
	t.told[part.name] = part.digest
	return event(w, part.event, part.content)
}

// event writes one message.
func event(w *bufio.Writer, name string, data []byte) error {
	fmt.Fprintf(w, "event: %s\n", name)
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		fmt.Fprintf(w, "data: %s\n", line)
	}
	_, err := w.WriteString("\n") // the errors of a bufio.Writer stay
	return err
}

// isPair reports whether a text has the form of a pair of one of the markets.
func isPair(symbol string) bool {
	return len(symbol) <= 40 && (affiliate.IsContractSymbol(symbol) || affiliate.IsSpotSymbol(symbol))
}

// liveTail is the newest candle of a chart that a browser has.
type liveTail struct {
	ID       string             `json:"id"`
	At       int                `json:"at"` // its place
	Candle   any                `json:"candle"`
	Volume   any                `json:"volume"`
	Tip      charts.Tip         `json:"tip"`
	Levels   []charts.CrossLine `json:"levels"`
	Averages map[string]any     `json:"averages"` // by series
}

func tailOf(v templates.MarketView) ([]byte, error) {
	at := len(v.Chart.Slots) - 1
	s := v.Chart.Slots[at]
	averages := map[string]any{}
	for _, a := range v.Chart.Averages {
		averages[a.ID] = a.Drawn(at)
	}
	return json.Marshal(liveTail{templates.ChartID, at, charts.CandleValues(s), charts.VolumeValue(s), charts.SlotTip(v.Chart, at), v.Chart.Levels(), averages})
}
