package site

import (
	"fmt"

	"rebatedesk/exchange/weex"
)

// SheetPages lists all pages of the console with a text that each contains.
var SheetPages = []struct{ Path, Query, Shows string }{
	{"/console", "", "/console/proxy/main/api/v2/"},
	{"/console/markets", "", "BTCUSDT_SPBL"},
	{"/console/markets", "?q=eth&sort=-last_price", "ETHUSDT_SPBL"},
	{"/console/markets/BTCUSDT_SPBL", "?limit=7", "7 trades, as of"},
	{"/console/currencies", "", "USDT"},
	{"/console/contracts", "", "cmt_btcusdt"},
	{"/console/contracts", "?symbol=cmt_ethusdt", "1 pair, as of"},
	{"/console/orders", "", "Open orders"},
	{"/console/orders", "?symbol=BTCUSDT_SPBL", "resting-1"},
	{"/console/fills", "?symbol=BTCUSDT_SPBL&pageSize=5&pageIndex=0", "fills, as of"},
	{"/console/bills", "?limit=5", "5 bills, as of"},
	{"/console/bills", "?bizType=rr_agent_reward&after=2026-01-01T00:00&before=2026-12-01T00:00:00", "rr_agent_reward"},
	{"/console/funding", "?pageSize=3&pageIndex=1", "funding bills, as of"},
	{"/console/transfers", "?limit=4", "4 transfers, as of"},
}

// Rest places an order that stays open and some orders that are filled.
func (c *ConsoleSite) Rest() {
	c.Helper()
	o := c.Upstream.PlaceOrder(c.Context(), "BTCUSDT_SPBL", weex.NewOrder{Side: weex.Buy, Type: weex.Limit,
		Force: weex.GoodTillCancelled, Price: "1000.00", Quantity: "0.01", ClientOrderID: "resting-1"})
	if o.State != weex.Placed {
		c.Fatal(o)
	}
	for i := range 7 {
		c.Buys(fmt.Sprintf("filled-%d", i))
	}
}
