package acceptance_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"rebatedesk/access"
	"rebatedesk/exchange"
	"rebatedesk/exchange/simulator"
	"rebatedesk/web"
)

// sheetPages lists all pages of the console with a text that each contains.
var sheetPages = []struct{ path, query, shows string }{
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

// rest places an order that stays open and some orders that are filled.
func (c *consoleSite) rest() {
	c.Helper()
	o := c.client.PlaceOrder(c.Context(), "BTCUSDT_SPBL", exchange.NewOrder{Side: exchange.Buy, Type: exchange.Limit,
		Force: exchange.GoodTillCancelled, Price: "1000.00", Quantity: "0.01", ClientOrderID: "resting-1"})
	if o.State != exchange.Placed {
		c.Fatal(o)
	}
	for i := range 7 {
		c.buys(fmt.Sprintf("filled-%d", i))
	}
}

func TestConsolePages(t *testing.T) {
	t.Parallel()
	c := openConsole(t, simulator.Options{})
	c.rest()
	for _, p := range sheetPages {
		a := c.browser.get(p.path + p.query)
		if a.StatusCode != 200 || !strings.Contains(a.body, p.shows) || strings.Contains(a.body, "Nothing is known") {
			t.Errorf("%s%s: status %d, without %q", p.path, p.query, a.StatusCode, p.shows)
		}
		if p.path == "/console" {
			continue
		}
		file := c.browser.get(p.path + ".csv" + p.query)
		if p.query == "" && p.path == "/console/orders" {
			if file.StatusCode != 400 || !strings.Contains(file.body, "symbol") {
				t.Errorf("%s.csv without its pair: status %d %s", p.path, file.StatusCode, file.body)
			}
			continue
		}
		lines, err := csv.NewReader(strings.NewReader(file.body)).ReadAll()
		if file.StatusCode != 200 || err != nil || len(lines) < 2 || !strings.Contains(file.Header.Get("Content-Disposition"), `attachment; filename="`) {
			t.Errorf("%s.csv%s: status %d, %d lines, %v", p.path, p.query, file.StatusCode, len(lines), err)
		}
	}
}

// TestConsoleFigures: percentages are the received fractions times 100, ids remain text,
// and unknown values are a dash.
func TestConsoleFigures(t *testing.T) {
	t.Parallel()
	c := openConsole(t, simulator.Options{})
	c.rest()
	tickers, err := c.client.Tickers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(c.browser.get("/console/markets.csv").body)).ReadAll()
	if err != nil || lines[0][2] != "change_percent" {
		t.Fatal(err, lines[0])
	}
	found := 0
	for _, ticker := range tickers.Records {
		for _, line := range lines {
			if line[0] != ticker.Symbol {
				continue
			}
			found++
			if want := ticker.PriceChangePercent.Decimal().Shift(2).String(); line[2] != want || line[1] != string(ticker.LastPrice) {
				t.Errorf("%s: %v, want %s %s", ticker.Symbol, line, ticker.LastPrice, want)
			}
		}
	}
	if found < 3 {
		t.Errorf("%d pairs", found)
	}
	orders, err := c.client.OpenOrders(t.Context(), exchange.OpenOrderQuery{Symbol: "BTCUSDT_SPBL"})
	if err != nil {
		t.Fatal(err)
	}
	page := c.browser.get("/console/orders?symbol=BTCUSDT_SPBL").body
	id := orders.Records[0].OrderID
	if !strings.Contains(page, ">"+id+"<") || !strings.Contains(page, "/console/fills?orderId="+id+"&amp;symbol=BTCUSDT_SPBL") {
		t.Errorf("the order %s does not link to its fills", id)
	}
	if page := c.browser.get("/console/currencies").body; !strings.Contains(page, `aria-label="unknown: the exchange says nothing of it"`) {
		t.Error("a value that the exchange omitted is not shown as unknown")
	}
}

