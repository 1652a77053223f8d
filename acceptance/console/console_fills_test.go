package console_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/exchange/weex/simulator"
)

// The balances of the overview are valued at the last prices, which have their time. Without prices
// the worth is not known, and is never zero.
func TestConsoleBalances(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	part := func(c *site.ConsoleSite) string {
		_, page, _ := strings.Cut(c.Browser.Get("/console").Body, `id="overview-balances"`)
		page, _, _ = strings.Cut(page, "</section>")
		return page
	}
	if page := part(c); !strings.Contains(page, "Worth at the last prices, of ") || !strings.Contains(page, "Total") || strings.Contains(page, "not known") {
		t.Errorf("the balances are not valued: %s", page)
	}
	c = site.OpenConsole(t, simulator.Options{Rules: []simulator.FaultRule{{Fault: simulator.ServerError, Path: "market/tickers", Every: 1}}})
	if page := part(c); !strings.Contains(page, "The prices are not known now") || !strings.Contains(page, "no price of this coin in USDT is known") || !strings.Contains(page, "The total is without ") {
		t.Errorf("without prices: %s", page)
	}
}

var fillMarks = regexp.MustCompile(` data-fills="([^"]*)"`)

// Own fills are told to a page once: those since it was drawn, or since its stream told it last,
// summed up. A stream that hands over no marks is told of none.
func TestConsoleTellsFills(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	c.Rest()
	if a := c.Browser.Post("/console/favourites", "pair", site.Spot, "on", "true"); a.StatusCode != 303 {
		t.Fatalf("marking a favourite: status %d", a.StatusCode)
	}
	type told struct {
		Marks string
		Count int
		Words string
	}
	next := func(s *site.Stream) (got told) {
		t.Helper()
		if err := json.Unmarshal([]byte(strings.TrimPrefix(s.Until(t, "fills", "", 40*time.Second), "fills ")), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	had := func(path string) string {
		t.Helper()
		marks := fillMarks.FindStringSubmatch(c.Browser.Get(path).Body)
		if marks == nil || !strings.HasPrefix(marks[1], site.Spot+".") {
			t.Fatalf("%s does not say which fills it knows: %q", path, marks)
		}
		return "&fills=" + url.QueryEscape(html.UnescapeString(marks[1]))
	}
	silent := c.Browser.Stream(marketStream)
	pages := []*site.Stream{c.Browser.Stream(marketStream + had("/console/markets/"+site.Spot)), c.Browser.Stream(overviewStream + had("/console"))}
	for _, s := range append(pages, silent) {
		s.Until(t, "part", "", 10*time.Second)
	}
	c.Buys("told")
	var marks string
	for _, s := range pages {
		first := next(s)
		if first.Count != 1 || !strings.HasPrefix(first.Words, "Fill of BTC/USDT at ") || !strings.Contains(first.Words, ": bought 0.001\u00a0BTC at ") {
			t.Errorf("told %+v", first)
		}
		marks = first.Marks
		s.Close()
	}
	for i := range 2 {
		c.Buys(fmt.Sprintf("slept-%d", i))
	}
	woken := c.Browser.Stream(marketStream + "&fills=" + url.QueryEscape(marks))
	if second := next(woken); second.Count != 2 || !strings.HasPrefix(second.Words, "2 fills of BTC/USDT since ") {
		t.Errorf("after it was hidden, told %+v", second)
	}
	woken.Close()
	silent.Close()
	for event := range silent.Events {
		if strings.HasPrefix(event, "fills ") {
			t.Errorf("a stream without marks is told %s", event)
		}
	}
	for _, marks := range []string{"x", "BTCUSDT_SPBL", "BTCUSDT_SPBL.%21", strings.Repeat("BTCUSDT_SPBL.0,", 1000)} {
		live := c.Browser.Stream(marketStream + "&fills=" + marks)
		live.Until(t, "part", "market-own", 10*time.Second)
		live.Close()
		for event := range live.Events {
			if strings.HasPrefix(event, "fills ") {
				t.Errorf("with %.20s: told %s", marks, event)
			}
		}
	}
}
