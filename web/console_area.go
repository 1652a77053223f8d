package web

import (
	"sync"
	"sync/atomic"

	"rebatedesk/store/audit"
	"rebatedesk/trading"
)

// consoleArea is the exchange itself: its own endpoints as pages and as they are,
// and the pages that send orders.
type consoleArea struct {
	*base
	Console Console
	Orders  Orders        // sends what programs order; nil: nothing is sent
	Trading *trading.Desk // sends what people order on the pages; nil: trading is off

	markets     markets
	trail       chan audit.Line // lines about calls of the console, to be written
	trailing    sync.Once
	trailBroken atomic.Bool // lines could not be written
}

func newConsoleArea(b *base, console Console, orders Orders, desk *trading.Desk) *consoleArea {
	return &consoleArea{base: b, Console: console, Orders: orders, Trading: desk, trail: make(chan audit.Line, trailLines)}
}
