package console_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports"
	"rebatedesk/web"
)

// A range has each record once, as the ledger of the exchange does. Its sums are exact, its
// filters send nothing further, and what belongs to a record is one click away.
func TestConsoleRanges(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	c.Rest()
	// Nothing is collected: every record comes from the exchange.
	c.Browser.Address, _ = site.Serve(t, web.Options{Reports: reports.New(c.Store, c.Now), Access: c.Access, Console: &site.ConsoleExchange{Upstream: c.Upstream}, Trading: c.Desk})
	page := c.Browser.Get("/console/bills?from=2020-01-01")
	before := c.Sim.Stats().All()
	lines, err := csv.NewReader(strings.NewReader(c.Browser.Get("/console/bills.csv?from=2020-01-01").Body)).ReadAll()
	if err != nil || page.StatusCode != 200 {
		t.Fatal(page.StatusCode, err)
	}
	var all, listed affiliate.Sum
	count, want := 0, 0
	for _, b := range c.Sim.Ledger().Bills {
		if b.Wallet != affiliate.SpotWallet {
			continue
		}
		want++
		if b.Coin == "USDT" && b.Business == "rr_agent_reward" {
			count++
			all.Add(b.Amount)
		}
	}
	if got := len(lines) - 1; got != want || len(column(lines, 1)) != want+1 {
		t.Errorf("the file has %d bills, the ledger %d", got, want)
	}
	for _, line := range lines[1:] {
		if line[3] == "USDT" && line[2] == "rr_agent_reward" {
			listed.Add(affiliate.Number(line[4]))
		}
	}
	if count == 0 || all.String() != listed.String() || !strings.Contains(page.Body, affiliate.Grouped(all.String())) {
		t.Errorf("%d payouts of %s; the file has %s, or the page no such sum", count, &all, &listed)
	}
	for _, want := range []string{"Commission payout", `data-raw="rr_agent_reward"`, "Time (UTC)", "balance-chart", "Flows by kind per"} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	narrow := c.Browser.Get("/console/bills?from=2020-01-01&coin=USDT&type=rr_agent_reward&page=1&per=10").Body
	if strings.Contains(narrow, "<bdi>BTC</bdi></th>") || !strings.Contains(narrow, "Page 1 of ") {
		t.Error("coin and kind do not narrow the range")
	}
	if n := c.Sim.Stats().All(); n != before {
		t.Errorf("a file and a narrower view of a range just read sent %d requests", n-before)
	}
	moved := c.Browser.Get("/console/transfers?from=2020-01-01").Body
	at := strings.Index(moved, `/console/funding?at=`)
	if at < 0 {
		t.Fatal("a transfer does not lead to its two sides")
	}
	href, _, _ := strings.Cut(moved[at:], `"`)
	side := c.Browser.Get(strings.ReplaceAll(href, "&amp;", "&")).Body
	if !strings.Contains(side, "Transfer in") && !strings.Contains(side, "Transfer out") || !strings.Contains(side, "Within seconds of") {
		t.Errorf("%s does not show the other side", href)
	}
	empty := c.Browser.Get("/console/fills?" + url.Values{"symbol": {site.Spot}, "from": {"2020-01-01"}, "to": {"2020-01-02"}}.Encode())
	if empty.StatusCode != 200 || !strings.Contains(empty.Body, "No fills of BTC/USDT in these days") {
		t.Errorf("days without fills: status %d", empty.StatusCode)
	}
}

// While a long range is read, the page says how far it is; afterwards it has all of it.
func TestConsoleRangeProgress(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{Rules: []simulator.FaultRule{{Fault: simulator.Slow, Path: "/account/bills", Every: 1, Limit: 1, Delay: 3 * time.Second}}})
	first := c.Browser.Get("/console/bills?range=90d").Body
	if !strings.Contains(first, "Reading the range") || !strings.Contains(first, "so far") || strings.Contains(first, "No bills") {
		t.Error("the page does not say that it is being read")
	}
	for range 40 {
		if first = c.Browser.Get("/console/bills?range=90d").Body; !strings.Contains(first, "Reading the range") {
			break
		}
	}
	if !strings.Contains(first, "By coin and kind") {
		t.Error("the range is never read")
	}
}

