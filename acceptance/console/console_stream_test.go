package console_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/exchange/weex/simulator"
)

const (
	marketStream   = "page=market&account=main&symbol=BTCUSDT_SPBL&interval=1m"
	overviewStream = "page=overview&account=main"
)

// A stream tells what is new, is refused to those who may not see the console and beyond the
// limit of a user, and ends with the session.
func TestConsoleStream(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	c.Rest()
	live := c.Browser.Stream(marketStream)
	if live.Status != 200 {
		t.Fatalf("status %d", live.Status)
	}
	live.Until(t, "part", "1 open order", 10*time.Second)       // the resting one
	live.Until(t, "part", `id="market-trades"`, 10*time.Second) // told again with each reading

	c.AddUser("vera", access.Viewer)
	if s := c.SignedInAs("vera").Stream(overviewStream); s.Status != 403 {
		t.Errorf("a viewer: status %d", s.Status)
	}
	if s := c.Visitor().Stream(overviewStream); s.Status != 401 {
		t.Errorf("a stranger: status %d", s.Status)
	}
	for _, query := range []string{"", "page=market&account=main&symbol=%3Cb%3E", "page=market&account=main&symbol=BTCUSDT_SPBL&interval=2m", "page=overview&account=other", "page=x&account=main"} {
		if s := c.Browser.Stream(query); s.Status != 400 {
			t.Errorf("%s: status %d", query, s.Status)
		}
	}
	open := []*site.Stream{live}
	for i := range 8 {
		s := c.Browser.Stream(overviewStream)
		if want := map[bool]int{true: 200, false: 429}[i < 7]; s.Status != want {
			t.Errorf("stream %d: status %d, want %d", i+2, s.Status, want)
		}
		open = append(open, s)
	}
	open[1].Until(t, "part", `id="overview-bills"`, 10*time.Second)
	c.Browser.Get("/account")
	if a := c.Browser.Post("/logout"); a.StatusCode != 303 {
		t.Fatalf("signing out: status %d", a.StatusCode)
	}
	for _, s := range open[:8] {
		s.Until(t, "end", "Sign in again", 10*time.Second)
	}
}

// A server that stops ends its streams at once.
func TestStreamsEndWithTheServer(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	live := c.Browser.Stream(marketStream)
	live.Until(t, "beat", "", 10*time.Second)
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Second)
	defer cancel()
	if err := c.Server.Shutdown(ctx); err != nil || time.Since(began) > 4*time.Second {
		t.Errorf("stopping took %v: %v", time.Since(began), err)
	}
}

// An exchange that stops answering leaves the last known state, which says so within seconds, on
// the page and in its stream.
func TestMarketSaysThatItIsOld(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{Rules: []simulator.FaultRule{{Fault: simulator.ServerError, Path: "market/fills", Every: 1, After: 3}}})
	page := c.Browser.Get("/console/markets/BTCUSDT_SPBL").Body
	if strings.Contains(page, "last known state") || !strings.Contains(page, "50 trades, as of") || !strings.Contains(page, "Prices are multiples of 0.01 USDT.") {
		t.Error("the page does not show the state of the exchange")
	}
	live := c.Browser.Stream(marketStream)
	live.Until(t, "part", "This is the last known state, of ", 15*time.Second)
	again := c.Browser.Get("/console/markets/BTCUSDT_SPBL")
	if again.StatusCode != 200 || !strings.Contains(again.Body, "This is the last known state, of ") || !strings.Contains(again.Body, "50 trades, as of") {
		t.Errorf("status %d: the page does not say that it is old, or shows nothing", again.StatusCode)
	}
}

