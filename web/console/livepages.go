package console

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/web/charts"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/console"
)

// livePart is one message about a part of a page.
type livePart struct {
	name, event string
	content     []byte
	digest      string
}

// digest tells two states of a part apart.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// Names of the parts of a page of a market whose state it hands to its stream.
const (
	chartPart = "chart" // all candles but the newest
	tailPart  = "tail"  // the newest candle
)

// had writes the state of the parts of a page as the page hands it to its stream.
func (p *livePage) had() string {
	list := []string{chartPart + ":" + p.older, tailPart + ":" + p.tail.digest}
	for _, part := range p.parts {
		list = append(list, part.name+":"+part.digest)
	}
	return strings.Join(list, ",")
}

// mostHad is the longest state of parts that a page may hand to its stream.
const mostHad = 400

// toldBy reads what [livePage.had] wrote. Anything else tells nothing, and then all is told again.
func toldBy(had string) map[string]string {
	told := map[string]string{}
	if len(had) > mostHad {
		return told
	}
	for part := range strings.SplitSeq(strings.Clone(had), ",") {
		if name, state, ok := strings.Cut(part, ":"); ok {
			told[name] = state
		}
	}
	return told
}

// livePage is a page of a market as it is told to all its readers.
type livePage struct {
	view  templates.MarketView
	parts []livePart
	chart []byte   // the whole chart
	older string   // digest of all candles but the newest
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
	v, err := t.area.marketView(ctx, t.account, t.symbol, t.interval)
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
		}{"empty", templates.MarketChart(v)})
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
	page.older = digest(fmt.Appendf(content, " %d fills", len(v.Fills.Value)))
	if content, err = tailOf(v); err != nil {
		return nil, err
	}
	page.tail = livePart{tailPart, "tail", bytes.TrimSpace(content), digest(content)}
	return page, nil
}
