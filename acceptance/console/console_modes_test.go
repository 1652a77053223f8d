package console_test

import (
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/trading"
	"rebatedesk/web"
)

// An order with an unknown outcome is shown once on the page of orders, with what to do, and the
// list of what was sent leads there. What stops is offered only if something is sent.
func TestBrowserTradingModes(t *testing.T) {
	t.Parallel()
	var kept trading.Options
	f := site.OpenTrading(t, func(o *trading.Options) {
		o.Store = site.OpenDeskStore(t, o.Now)
		kept = *o
	}, simulator.FaultRule{Fault: simulator.Dropped, Path: "/trade/orders", Every: 1, Limit: 1})
	at, _ := f.Rests()
	f.Theo.Post(at+"/send", f.StepUp()...)
	if f.State(at) != trading.IntentUnknown {
		t.Fatal(f.State(at))
	}
	const stop = `action="/console/trading/stop"`
	for _, mode := range []trading.Mode{trading.Live, trading.Dry, trading.Off} {
		kept.Mode = mode
		desk := site.OpenDesk(t, kept, f.Client)
		s := site.OpenSite(t, web.Options{Console: &site.ConsoleExchange{Upstream: f.Client}, Trading: desk})
		s.AddUser("theo", access.Trader)
		theo := s.SignedInAs("theo")
		secret, _ := s.Enrol(theo)
		page := theo.Get("/console/orders").Body
		if n := strings.Count(page, "Clear it up"); n != 1 || strings.Count(page, "1 order with an unknown outcome") != 1 {
			t.Errorf("%s: the order is shown %d times", mode, n)
		}
		id := strings.TrimPrefix(at, "/console/intents/")
		if !strings.Contains(page, `id="unknown-`+id+`"`) || !strings.Contains(page, `href="#unknown-`+id+`"`) {
			t.Errorf("%s: the list of what was sent does not lead to what to do", mode)
		}
		for _, path := range []string{"/console", "/console/orders", "/console/trade", "/console/markets/" + site.Spot} {
			if got := strings.Contains(theo.Get(path).Body, stop); got != (mode == trading.Live) {
				t.Errorf("%s, %s: stopping is offered: %t", mode, path, got)
			}
		}
		if page := theo.Get("/console/markets/" + site.Spot).Body; strings.Contains(page, "against it") || strings.Contains(page, "it is one of") {
			t.Errorf("%s: an empty ticket breaks rules", mode)
		}
		b := site.OpenTrader(t, s.Address, s.Code(secret))
		for name, path := range map[string]string{"orders": "/console/orders", "market": "/console/markets/" + site.Spot, "overview": "/console", "trade": "/console/trade"} {
			b.Goes(s.Address + path)
			b.Arrives(`document.querySelector("#trading-bar") !== null && location.pathname === "` + path + `"`)
			b.Looks("mode-" + string(mode) + "-" + name)
		}
		// What is stopped can be allowed again, where that would send anything.
		if err := desk.Stop(b.Ctx, trading.Requester{Name: "theo"}, "a rehearsal"); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(theo.Get("/console/orders").Body, "Allow sending again"); got != (mode != trading.Off) {
			t.Errorf("%s, stopped: to allow sending again is offered: %t", mode, got)
		}
		if err := desk.Resume(b.Ctx, trading.Requester{Name: "theo"}, "the rehearsal is over"); err != nil {
			t.Fatal(err)
		}
	}
}
