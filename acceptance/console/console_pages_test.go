package console_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/web"
)

func TestConsolePages(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	c.Rest()
	for _, p := range site.SheetPages {
		a := c.Browser.Get(p.Path + p.Query)
		if a.StatusCode != 200 || !strings.Contains(a.Body, p.Shows) || strings.Contains(a.Body, "Nothing is known") {
			t.Errorf("%s%s: status %d, without %q", p.Path, p.Query, a.StatusCode, p.Shows)
		}
		if p.Path == "/console" {
			continue
		}
		file := c.Browser.Get(p.Path + ".csv" + p.Query)
		if p.Query == "" && p.Path == "/console/orders" {
			if file.StatusCode != 400 || !strings.Contains(file.Body, "symbol") {
				t.Errorf("%s.csv without its pair: status %d %s", p.Path, file.StatusCode, file.Body)
			}
			continue
		}
		lines, err := csv.NewReader(strings.NewReader(file.Body)).ReadAll()
		if file.StatusCode != 200 || err != nil || len(lines) < 2 || !strings.Contains(file.Header.Get("Content-Disposition"), `attachment; filename="`) {
			t.Errorf("%s.csv%s: status %d, %d lines, %v", p.Path, p.Query, file.StatusCode, len(lines), err)
		}
	}
}

// TestConsoleFigures: percentages are the received fractions times 100, ids remain text,
// and unknown values are a dash.
func TestConsoleFigures(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	c.Rest()
	tickers, err := c.Upstream.Tickers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(c.Browser.Get("/console/markets.csv").Body)).ReadAll()
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
	orders, err := c.Upstream.OpenOrders(t.Context(), weex.OpenOrderQuery{Symbol: "BTCUSDT_SPBL"})
	if err != nil {
		t.Fatal(err)
	}
	page := c.Browser.Get("/console/orders?symbol=BTCUSDT_SPBL").Body
	id := orders.Records[0].OrderID
	if !strings.Contains(page, ">"+id+"<") || !strings.Contains(page, "/console/fills?orderId="+id+"&amp;symbol=BTCUSDT_SPBL") {
		t.Errorf("the order %s does not link to its fills", id)
	}
	if page := c.Browser.Get("/console/currencies").Body; !strings.Contains(page, `title="unknown: the exchange says nothing of it"`) {
		t.Error("a value that the exchange omitted is not shown as unknown")
	}
}

// TestConsoleRules: an error about a rule appears at its field, and nothing is sent.
func TestConsoleRules(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	before := c.Sim.Stats().All()
	for address, field := range map[string]string{
		"/console/orders?symbol=BTC%2FUSDT%21": "symbol", "/console/orders?symbol=BTCUSDT_SPBL&limit=0": "limit",
		"/console/orders?symbol=BTCUSDT_SPBL&limit=1e1": "limit", "/console/fills?symbol=BTCUSDT_SPBL&orderId=12x": "orderId",
		"/console/fills?symbol=BTCUSDT_SPBL&pageSize=101": "pageSize", "/console/fills?symbol=%EF%BC%A2": "symbol",
		"/console/bills?bizType=lottery": "bizType", "/console/bills?limit=101": "limit", "/console/bills?after=yesterday": "after",
		"/console/funding?pageIndex=0": "pageIndex", "/console/funding?coinId=-1": "coinId", "/console/transfers?limit=501": "limit",
		"/console/transfers?before=1788264000001&after=1788264000000": "after", "/console/contracts?symbol=BTCUSDT_SPBL": "symbol",
		"/console/markets/BTCUSDT_SPBL?limit=1001": "limit",
	} {
		a := c.Browser.Get(address)
		if a.StatusCode != 400 || !strings.Contains(a.Body, `id="said-`+field+`"`) && field != "bizType" || !strings.Contains(a.Body, "Nothing was asked: "+field+" = ") {
			t.Errorf("%s: status %d, and the error does not name %s", address, a.StatusCode, field)
		}
	}
	for _, address := range []string{"/console/bills?page=0", "/console/bills?range=soon", "/console/bills?at=noon", "/console/bills?limit=1&limit=2", "/console?x=1", "/console/orders?account=other"} {
		if a := c.Browser.Get(address); a.StatusCode != 400 {
			t.Errorf("%s: status %d", address, a.StatusCode)
		}
	}
	if n := c.Sim.Stats().All(); n != before {
		t.Errorf("%d requests were sent", n-before)
	}
}