// TestConsoleRules: an error about a rule appears at its field, and nothing is sent.
func TestConsoleRules(t *testing.T) {
	t.Parallel()
	c := openConsole(t, simulator.Options{})
	before := c.sim.Stats().All()
	for address, field := range map[string]string{
		"/console/orders?symbol=BTC%2FUSDT%21": "symbol", "/console/orders?symbol=BTCUSDT_SPBL&limit=0": "limit",
		"/console/orders?symbol=BTCUSDT_SPBL&limit=1e1": "limit", "/console/fills?symbol=BTCUSDT_SPBL&orderId=12x": "orderId",
		"/console/fills?symbol=BTCUSDT_SPBL&pageSize=101": "pageSize", "/console/fills?symbol=%EF%BC%A2": "symbol",
		"/console/bills?bizType=lottery": "bizType", "/console/bills?limit=101": "limit", "/console/bills?after=yesterday": "after",
		"/console/funding?pageIndex=0": "pageIndex", "/console/funding?coinId=-1": "coinId", "/console/transfers?limit=501": "limit",
		"/console/transfers?before=1788264000001&after=1788264000000": "after", "/console/contracts?symbol=BTCUSDT_SPBL": "symbol",
		"/console/markets/BTCUSDT_SPBL?limit=1001": "limit",
	} {
		a := c.browser.get(address)
		if a.StatusCode != 400 || !strings.Contains(a.body, `id="said-`+field+`"`) && field != "bizType" || !strings.Contains(a.body, "Nothing was asked: "+field+" = ") {
			t.Errorf("%s: status %d, and the error does not name %s", address, a.StatusCode, field)
		}
	}
	for _, address := range []string{"/console/bills?page=0", "/console/bills?range=soon", "/console/bills?at=noon", "/console/bills?limit=1&limit=2", "/console?x=1", "/console/orders?account=other"} {
		if a := c.browser.get(address); a.StatusCode != 400 {
			t.Errorf("%s: status %d", address, a.StatusCode)
		}
	}
	if n := c.sim.Stats().All(); n != before {
		t.Errorf("%d requests were sent", n-before)
	}
}

// TestConsoleWholeRange: the file of the whole range contains each record once, with
// every page size.
func TestConsoleWholeRange(t *testing.T) {
	t.Parallel()
	c := openConsole(t, simulator.Options{})
	c.rest()
	for path, query := range map[string]string{"/console/fills": "symbol=BTCUSDT_SPBL", "/console/bills": "", "/console/funding": "", "/console/transfers": ""} {
		a := c.browser.get(path + ".csv?all=1&" + query)
		lines, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
		if err != nil || a.StatusCode != 200 || strings.Contains(a.Header.Get("Content-Disposition"), "incomplete-") {
			t.Errorf("%s: status %d, %v", path, a.StatusCode, err)
			continue
		}
		page, err := csv.NewReader(strings.NewReader(c.browser.get(path + ".csv?" + query).body)).ReadAll()
		if err != nil || len(lines) < len(page) || len(page) < 2 {
			t.Errorf("%s: the range has %d lines, the page %d (%v)", path, len(lines), len(page), err)
		}
		if ids := column(lines, 1); path != "/console/transfers" && len(ids) != len(lines) {
			t.Errorf("%s: of %d lines only %d have a distinct id", path, len(lines), len(ids))
		}
	}
}

// column returns the distinct values of a column.
func column(lines [][]string, at int) map[string]bool {
	values := map[string]bool{}
	for _, line := range lines {
		values[line[at]] = true
	}
	return values
}

// TestConsoleWithoutExchange: the page names the unknown data and never shows it as zero.
func TestConsoleWithoutExchange(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]simulator.FaultRule{
		"a web page": {Fault: simulator.HTMLOK, Every: 1}, "a server error": {Fault: simulator.ServerError, Every: 1}, "cut off": {Fault: simulator.Truncated, Every: 1},
	} {
		c := openConsole(t, simulator.Options{Rules: []simulator.FaultRule{fault}})
		for _, path := range []string{"/console/markets", "/console/bills", "/console/contracts", "/console/fills?symbol=BTCUSDT_SPBL"} {
			a := c.browser.get(path)
			if a.StatusCode != 502 || !strings.Contains(a.body, "Nothing is known of this now") || strings.Contains(a.body, "the exchange lists none") {
				t.Errorf("%s, %s: status %d", name, path, a.StatusCode)
			}
			base, query, _ := strings.Cut(path, "?")
			if a := c.browser.get(base + ".csv?" + query); a.StatusCode != 502 {
				t.Errorf("%s, %s as a file: status %d", name, path, a.StatusCode)
			}
		}
	}
}

