package acceptance_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/exchange/simulator"
)

// stream is a stream of the console as a browser reads it.
type stream struct {
	status int
	events chan string // names, and after a space the data
	close  context.CancelFunc
}

// stream opens a stream of a page.
func (v *visitor) stream(query string) *stream {
	v.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	v.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, v.address+"/console/stream?"+query, nil)
	if err != nil {
		v.Fatal(err)
	}
	request.Header.Set("Cookie", v.cookie())
	request.Header.Set("HX-Request", "true")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		v.Fatal(err)
	}
	s := &stream{status: response.StatusCode, events: make(chan string, 1000), close: cancel}
	go func() {
		defer close(s.events)
		defer response.Body.Close()
		name, data := "", ""
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 1<<22)
		for lines.Scan() {
			switch line := lines.Text(); {
			case line == "":
				s.events <- name + " " + data
				name, data = "", ""
			case strings.HasPrefix(line, "event: "):
				name = line[len("event: "):]
			case strings.HasPrefix(line, "data: "):
				data += line[len("data: "):]
			}
		}
	}()
	return s
}

// until returns the first event that begins with a word and holds a text.
func (s *stream) until(t testing.TB, name, holds string, within time.Duration) string {
	t.Helper()
	limit := time.After(within)
	for {
		select {
		case event, ok := <-s.events:
			if !ok {
				t.Fatalf("the stream ended before %s with %q", name, holds)
			}
			if strings.HasPrefix(event, name+" ") && strings.Contains(event, holds) {
				return event
			}
		case <-limit:
			t.Fatalf("no %s with %q within %v", name, holds, within)
		}
	}
}

const (
	marketStream   = "page=market&account=main&symbol=BTCUSDT_SPBL&interval=1m"
	overviewStream = "page=overview&account=main"
)

// A stream tells what is new, is refused to those who may not see the console and beyond the
// limit of a user, and ends with the session.
func TestConsoleStream(t *testing.T) {
	t.Parallel()
	c := openConsole(t, simulator.Options{})
	c.rest()
	live := c.browser.stream(marketStream)
	if live.status != 200 {
		t.Fatalf("status %d", live.status)
	}
	live.until(t, "part", "1 open order", 10*time.Second)       // the resting one
	live.until(t, "part", `id="market-trades"`, 10*time.Second) // told again with each reading

	c.addUser("vera", access.Viewer)
	if s := c.signedInAs("vera").stream(overviewStream); s.status != 403 {
		t.Errorf("a viewer: status %d", s.status)
	}
	if s := c.visitor().stream(overviewStream); s.status != 401 {
		t.Errorf("a stranger: status %d", s.status)
	}
	for _, query := range []string{"", "page=market&account=main&symbol=%3Cb%3E", "page=market&account=main&symbol=BTCUSDT_SPBL&interval=2m", "page=overview&account=other", "page=x&account=main"} {
		if s := c.browser.stream(query); s.status != 400 {
			t.Errorf("%s: status %d", query, s.status)
		}
	}
	open := []*stream{live}
	for i := range 8 {
		s := c.browser.stream(overviewStream)
		if want := map[bool]int{true: 200, false: 429}[i < 7]; s.status != want {
			t.Errorf("stream %d: status %d, want %d", i+2, s.status, want)
		}
		open = append(open, s)
	}
	open[1].until(t, "part", `id="overview-bills"`, 10*time.Second)
	c.browser.get("/account")
	if a := c.browser.post("/logout"); a.StatusCode != 303 {
		t.Fatalf("signing out: status %d", a.StatusCode)
	}
	for _, s := range open[:8] {
		s.until(t, "end", "Sign in again", 10*time.Second)
	}
}

// A server that stops ends its streams at once.
func TestStreamsEndWithTheServer(t *testing.T) {
	t.Parallel()
	c := openConsole(t, simulator.Options{})
	live := c.browser.stream(marketStream)
	live.until(t, "beat", "", 10*time.Second)
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Second)
	defer cancel()
	if err := c.server.Shutdown(ctx); err != nil || time.Since(began) > 4*time.Second {
		t.Errorf("stopping took %v: %v", time.Since(began), err)
	}
}

// An exchange that stops answering leaves the last known state, which says so within seconds, on
// the page and in its stream.
func TestMarketSaysThatItIsOld(t *testing.T) {
	t.Parallel()
	c := openConsole(t, simulator.Options{Rules: []simulator.FaultRule{{Fault: simulator.ServerError, Path: "market/fills", Every: 1, After: 3}}})
	page := c.browser.get("/console/markets/BTCUSDT_SPBL").body
	if strings.Contains(page, "last known state") || !strings.Contains(page, "50 trades, as of") || !strings.Contains(page, "Prices are multiples of 0.01 USDT.") {
		t.Error("the page does not show the state of the exchange")
	}
	live := c.browser.stream(marketStream)
	live.until(t, "part", "This is the last known state, of ", 15*time.Second)
	again := c.browser.get("/console/markets/BTCUSDT_SPBL")
	if again.StatusCode != 200 || !strings.Contains(again.body, "This is the last known state, of ") || !strings.Contains(again.body, "50 trades, as of") {
		t.Errorf("status %d: the page does not say that it is old, or shows nothing", again.StatusCode)
	}
}