// A reading that is stopped ends between two pages. The page says who ended it and what is known
// exactly, files say that they are incomplete, and it goes on where it was.
func TestConsoleRangeStops(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{Rules: []simulator.FaultRule{{Fault: simulator.Slow, Path: "/account/bills", Every: 1, Limit: 12, Delay: 300 * time.Millisecond}}})
	// Nothing is collected: every record comes from the exchange.
	c.Browser.Address, _ = site.Serve(t, web.Options{Reports: reports.New(c.Store, c.Now), Access: c.Access, Console: &site.ConsoleExchange{Upstream: c.Upstream}, Trading: c.Desk})
	const path = "/console/bills?from=2022-01-01"
	asked := func() (n int) {
		for path, calls := range c.Sim.Stats().Requests {
			if strings.HasSuffix(path, "/account/bills") {
				n += calls
			}
		}
		return n
	}
	page := c.Browser.Get(path).Body
	id := regexp.MustCompile(`name="reading" value="([a-z0-9]+)"`).FindStringSubmatch(page)
	if id == nil || !strings.Contains(page, "Stop here") {
		t.Fatal("the reading cannot be stopped")
	}
	if a := c.Browser.Post("/console/readings/stop", "reading", id[1]); a.StatusCode != 303 {
		t.Fatalf("status %d", a.StatusCode)
	}
	stopped := c.Browser.Get(path).Body
	before := asked()
	known := regexp.MustCompile(`Stopped by theo at [^:]+:\d\d:\d\d UTC: ([\d,]+) bills known, everything from ([^<]+) UTC on\.`).FindStringSubmatch(stopped)
	if known == nil {
		t.Fatal("the page does not say what is known")
	}
	since, err := time.Parse("2 Jan 2006 15:04:05", known[2])
	if err != nil {
		t.Fatal(err)
	}
	want, all := 0, 0
	for _, b := range c.Sim.Ledger().Bills {
		if b.Wallet == affiliate.SpotWallet {
			all++
			if !b.Created.Time().Before(since) {
				want++
			}
		}
	}
	file := c.Browser.Get(strings.Replace(path, "?", ".csv?", 1))
	lines, err := csv.NewReader(strings.NewReader(file.Body)).ReadAll()
	if err != nil || len(lines)-1 != want || known[1] != fmt.Sprint(want) {
		t.Errorf("since %v there are %d bills; the file has %d, the page says %s (%v)", since, want, len(lines)-1, known[1], err)
	}
	if name := file.Header.Get("Content-Disposition"); !strings.Contains(name, `filename="incomplete-`) {
		t.Errorf("the file does not say that it is incomplete: %s", name)
	}
	time.Sleep(700 * time.Millisecond)
	if n := asked(); n != before {
		t.Errorf("%d calls after the end", n-before)
	}
	on := regexp.MustCompile(`id="read-on"[^>]* href="([^"]+)"`).FindStringSubmatch(stopped)
	if on == nil {
		t.Fatal("the reading cannot go on")
	}
	for range 40 {
		if page = c.Browser.Get(html.UnescapeString(on[1])).Body; !strings.Contains(page, "Reading the range") {
			break
		}
	}
	lines, err = csv.NewReader(strings.NewReader(c.Browser.Get(strings.Replace(path, "?", ".csv?", 1)).Body)).ReadAll()
	if err != nil || len(lines)-1 != all || strings.Contains(page, "Stopped by") {
		t.Errorf("%d of %d bills once it went on (%v)", len(lines)-1, all, err)
	}
	resumed := asked()
	for range 40 {
		if page = c.Browser.Get(path + "&again=" + fmt.Sprint(time.Now().UnixMilli())).Body; !strings.Contains(page, "Reading the range") {
			break
		}
	}
	if whole := asked() - resumed; resumed > whole+1 {
		t.Errorf("with a pause in between there were %d calls, without one %d", resumed, whole)
	}
}