func TestConsoleFavourites(t *testing.T) {
	t.Parallel()
	c := openConsole(t, simulator.Options{})
	c.browser.get("/console/markets")
	if a := c.browser.post("/console/favourites", "pair", "SOLUSDT_SPBL", "on", "true"); a.StatusCode != 303 {
		t.Fatalf("status %d", a.StatusCode)
	}
	page := c.browser.get("/console/markets?marked=only").body
	if !strings.Contains(page, "SOLUSDT_SPBL") || strings.Contains(page, ">BTCUSDT_SPBL<") || !strings.Contains(page, `aria-pressed="true"`) {
		t.Error("the page does not show the marked pair alone")
	}
	c.browser.post("/console/favourites", "pair", "SOLUSDT_SPBL", "on", "false")
	if page := c.browser.get("/console/markets?marked=only").body; strings.Contains(page, "SOLUSDT_SPBL") || !strings.Contains(page, "No pair fits the filters") {
		t.Error("the mark is not removed")
	}
	if a := c.browser.post("/console/favourites", "pair", "<script>", "on", "true"); a.StatusCode != 400 {
		t.Errorf("nonsense: status %d", a.StatusCode)
	}
}

// TestBrowserConsole: every page of the console is drawn on every screen and is no wider
// than it, and axe finds no fault.
func TestBrowserConsole(t *testing.T) {
	t.Parallel()
	c := openConsole(t, simulator.Options{})
	c.rest()
	address, _ := serve(t, web.Options{Reports: sharedReports(t), Console: &consoleExchange{client: c.client, marked: []string{"ETHUSDT_SPBL"}}})
	signedIn(t, access.Trader) // creates a user
	b := openApart(t, address+"/login", desktop)
	b.comeIn(address, string(access.Trader), passwordOf(access.Trader))
	b.refused = false
	for i, p := range sheetPages {
		for _, s := range []screen{phone, desktop} {
			b.look(s)
			b.goes(address + p.path + p.query)
			b.arrives(`document.querySelector("main h1") !== null`)
			if s.name == phone.name {
				b.until(sideways + " <= 0")
				b.shoot(fmt.Sprintf("console-%d-phone", i))
				b.accessibleInShape() // the wide screen has the same colours
				continue
			}
			b.looksRight(fmt.Sprintf("console-%d-%s", i, s.name))
		}
		b.turnsDark(fmt.Sprint("console-", i))
	}
	// Texts of a hostile exchange run nowhere, and make no page wider than the screen.
	_, hostile := hostileExchange(t)
	b.refused = true // an answer that is not believed has status 502
	address, _ = serve(t, web.Options{Reports: sharedReports(t), Console: &consoleExchange{client: hostile, marked: []string{spot}}})
	b.look(phone)
	for _, path := range []string{"/console", "/console/markets", "/console/markets/" + spot, "/console/currencies", "/console/orders", "/console/fills", "/console/bills", "/console/funding", "/console/transfers"} {
		b.goes(address + path)
		b.arrives(`document.querySelector("main h1") !== null`)
		if found := eval[[]string](b, foreign); len(found) > 0 || eval[bool](b, `"pwned" in window`) {
			t.Errorf("%s: a text became an element of the page: %q", path, found)
		}
		if wide := eval[float64](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
			t.Errorf("%s: the page is %.0f px wider than the screen: %.160q", path, wide,
				eval[[]string](b, `[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll-x")).slice(0, 6).map(e => e.outerHTML)`))
		}
	}
}