// A pair that is suspended, new or not listed says so; one of the other market has another page.
func TestMarketPages(t *testing.T) {
	t.Parallel()
	c := openConsole(t, simulator.Options{})
	for symbol, words := range map[string]string{
		"LUNCUSDT_SPBL": "Trading of this pair is suspended", "AVAXUSDT_SPBL": "This pair is newly listed", "NOSUCHUSDT_SPBL": "does not list this pair",
	} {
		if a := c.browser.get("/console/markets/" + symbol); !strings.Contains(a.body, words) {
			t.Errorf("%s: status %d, and the page does not say %q", symbol, a.StatusCode, words)
		}
	}
	if a := c.browser.get("/console/contracts/cmt_btcusdt"); a.StatusCode != 200 || !strings.Contains(a.body, "Mark price") || !strings.Contains(a.body, "Index price") {
		t.Errorf("a contract: status %d", a.StatusCode)
	}
	for address, want := range map[string]int{
		"/console/markets/cmt_btcusdt": 404, "/console/contracts/BTCUSDT_SPBL": 404, "/console/markets/BTCUSDT_SPBL?interval=7m": 400,
		"/console/contracts/cmt_nosuch": 502,
	} {
		if a := c.browser.get(address); a.StatusCode != want {
			t.Errorf("%s: status %d, want %d", address, a.StatusCode, want)
		}
	}
	home := c.browser.get("/console").body
	if n := strings.Count(home, `class="tab-link"`); n > 6 {
		t.Error(fmt.Sprint(n, " tabs"))
	}
}

// A stream does not tell a page what it was loaded with, and tells everything to one that has
// something else.
func TestStreamOfALoadedPage(t *testing.T) {
	t.Parallel()
	f := openCharts(t)
	had := regexp.MustCompile(` data-had="([^"]+)"`)
	var page string
	var part []string
	for end := time.Now().Add(20 * time.Second); part == nil && time.Now().Before(end); { // a page does not wait long for its first candles
		page = f.theo.get("/console/markets/" + spot).body
		part = had.FindStringSubmatch(page)
	}
	if part == nil || !strings.Contains(part[1], "chart:") || strings.Contains(page, "<th scope=\"col\">Known</th>") {
		t.Fatal("the page does not say what it has, or has the table of candles before somebody wants it")
	}
	first := func(had string) (names []string) {
		live := f.theo.stream(marketStream + "&had=" + had)
		defer live.close()
		beats := 0
		for event := range live.events {
			if name, _, _ := strings.Cut(event, " "); name != "beat" {
				names = append(names, name)
			} else if beats++; beats == 2 {
				return names
			}
		}
		return names
	}
	if names := first(part[1]); slices.Contains(names, "chart") {
		t.Errorf("the chart of the page is told again: %v", names)
	}
	for _, had := range []string{"", "chart:x,own:", strings.Repeat("x", 1000)} {
		if names := first(had); !slices.Contains(names, "chart") {
			t.Errorf("with %.20q the chart is not told: %v", had, names)
		}
	}
	if table := f.theo.get("/console/markets/" + spot + "?interval=1m&table=yes").body; !strings.Contains(table, "<th scope=\"col\">Known</th>") {
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
		c := openConsole(t, simulator.Options{Rules: []simulator.FaultRule{{Fault: fault, Every: 1, Delay: late}}})
		began := time.Now()
		page := c.browser.get("/console/markets/BTCUSDT_SPBL")
		if took := time.Since(began); took > late {
			t.Errorf("%s: the page took %v", fault, took)
		}
		for !strings.Contains(page.body, words) && strings.Contains(page.body, reading) && time.Since(began) < 2*late {
			page = c.browser.get("/console/markets/BTCUSDT_SPBL")
		}
		if !strings.Contains(page.body, words) {
			t.Errorf("%s: status %d, and the page does not say %q", fault, page.StatusCode, words)
		}
		for _, none := range []string{"No open orders", "No fills, as of", "lists no trade of this pair"} {
			if strings.Contains(page.body, none) {
				t.Errorf("%s: what is not known is shown as none: %s", fault, none)
			}
		}
		if home := c.browser.get("/console").body; strings.Contains(home, "lists no bills") || strings.Contains(home, "lists no transfers") {
			t.Errorf("%s: on the overview, what is not known is shown as none", fault)
		}
	}
}
