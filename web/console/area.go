// Package console has the handlers of the exchange itself: its own endpoints as
// pages and as they are, and the pages that send orders.
package console

import (
	"sync"
	"sync/atomic"

	"rebatedesk/store/audit"
	"rebatedesk/trading"
	"rebatedesk/web/handler"
)

// Area is the exchange itself: its own endpoints as pages and as they are,
// and the pages that send orders.
type Area struct {
	*handler.Base
	Console Exchange
	Trading *trading.Desk // sends orders; nil: trading is off

	markets     markets
	trail       chan audit.Line // lines about calls of the console, to be written
	trailing    sync.Once
	trailBroken atomic.Bool // lines could not be written
}

func New(b *handler.Base, console Exchange, desk *trading.Desk) *Area {
	return &Area{Base: b, Console: console, Trading: desk, trail: make(chan audit.Line, trailLines)}
}
