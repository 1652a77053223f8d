package site

import (
	"rebatedesk/exchange"
)

// Buys has the account buy at the market, by an order of its own.
func (c *ConsoleSite) Buys(id string) {
	c.Helper()
	o := c.Upstream.PlaceOrder(c.Context(), Spot, exchange.NewOrder{Side: exchange.Buy, Type: exchange.Market, Quantity: "0.001", ClientOrderID: id})
	if o.State != exchange.Placed {
		c.Fatal(o)
	}
}
