package site

import (
	"rebatedesk/exchange/weex"
)

// Buys has the account buy at the market, by an order of its own.
func (c *ConsoleSite) Buys(id string) {
	c.Helper()
	o := c.Upstream.PlaceOrder(c.Context(), Spot, weex.NewOrder{Side: weex.Buy, Type: weex.Market, Quantity: "0.001", ClientOrderID: id})
	if o.State != weex.Placed {
		c.Fatal(o)
	}
}
