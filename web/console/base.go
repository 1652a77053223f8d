// Package console has what the pages about the exchange have in common: the exchange as they see
// it, the choice of an account, sheets and their files, streams, and the state of trading. The pages
// are in the packages below it, each of one subject.
package console

import (
	"sync"
	"sync/atomic"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/market"
	"rebatedesk/store/audit"
	"rebatedesk/trading"
	"rebatedesk/web/handler"
)

// Base holds what the pages of the console share.
type Base struct {
	*handler.Base
	Console Exchange
	Trading *trading.Desk // sends orders; nil: trading is off
	Market  *market.Feed  // the prices of the exchange
	Bell    bell
	// Lives begin the streams of the pages that are kept up to date, by the name of the page.
	Lives map[string]func(*fiber.Ctx, *Teller) (Live, error)

	streams     streams
	trail       chan audit.Line // audit lines about calls of the console, waiting to be written
	trailing    sync.Once
	trailBroken atomic.Bool // the last write of such lines failed
}

// New returns what the pages share. Without a feed of prices, one is made that keeps nothing.
func New(b *handler.Base, console Exchange, desk *trading.Desk, feed *market.Feed) *Base {
	s := &Base{Base: b, Console: console, Trading: desk, Market: feed, Lives: map[string]func(*fiber.Ctx, *Teller) (Live, error){}, trail: make(chan audit.Line, trailLines)}
	if feed == nil {
		s.Market = market.New(market.Options{Accounts: console.Names, Client: console.Client, Log: b.Log})
		b.Go(func() { s.Market.Run(b.Life) })
	}
	return s
}