// A pair that is suspended, new or not listed says so; one of the other market has another page.
func TestMarketPages(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	for symbol, words := range map[string]string{
		"LUNCUSDT_SPBL": "Trading of this pair is suspended", "AVAXUSDT_SPBL": "This pair is newly listed", "NOSUCHUSDT_SPBL": "does not list this pair",
	} {
		if a := c.Browser.Get("/console/markets/" + symbol); !strings.Contains(a.Body, words) {
			t.Errorf("%s: status %d, and the page does not say %q", symbol, a.StatusCode, words)
		}
	}
	if a := c.Browser.Get("/console/contracts/cmt_btcusdt"); a.StatusCode != 200 || !strings.Contains(a.Body, "Mark price") || !strings.Contains(a.Body, "Index price") {
		t.Errorf("a contract: status %d", a.StatusCode)
	}
	for address, want := range map[string]int{
		"/console/markets/cmt_btcusdt": 404, "/console/contracts/BTCUSDT_SPBL": 404, "/console/markets/BTCUSDT_SPBL?interval=7m": 400,
		"/console/contracts/cmt_nosuch": 502,
	} {
		if a := c.Browser.Get(address); a.StatusCode != want {
			t.Errorf("%s: status %d, want %d", address, a.StatusCode, want)
		}
	}
	home := c.Browser.Get("/console").Body
	if n := strings.Count(home, `class="tab-link"`); n > 6 {
		t.Error(fmt.Sprint(n, " tabs"))
	}
}

// A stream does not tell a page what it was loaded with, and tells everything to one that has
// something else.
func TestStreamOfALoadedPage(t *testing.T) {
	t.Parallel()
	f := site.OpenCharts(t)
	had := regexp.MustCompile(` data-had="([^"]+)"`)
	load := func() string {
		var page string
		var part []string
		for end := time.Now().Add(20 * time.Second); part == nil && time.Now().Before(end); { // a page does not wait long for its first candles
			page = f.Theo.Get("/console/markets/" + site.Spot).Body
			part = had.FindStringSubmatch(page)
		}
		if part == nil || !strings.Contains(part[1], "chart:") || strings.Contains(page, "<th scope=\"col\">Known</th>") {
			t.Fatal("the page does not say what it has, or has the table of candles before somebody wants it")
		}
		return part[1]
	}
	first := func(had string) (names []string) {
		live := f.Theo.Stream(marketStream + "&had=" + had)
		defer live.Close()
		beats := 0
		for event := range live.Events {
			if name, _, _ := strings.Cut(event, " "); name != "beat" {
				names = append(names, name)
			} else if beats++; beats == 2 {
				return names
			}
		}
		return names
	}
	told := first(load())
	for try := 0; try < 4 && slices.Contains(told, "chart"); try++ { // the last candle may move between page and stream
		told = first(load())
	}
	if slices.Contains(told, "chart") {
		t.Errorf("the chart of the page is told again: %v", told)
	}
	for _, had := range []string{"", "chart:x,own:", strings.Repeat("x", 1000)} {
		if names := first(had); !slices.Contains(names, "chart") {
			t.Errorf("with %.20q the chart is not told: %v", had, names)
		}
	}
	if table := f.Theo.Get("/console/markets/" + site.Spot + "?interval=1m&table=yes").Body; !strings.Contains(table, "<th scope=\"col\">Known</th>") {
		t.Error("without scripts there is no table of the candles")
	}
}

// Answers that are late, cut, refused or no answers are never shown as "none": the page comes before
// the late answer, and says what is not known. It may say first that it still reads.
func TestMarketUnderFaults(t *testing.T) {
	t.Parallel()
	const unknown, reading = "Nothing is known of this now", "being read…"
	const late = 20 * time.Second
	for fault, words := range map[simulator.Fault]string{
		simulator.RateLimited: unknown, simulator.HTMLOK: unknown, simulator.Truncated: unknown, simulator.Reset: unknown, simulator.Slow: reading,
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			c := site.OpenConsole(t, simulator.Options{Rules: []simulator.FaultRule{{Fault: fault, Every: 1, Delay: late}}})
			began := time.Now()
			page := c.Browser.Get("/console/markets/BTCUSDT_SPBL")
			if took := time.Since(began); took > late {
				t.Errorf("the page took %v", took)
			}
			for !strings.Contains(page.Body, words) && strings.Contains(page.Body, reading) && time.Since(began) < 2*late {
				page = c.Browser.Get("/console/markets/BTCUSDT_SPBL")
			}
			if !strings.Contains(page.Body, words) {
				t.Errorf("status %d, and the page does not say %q", page.StatusCode, words)
			}
			for _, none := range []string{"No open orders", "No fills, as of", "lists no trade of this pair"} {
				if strings.Contains(page.Body, none) {
					t.Errorf("what is not known is shown as none: %s", none)
				}
			}
			if home := c.Browser.Get("/console").Body; strings.Contains(home, "lists no bills") || strings.Contains(home, "lists no transfers") {
				t.Error("on the overview, what is not known is shown as none")
			}
		})
	}
}
