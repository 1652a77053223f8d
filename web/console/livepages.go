package console

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/market"
	"rebatedesk/web/charts"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/console"
)

// livePart is one message about a part of a page.
type livePart struct {
	name, event string
	content     []byte
	digest      [32]byte
}

func digest(content []byte) [32]byte { return sha256.Sum256(content) }

// livePage is a page of a market as it is told to all its readers.
type livePage struct {
	view  templates.MarketView
	parts []livePart
	chart []byte   // the whole chart
	older [32]byte // of all candles but the newest
	tail  livePart // the newest candle
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
const redrawAfter = heartbeat - time.Second

// mostLivePages is how many pages are kept at once.
const mostLivePages = 64

// of returns the newest state of the page of a teller.
func (l *livePages) of(ctx context.Context, t *teller) (*livePage, error) {
	key := liveKey{t.account, t.symbol, t.interval.Name}
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
	version := t.area.Market.Quote(t.account, t.symbol).Version
	rings := t.area.bell.rings.Load()
	if d.page != nil && d.page.seen == version && d.page.rings == rings && time.Since(d.page.at) < redrawAfter {
		return d.page, nil
	}
	page, err := t.area.drawLive(ctx, t.account, t.symbol, t.interval)
	if err != nil {
		return nil, err
	}
	page.seen, page.rings, page.at = version, rings, time.Now()
	d.page = page
	return page, nil
}

// drawLive draws the parts of a page.
func (s *Area) drawLive(ctx context.Context, account affiliate.Account, symbol string, interval market.Interval) (*livePage, error) {
	v, err := s.marketView(ctx, account, symbol, interval)
	if err != nil {
		return nil, err
	}
	page := &livePage{view: v}
	list := []struct {
		name string
		templ.Component
	}{{"head", templates.MarketHead(v)}, {"own", templates.MarketOwn(v)}, {"notices", templates.TicketNotices(v)}}
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
		}{"empty chart", templates.MarketChart(v)})
	}
	for _, part := range list {
		content, err := handler.PartOfStream(ctx, part.Component)
		if err != nil {
			return nil, err
		}
		page.parts = append(page.parts, livePart{part.name, "part", content, digest(content)})
	}
	if len(v.Chart.Slots) == 0 || !v.Chart.Any() {
		page.view.Chart.Slots = nil
		return page, nil
	}
	if page.chart, err = handler.PartOfStream(ctx, templates.MarketChart(v)); err != nil {
		return nil, err
	}
	older := v.Chart
	older.Slots, older.Last, older.Lines = v.Chart.Slots[:len(v.Chart.Slots)-1], "", nil
	content, err := json.Marshal(charts.DrawCandles(older))
	if err != nil {
		return nil, err
	}
	page.older = digest(content)
	if content, err = tailOf(v); err != nil {
		return nil, err
	}
	page.tail = livePart{"tail", "tail", bytes.TrimSpace(content), digest(content)}
	return page, nil
}
