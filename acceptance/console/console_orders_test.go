package console_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/trading"
	"rebatedesk/web"
)

// TestProxyOrdersThroughTheDesk: an order from a program passes the checks of the desk
// and is sent once, and the program receives the exchange's answer unchanged.
func TestProxyOrdersThroughTheDesk(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	program := c.Program(access.ScopeTrade)
	orders := func(mode trading.Mode) {
		program.Address, _ = site.Serve(t, web.Options{Reports: site.SharedReports(t), Access: c.Access, Console: &site.ConsoleExchange{Upstream: c.Upstream},
			Trading: site.OpenDesk(t, trading.Options{Mode: mode, Now: c.Now}, c.Upstream)})
	}
	tick := strings.SplitN(string(c.Sim.Price("BTCUSDT_SPBL")), ".", 2)[0]
	place := func(id string) weex.Request {
		return weex.Request{Method: "POST", Path: "/api/v2/trade/orders", Body: []byte(fmt.Sprintf(
			`{"symbol":"BTCUSDT_SPBL","side":"buy","orderType":"limit","force":"normal","price":"%s","quantity":"0.01","clientOrderId":"%s"}`, tick, id))}
	}
	orders(trading.Off)
	ours(t, c.Send(program, place("off")), 403, "forbidden")
	orders(trading.Dry)
	ours(t, c.Send(program, place("dry")), 200, "dry-run")
	if n := len(c.Sim.Ledger().Orders); n != 0 {
		t.Fatalf("%d orders were placed", n)
	}
	orders(trading.Live)
	a := c.Send(program, place("live"))
	var body struct {
		Code string
		Data struct{ ClientOrderID string }
	}
	if err := json.Unmarshal([]byte(a.Body), &body); err != nil || a.StatusCode != 200 || body.Code != "00000" || body.Data.ClientOrderID != "live" || a.Header.Get("X-Rebatedesk") != "" {
		t.Errorf("status %d, word %q, %s, %v", a.StatusCode, a.Header.Get("X-Rebatedesk"), a.Body, err)
	}
	ours(t, c.Send(program, place("live")), 400, "refused")
	wild := place("wild")
	wild.Body = []byte(strings.Replace(string(wild.Body), `"0.01"`, `"0.0100000000001"`, 1))
	ours(t, c.Send(program, wild), 400, "refused")
	if ledger := c.Sim.Ledger(); len(ledger.Orders) != 1 || ledger.Executions["live"].Received != 1 {
		t.Errorf("%d orders were placed, live was received %d times", len(ledger.Orders), ledger.Executions["live"].Received)
	}
}
