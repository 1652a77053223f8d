package console_test

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/trading"
	"rebatedesk/web"
)

var foundHit = regexp.MustCompile(`<a class="option hit" [^>]*href="([^"]*)"`)

// hits returns the addresses that a search finds, in their order.
func hits(v *site.Visitor, text string) (list []string) {
	for _, hit := range foundHit.FindAllStringSubmatch(v.Get("/search?q="+url.QueryEscape(text), "HX-Request", "true").Body, -1) {
		list = append(list, html.UnescapeString(hit[1]))
	}
	return list
}

// The search finds the pages of the console and the markets of pairs for who may see the console, and
// nothing of it for others. What it finds are pages: nothing that sends, cancels or stops.
func TestSearchFindsTheConsole(t *testing.T) {
	t.Parallel()
	_, client := site.StartExchange(t, simulator.Options{})
	desk := site.OpenDesk(t, trading.Options{Mode: trading.Live}, client)
	o := site.OpenSite(t, web.Options{Reports: site.SharedReports(t), Console: &site.ConsoleExchange{Upstream: client, Marked: []string{"ETHUSDT_SPBL"}}, Trading: desk})
	o.AddUser("theo", access.Trader)
	o.AddUser("vera", access.Viewer)
	theo, vera := o.SignedInAs("theo"), o.SignedInAs("vera")
	o.Enrol(theo)
	pages := map[string]bool{}
	for text, want := range map[string]string{
		"open orders": "/console/orders", "ticket": "/console/trade", "fills": "/console/fills", "bills": "/console/bills", "funding": "/console/funding",
		"transfers": "/console/transfers", "order log": "/console/intents", "markets": "/console/markets", "contracts": "/console/contracts", "chains": "/console/currencies",
		"eth/usdt": "/console/markets/ETHUSDT_SPBL", "ETH-USDT": "/console/markets/ETHUSDT_SPBL", "ethusdt": "/console/markets/ETHUSDT_SPBL",
		"BTC/USDT": "/console/markets/BTCUSDT_SPBL",
	} {
		found := hits(theo, text)
		if !strings.Contains(" "+strings.Join(found, " ")+" ", " "+want+" ") {
			t.Errorf("%q does not find %s: %v", text, want, found)
		}
		for _, address := range found {
			pages[address] = true
		}
		for _, address := range hits(vera, text) {
			if strings.HasPrefix(address, "/console") {
				t.Errorf("a viewer finds %s by %q", address, text)
			}
		}
	}
	if found := hits(vera, "goal"); !slices.Contains(found, "/forecast#goals") {
		t.Errorf("a viewer does not find the goals: %v", found)
	}
	for _, text := range []string{"stop", "stop all sending", "cancel", "cancel all", "send", "resume", "buy", "sell"} {
		for _, address := range hits(theo, text) {
			pages[address] = true
		}
	}
	intents := func() int {
		list, err := desk.Intents(t.Context(), trading.IntentQuery{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	acts := regexp.MustCompile(`/(send|stop|cancel|cancellation|resume|resolve|decide|override)\b`)
	before := intents()
	for address := range pages {
		if acts.MatchString(address) {
			t.Errorf("the search offers %s", address)
		}
		if a := theo.Get(address); a.StatusCode != 200 {
			t.Errorf("%s: status %d", address, a.StatusCode)
		}
	}
	if status, err := desk.Status(t.Context()); err != nil || intents() != before || status.Stopped() {
		t.Errorf("opening what the search found did something: %d intents, %+v, %v", intents(), status, err)
	}
	if answer := theo.Get("/search?q=ethusdt", "HX-Request", "true").Body; !strings.Contains(answer, ">ETH/USDT<") || !strings.Contains(answer, ">market, favourite<") || strings.Contains(answer, "<form") || strings.Contains(answer, "<button") {
		t.Error("the market of a favourite is not named so")
	}
}

// A pair that earned commission and that the exchange lists no more has records, but no market.
func TestSearchOffersNoMarketThatIsGone(t *testing.T) {
	t.Parallel()
	f := site.OpenProgramme(t, time.UTC, simulator.Options{Seed: 7, Days: 3, Invitees: 3, Records: 20})
	for _, symbol := range []string{"GONEUSDT_SPBL", "ETHUSDT_SPBL"} {
		f.Sim.Insert(affiliate.Commission{DealTime: affiliate.Millis(f.Clock.Load()) - 3*3_600_000, UID: "4667776811", Product: affiliate.Spot, Symbol: symbol,
			Source: affiliate.Direct, Coin: "USDT", Fee: "1", Rate: "0.1", Commission: "0.1"})
	}
	f.Collect()
	_, client := site.StartExchange(t, simulator.Options{})
	o := site.OpenSite(t, web.Options{Reports: f.Service, Console: &site.ConsoleExchange{Upstream: client}})
	o.AddUser("theo", access.Trader)
	theo := o.SignedInAs("theo")
	o.Enrol(theo)
	// Which pairs are listed is known once someone looks at one.
	for path, want := range map[string]int{"/console/markets/ETHUSDT_SPBL": 200, "/console/markets/GONEUSDT_SPBL": 404} {
		if a := theo.Get(path); a.StatusCode != want {
			t.Fatalf("%s: status %d", path, a.StatusCode)
		}
	}
	if found := hits(theo, "gone/usdt"); len(found) == 0 || slices.Contains(found, "/console/markets/GONEUSDT_SPBL") {
		t.Errorf("of a pair that is gone it finds %v", found)
	}
	if found := hits(theo, "eth/usdt"); !slices.Contains(found, "/console/markets/ETHUSDT_SPBL") {
		t.Errorf("of a pair that is listed it finds %v", found)
	}
}
