// Package console has the handlers of the exchange's endpoints, as pages and as a
// proxy, and of the pages that send orders.
package console

import (
	"sync"
	"sync/atomic"

	"rebatedesk/exchange"
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

	readings    readings
	seen        seenPairs
	currencies  kept[*exchange.Client, coinNames]
	markets     markets
	trail       chan audit.Line // audit lines about calls of the console, waiting to be written
	trailing    sync.Once
	trailBroken atomic.Bool // the last write of such lines failed
}

func New(b *handler.Base, console Exchange, desk *trading.Desk) *Area {
	return &Area{Base: b, Console: console, Trading: desk, trail: make(chan audit.Line, trailLines)}
}