// TestConsoleWholeRange: the file of the whole range contains each record once, with
// every page size.
func TestConsoleWholeRange(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	c.Rest()
	for path, query := range map[string]string{"/console/fills": "symbol=BTCUSDT_SPBL", "/console/bills": "", "/console/funding": "", "/console/transfers": ""} {
		a := c.Browser.Get(path + ".csv?all=1&" + query)
		lines, err := csv.NewReader(strings.NewReader(a.Body)).ReadAll()
		if err != nil || a.StatusCode != 200 || strings.Contains(a.Header.Get("Content-Disposition"), "incomplete-") {
			t.Errorf("%s: status %d, %v", path, a.StatusCode, err)
			continue
		}
		page, err := csv.NewReader(strings.NewReader(c.Browser.Get(path + ".csv?" + query).Body)).ReadAll()
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
		c := site.OpenConsole(t, simulator.Options{Rules: []simulator.FaultRule{fault}})
		for _, path := range []string{"/console/markets", "/console/bills", "/console/contracts", "/console/fills?symbol=BTCUSDT_SPBL"} {
			a := c.Browser.Get(path)
			if a.StatusCode != 502 || !strings.Contains(a.Body, "Nothing is known of this now") || strings.Contains(a.Body, "the exchange lists none") {
				t.Errorf("%s, %s: status %d", name, path, a.StatusCode)
			}
			base, query, _ := strings.Cut(path, "?")
			if a := c.Browser.Get(base + ".csv?" + query); a.StatusCode != 502 {
				t.Errorf("%s, %s as a file: status %d", name, path, a.StatusCode)
			}
		}
	}
}

func TestConsoleFavourites(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	c.Browser.Get("/console/markets")
	if a := c.Browser.Post("/console/favourites", "pair", "SOLUSDT_SPBL", "on", "true"); a.StatusCode != 303 {
		t.Fatalf("status %d", a.StatusCode)
	}
	page := c.Browser.Get("/console/markets?marked=only").Body
	if !strings.Contains(page, "SOLUSDT_SPBL") || strings.Contains(page, ">BTCUSDT_SPBL<") || !strings.Contains(page, `aria-pressed="true"`) {
		t.Error("the page does not show the marked pair alone")
	}
	c.Browser.Post("/console/favourites", "pair", "SOLUSDT_SPBL", "on", "false")
	if page := c.Browser.Get("/console/markets?marked=only").Body; strings.Contains(page, "SOLUSDT_SPBL") || !strings.Contains(page, "No pair fits the filters") {
		t.Error("the mark is not removed")
	}
	if a := c.Browser.Post("/console/favourites", "pair", "<script>", "on", "true"); a.StatusCode != 400 {
		t.Errorf("nonsense: status %d", a.StatusCode)
	}
}

// Every page of the console looks right.
func TestBrowserConsole(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	c.Rest()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t), Console: &site.ConsoleExchange{Upstream: c.Upstream, Marked: []string{"ETHUSDT_SPBL"}}})
	site.SignedIn(t, access.Trader) // creates a user
	b := site.OpenApart(t, address+"/login", site.Desktop)
	b.ComeIn(address, string(access.Trader), site.PasswordOf(access.Trader))
	b.Refused = false
	for i, p := range site.SheetPages {
		b.Goes(address + p.Path + p.Query)
		b.Arrives(`document.querySelector("main h1") !== null`)
		b.Looks(fmt.Sprint("console-", i))
	}
	// Texts of a hostile exchange run nowhere, and make no page wider than the screen.
	_, hostile := hostileExchange(t)
	b.Refused = true // an answer that is not believed has status 502
	address, _ = site.Serve(t, web.Options{Reports: site.SharedReports(t), Console: &site.ConsoleExchange{Upstream: hostile, Marked: []string{site.Spot}}})
	b.Look(site.Phone)
	for _, path := range []string{"/console", "/console/markets", "/console/markets/" + site.Spot, "/console/currencies", "/console/orders", "/console/fills", "/console/bills", "/console/funding", "/console/transfers"} {
		b.Goes(address + path)
		b.Arrives(`document.querySelector("main h1") !== null`)
		if found := site.Eval[[]string](b, site.Foreign); len(found) > 0 || site.Eval[bool](b, `"pwned" in window`) {
			t.Errorf("%s: a text became an element of the page: %q", path, found)
		}
		b.Fits(path)
	}
}
