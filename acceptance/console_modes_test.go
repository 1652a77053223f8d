package acceptance_test

import (
	"strings"
	"testing"

	"rebatedesk/access"
	"rebatedesk/exchange/simulator"
	"rebatedesk/trading"
	"rebatedesk/web"
)

// An order with an unknown outcome is shown once on the page of orders, with what to do, and the
// list of what was sent leads there. What stops is offered only if something is sent.
func TestBrowserTradingModes(t *testing.T) {
	t.Parallel()
	var kept trading.Options
	f := openTrading(t, func(o *trading.Options) {
		o.Store = openDeskStore(t, o.Now)
		kept = *o
	}, simulator.FaultRule{Fault: simulator.Dropped, Path: "/trade/orders", Every: 1, Limit: 1})
	at, _ := f.rests()
	f.theo.post(at+"/send", f.stepUp()...)
	if f.state(at) != trading.IntentUnknown {
		t.Fatal(f.state(at))
	}
	const stop = `action="/console/trading/stop"`
	for _, mode := range []trading.Mode{trading.Live, trading.Dry, trading.Off} {
		kept.Mode = mode
		desk := openDesk(t, kept, f.client)
		s := openSite(t, web.Options{Console: &consoleExchange{client: f.client}, Trading: desk})
		s.addUser("theo", access.Trader)
		theo := s.signedInAs("theo")
		secret, _ := s.enrol(theo)
		page := theo.get("/console/orders").body
		if n := strings.Count(page, "Clear it up"); n != 1 || strings.Count(page, "1 order with an unknown outcome") != 1 {
			t.Errorf("%s: the order is shown %d times", mode, n)
		}
		id := strings.TrimPrefix(at, "/console/intents/")
		if !strings.Contains(page, `id="unknown-`+id+`"`) || !strings.Contains(page, `href="#unknown-`+id+`"`) {
			t.Errorf("%s: the list of what was sent does not lead to what to do", mode)
		}
		for _, path := range []string{"/console", "/console/orders", "/console/trade", "/console/markets/" + spot} {
			if got := strings.Contains(theo.get(path).body, stop); got != (mode == trading.Live) {
				t.Errorf("%s, %s: stopping is offered: %t", mode, path, got)
			}
		}
		if page := theo.get("/console/markets/" + spot).body; strings.Contains(page, "against it") || strings.Contains(page, "it is one of") {
			t.Errorf("%s: an empty ticket breaks rules", mode)
		}
		b := openTrader(t, s.address, s.code(secret))
		for name, path := range map[string]string{"orders": "/console/orders", "market": "/console/markets/" + spot, "overview": "/console", "trade": "/console/trade"} {
			b.goes(s.address + path)
			b.arrives(`document.querySelector("#trading-bar") !== null && location.pathname === "` + path + `"`)
			for _, wide := range []screen{phone, {name: "large", width: 1920, height: 1080}} {
				b.look(wide)
				b.still()
				b.until(sideways + ` <= 0`)
				b.shoot("mode-" + string(mode) + "-" + name + "-" + wide.name)
				b.accessible()
			}
		}
		// What is stopped can be allowed again, where that would send anything.
		if err := desk.Stop(b.ctx, trading.Requester{Name: "theo"}, "a rehearsal"); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(theo.get("/console/orders").body, "Allow sending again"); got != (mode != trading.Off) {
			t.Errorf("%s, stopped: to allow sending again is offered: %t", mode, got)
		}
		if err := desk.Resume(b.ctx, trading.Requester{Name: "theo"}, "the rehearsal is over"); err != nil {
			t.Fatal(err)
		}
	}
}
