package market

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/market"
	"rebatedesk/web/charts"
	"rebatedesk/web/console"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/console/frame"
	templates "rebatedesk/web/templates/console/market"
)

// Names of the parts of a page of a market whose state it hands to its stream.
const (
	chartPart = "chart" // all candles but the newest
	tailPart  = "tail"  // the newest candle
)

// had writes the state of the parts of a page as the page hands it to its stream.
func (p *livePage) had() string {
	list := []string{chartPart + ":" + p.older, tailPart + ":" + p.tail.Digest}
	for _, part := range p.parts {
		list = append(list, part.Name+":"+part.Digest)
	}
	return strings.Join(list, ",")
}

// livePage is a page of a market as it is told to all its readers.
type livePage struct {
	view  templates.MarketView
	parts []console.LivePart
	chart []byte           // the whole chart
	older string           // digest of all candles but the newest
	tail  console.LivePart // the newest candle
	at    time.Time
	seen  uint64
	rings uint64
}

// livePages draws each state of a page once for all its readers.
type livePages struct {
	mutex sync.Mutex
	pages map[liveKey]*liveDrawing
}

type liveKey struct {
	account  affiliate.Account
	symbol   string
	interval string
}

// liveDrawing is a page with the lock under which it is drawn.
type liveDrawing struct {
	mutex sync.Mutex
	page  *livePage
}

// redrawAfter is after which time a page is drawn again although nothing was read: what it says
// about its age changes.
const redrawAfter = console.Heartbeat - time.Second

// mostLivePages is how many pages are kept at once.
const mostLivePages = 64

// of returns the newest state of a page.
func (l *livePages) of(ctx context.Context, s *Area, account affiliate.Account, symbol string, interval market.Interval) (*livePage, error) {
	key := liveKey{account, symbol, interval.Name}
	l.mutex.Lock()
	if l.pages == nil || len(l.pages) > mostLivePages {
		l.pages = map[liveKey]*liveDrawing{}
	}
	d := l.pages[key]
	if d == nil {
		d = &liveDrawing{}
		l.pages[key] = d
	}
	l.mutex.Unlock()
	d.mutex.Lock()
	defer d.mutex.Unlock()
	version := s.Market.Quote(account, symbol).Version
	rings := s.Bell.Rings.Load()
	if d.page != nil && d.page.seen == version && d.page.rings == rings && time.Since(d.page.at) < s.Market.Every(redrawAfter) {
		return d.page, nil
	}
	v, err := s.marketView(ctx, account, symbol, interval)
	if err != nil {
		return nil, err
	}
	page, err := drawLive(ctx, v)
	if err != nil {
		return nil, err
	}
	page.seen, page.rings, page.at = version, rings, time.Now()
	d.page = page
	return page, nil
}

// drawLive draws the parts of a page.
func drawLive(ctx context.Context, v templates.MarketView) (*livePage, error) {
	page := &livePage{view: v}
	list := []struct {
		name string
		templ.Component
	}{{"head", templates.MarketHead(v)}, {"own", templates.MarketOwn(v)}, {"notices", frame.TicketNotices(v.PairView)}}
	if !v.Contract() {
		list = append(list, struct {
			name string
			templ.Component
		}{"trades", templates.MarketTrades(v)})
	}
	if !v.Chart.Any() {
		list = append(list, struct {
			name string
			templ.Component
		}{"empty", templates.MarketChart(v)})
	}
	for _, one := range list {
		part, err := console.PartOf(ctx, one.name, one.Component)
		if err != nil {
			return nil, err
		}
		page.parts = append(page.parts, part)
	}
	if len(v.Chart.Slots) == 0 || !v.Chart.Any() {
		page.view.Chart.Slots = nil
		return page, nil
	}
	var err error
	if page.chart, err = handler.PartOfStream(ctx, templates.MarketChart(v)); err != nil {
		return nil, err
	}
	older := v.Chart.Part(0, len(v.Chart.Slots)-1)
	older.Last, older.Lines = "", nil
	content, err := json.Marshal(charts.DrawCandles(older))
	if err != nil {
		return nil, err
	}
	// Own fills in the newest candle are drawn with the whole chart.
	page.older = console.Digest(fmt.Appendf(content, " %d fills", len(v.Fills.Value)))
	if content, err = tailOf(v); err != nil {
		return nil, err
	}
	page.tail = console.LivePart{Name: tailPart, Event: "tail", Content: bytes.TrimSpace(content), Digest: console.Digest(content)}
	return page, nil
}

// liveMarket begins the stream of the page of a pair.
func (s *Area) liveMarket(c *fiber.Ctx, t *console.Teller) (l console.Live, err error) {
	symbol, err := console.PairOfStream(c)
	if err != nil {
		return l, err
	}
	interval, err := intervalOf(c)
	if err != nil {
		return l, err
	}
	marked, err := s.Console.Favourites(c.UserContext(), t.User)
	return console.Live{
		Watch: func(ctx context.Context) (*market.Reader, error) { return s.WatchPair(ctx, t, symbol), nil },
		News: func(ctx context.Context) error {
			page, err := s.pages.of(ctx, s, t.Account, symbol, interval)
			if err != nil {
				return err
			}
			return page.news(ctx, t, watched(s.Market, t.Account, marked))
		},
	}, err
}

// news writes what of a page differs from what the browser has.
func (p *livePage) news(ctx context.Context, t *console.Teller, watched []templates.PairCard) error {
	if err := t.FillNews(p.view.Quote); err != nil {
		return err
	}
	for _, part := range p.parts {
		if err := t.Part(part); err != nil {
			return err
		}
	}
	view := p.view
	view.Reader, view.Watched = t.User, watched
	own := []templ.Component{t.Budget(), frame.TicketOthers(view.PairView)}
	if !view.Contract() {
		own = append(own, templates.MarketWatch(view))
	}
	if err := t.Parts(ctx, own...); err != nil {
		return err
	}
	if len(view.Chart.Slots) == 0 {
		return nil
	}
	if t.Told[chartPart] == p.older {
		return t.Part(p.tail)
	}
	// What is older than the newest candle changed as well: the whole chart is told.
	t.Told[chartPart], t.Told[tailPart] = p.older, p.tail.Digest
	return t.Write("chart", p.chart)
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
