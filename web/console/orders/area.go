// Package orders has the page of all open orders.
package orders

import (
	"rebatedesk/web/console"
	"rebatedesk/web/route"
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
