// Package console has the handlers of the exchange's endpoints, as pages and as a
// proxy, and of the pages that send orders.
package console

import (
	"sync"
	"sync/atomic"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/exchange"
	"rebatedesk/market"
	"rebatedesk/store/audit"
	"rebatedesk/trading"
	"rebatedesk/web/handler"
)

// Area holds the handlers of the exchange's endpoints, as pages and as a proxy, and of
// the pages that send orders.
type Area struct {
	*handler.Base
	Console Exchange
	Trading *trading.Desk // sends orders; nil: trading is off

	Market      *market.Feed // the prices of the exchange
	readings    readings
	currencies  kept[*exchange.Client, coinNames]
	markets     markets
	streams     streams
	lives       map[string]func(*fiber.Ctx, *teller) (live, error) // by page
	pages       livePages
	bell        bell
	trail       chan audit.Line // audit lines about calls of the console, waiting to be written
	trailing    sync.Once
	trailBroken atomic.Bool // the last write of such lines failed
}

// New returns the handlers. Without a feed of prices, one is made that keeps nothing.
func New(b *handler.Base, console Exchange, desk *trading.Desk, feed *market.Feed) *Area {
	a := &Area{Base: b, Console: console, Trading: desk, Market: feed, trail: make(chan audit.Line, trailLines)}
	a.lives = map[string]func(*fiber.Ctx, *teller) (live, error){"market": a.liveMarket, "ticket": a.liveTicket, "orders": a.liveOrders, "overview": a.liveOverview}
	if feed == nil {
		a.Market = market.New(market.Options{Accounts: console.Names, Client: console.Client, Log: b.Log})
		b.Go(func() { a.Market.Run(b.Life) })
	}
	return a
}
