package console_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/trading"
	"rebatedesk/web"
)

// hostileTexts are what a hostile exchange writes into every text: markup, marks that turn the
// direction, and long words. Answers with control characters are not believed, see the tests of
// the exchange.
var hostileTexts = append(slices.Clone(site.HostileNames), strings.Repeat("W", 60), strings.Repeat("🧿", 12))

// hostileFields are the texts of the exchange that may be anything, and that the pages show.
var hostileFields = []string{"coinName", "baseCoin", "quoteCoin", "chain", "contractAddress", "browserUrl", "bizType", "toType", "fromType",
	"toSymbol", "fromSymbol", "status", "clientOrderId", "tradeId", "fillId", "billId", "errMsg", "err_msg", "msg", "orderType", "displayDigitMerge"}

// hostileExchange is a simulated exchange behind a proxy that replaces every text of its answers,
// and lists pairs with hostile names. The honest client speaks to it without the proxy.
func hostileExchange(t testing.TB) (honest, hostile *weex.Client) {
	t.Helper()
	sim, honest := site.StartExchange(t, simulator.Options{})
	to, err := url.Parse(sim.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ModifyResponse = func(r *http.Response) error {
		var content any
		d := json.NewDecoder(r.Body)
		d.UseNumber()
		if err := d.Decode(&content); err != nil {
			return err
		}
		if top, ok := content.(map[string]any); ok {
			if list, ok := top["data"].([]any); ok && (strings.HasSuffix(r.Request.URL.Path, "exchangeInfo") || strings.HasSuffix(r.Request.URL.Path, "/market/tickers")) {
				for i := range hostileTexts {
					one := map[string]any{}
					for name, value := range list[0].(map[string]any) {
						one[name] = value
					}
					one["symbol"] = hostileTexts[i]
					list = append(list, one)
				}
				top["data"] = list
			}
		}
		n := 0
		content = spoilt(content, &n)
		body, err := json.Marshal(content)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		return err
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	hostile, err = weex.New(exchange.Config{BaseURL: server.URL, ContractBaseURL: server.URL, Key: exchange.Secret(sim.APIKey),
		Secret: exchange.Secret(sim.APISecret), Passphrase: exchange.Secret(sim.APIPassphrase), Budget: exchange.NewBudget(1 << 30), Now: site.ClockAtNow, Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hostile.Close)
	return honest, hostile
}

func spoilt(content any, n *int) any {
	switch v := content.(type) {
	case map[string]any:
		for name, value := range v {
			if _, text := value.(string); text && slices.Contains(hostileFields, name) && (name != "msg" || v["code"] != "00000") {
				*n++
				v[name] = hostileTexts[*n%len(hostileTexts)]
			} else {
				v[name] = spoilt(value, n)
			}
		}
	case []any:
		for i := range v {
			v[i] = spoilt(v[i], n)
		}
	}
	return content
}

// controls returns the control characters of a page that no text of it needs.
func controls(page string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f {
			return r
		}
		return -1
	}, page)
}

// No text of a hostile exchange becomes markup on a page, in a part or in a stream of the console,
// and none becomes a formula in a file.
func TestHostileExchangeInTheConsole(t *testing.T) {
	t.Parallel()
	honest, client := hostileExchange(t)
	o := site.OpenSite(t, web.Options{Console: &site.ConsoleExchange{Upstream: client, Marked: []string{site.Spot, hostileTexts[1]}}, Trading: site.OpenDesk(t, trading.Options{Mode: trading.Live}, client)})
	o.AddUser("theo", access.Trader)
	theo := o.SignedInAs("theo")
	o.Enrol(theo)
	(&site.ConsoleSite{Site: o, Upstream: honest}).Rest()
	seen, refused := 0, []string{}
	look := func(what, page string) {
		t.Helper()
		if found := site.ForeignMarkup(page); len(found) > 0 {
			t.Errorf("%s: a text became markup: %.300q", what, found)
		}
		if found := controls(page); found != "" {
			t.Errorf("%s: control characters reach the page: %.40q", what, found)
		}
		if strings.Contains(page, "window.pwned") {
			seen++
		}
	}
	pages := []string{"/console/markets/" + site.Spot, "/console/contracts/cmt_btcusdt", "/console/trade", "/console/trade?kind=batch", "/console/trade?kind=trigger",
		"/console/trade?kind=cancel&symbol=" + site.Spot, "/console/intents", "/console/fills", "/console/bills", "/console/funding", "/console/transfers", "/console/fills?symbol=" + site.Spot,
		"/console/markets/" + site.Spot + "?interval=1h&table=yes", "/console/orders?pair=" + site.Spot,
		"/console/ticket/check?kind=place&symbol=" + site.Spot + "&side=buy&orderType=limit&price=%3Cimg+src%3Dx%3E&quantity=%22onfocus%3D1",
		"/console/ticket/check?kind=batch&symbol=" + site.Spot + "&orderList=buy+limit+normal+%3Cscript%3E+1"}
	for _, p := range site.SheetPages {
		pages = append(pages, p.Path+p.Query)
	}
	for _, text := range hostileTexts {
		pages = append(pages, "/console/markets/"+url.PathEscape(text), "/console/orders?pair="+url.QueryEscape(text), "/console/fills?symbol="+url.QueryEscape(text),
			"/console/trade?kind=place&symbol="+url.QueryEscape(text), "/console/markets?q="+url.QueryEscape(text))
	}
	why := map[string]int{}
	for _, path := range pages {
		a := theo.Get(path)
		if a.StatusCode >= 500 && a.StatusCode != 502 {
			t.Errorf("%s: status %d", path, a.StatusCode)
		}
		if a.StatusCode == 502 {
			refused = append(refused, path)
			_, words, _ := strings.Cut(a.Body, "Nothing is known of this now: ")
			why[words[:min(len(words), 140)]]++
		}
		look(path, a.Body)
	}
	for _, query := range []string{marketStream, overviewStream, "page=orders&account=main&pair=" + site.Spot, "page=ticket&account=main&symbol=" + site.Spot} {
		live := theo.Stream(query)
		end := time.After(9 * time.Second / site.Speed)
		for done := false; !done; {
			select {
			case event := <-live.Events:
				if _, data, _ := strings.Cut(event, " "); strings.HasPrefix(event, "part ") || strings.HasPrefix(event, "chart ") {
					look("stream "+query, data)
				}
			case <-end:
				done = true
			}
		}
		live.Close()
	}
	t.Logf("%d answers hold a hostile text; of %d pages %d say that the answer is not believed: %v", seen, len(pages), len(refused), why)
	if seen < 8 {
		t.Errorf("only %d answers hold a hostile text, so little was tried", seen)
	}
	for _, path := range []string{"/console/markets.csv", "/console/currencies.csv", "/console/bills.csv", "/console/funding.csv", "/console/transfers.csv", "/console/fills.csv?symbol=" + site.Spot} {
		a := theo.Get(path)
		rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(a.Body, "\ufeff"))).ReadAll()
		if a.StatusCode == 502 {
			continue // it is not believed
		}
		if err != nil || a.StatusCode != 200 {
			t.Errorf("%s: status %d, %v", path, a.StatusCode, err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if strings.HasPrefix(cell, "=") || strings.HasPrefix(cell, "@") || strings.HasPrefix(cell, "+") {
					t.Errorf("%s: a cell is a formula: %.60q", path, cell)
				}
			}
		}
	}
}
