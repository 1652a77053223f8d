package console_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports"
	"rebatedesk/web"
)

// While a range is being read, a kind that is not documented may still occur in it. Once it is read,
// the progress makes the page load again, which refuses a kind that does not occur with those that do.
func TestKindThatIsNotKnownWhileARangeIsRead(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{Rules: []simulator.FaultRule{{Fault: simulator.Slow, Path: "/account/bills", Every: 1, Limit: 1, Delay: 3 * time.Second}}})
	const address = "/console/bills?range=90d&type=rr_lottery"
	if a := c.Browser.Get(address); a.StatusCode != 200 || !strings.Contains(a.Body, "Reading the range") {
		t.Fatalf("before anything is known: status %d", a.StatusCode)
	}
	var last site.Answer
	for range 40 {
		last = c.Browser.Get(address, "HX-Request", "true", "HX-Target", "reading-now")
		if !strings.Contains(last.Body, "Reading the range") {
			break
		}
	}
	if last.StatusCode != 200 || last.Header.Get("HX-Refresh") != "true" || last.Body != "" {
		t.Errorf("the progress answers with status %d, HX-Refresh %q and %d bytes", last.StatusCode, last.Header.Get("HX-Refresh"), len(last.Body))
	}
	if a := c.Browser.Get(address); a.StatusCode != 400 || !strings.Contains(a.Body, "is none of ") || !strings.Contains(a.Body, "rr_agent_reward") {
		t.Errorf("the page that is loaded again: status %d", a.StatusCode)
	}
}

// A kind that nobody documented is shown, summed and filtered by the word of the exchange as soon as
// it occurs, also on a page that was opened before.
func TestKindThatIsNewSinceThePageWasOpened(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	var changed atomic.Bool
	base, err := url.Parse(c.Sim.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	relay := httputil.NewSingleHostReverseProxy(base)
	relay.ModifyResponse = func(r *http.Response) error {
		body, err := io.ReadAll(r.Body)
		if changed.Load() {
			body = bytes.ReplaceAll(body, []byte(`"rr_agent_reward"`), []byte(`"rr_new_reward"`))
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		return err
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Accept-Encoding", "identity")
		relay.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	client, err := weex.New(exchange.Config{BaseURL: front.URL, ContractBaseURL: front.URL, Key: exchange.Secret(c.Sim.APIKey), Secret: exchange.Secret(c.Sim.APISecret),
		Passphrase: exchange.Secret(c.Sim.APIPassphrase), Budget: exchange.NewBudget(1 << 30), Now: site.ClockAtNow, Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	c.Browser.Address, _ = site.Serve(t, web.Options{Reports: reports.New(c.Store, c.Now), Access: c.Access, Console: &site.ConsoleExchange{Upstream: client}, Trading: c.Desk})
	const address = "/console/bills?from=2020-01-01"
	if a := c.Browser.Get(address); a.StatusCode != 200 || strings.Contains(a.Body, "rr_new_reward") {
		t.Fatalf("status %d", a.StatusCode)
	}
	if a := c.Browser.Get(address + "&type=rr_new_reward"); a.StatusCode != 400 {
		t.Errorf("before it occurs: status %d", a.StatusCode)
	}
	changed.Store(true)
	again := address + "&again=" + strconv.FormatInt(time.Now().UnixMilli(), 10)
	page := c.Browser.Get(again)
	for range 40 {
		if !strings.Contains(page.Body, "Reading the range") {
			break
		}
		page = c.Browser.Get(again)
	}
	if page.StatusCode != 200 || !strings.Contains(page.Body, `<option value="rr_new_reward"`) || !strings.Contains(page.Body, "type=rr_new_reward") {
		t.Errorf("once it occurs: status %d, and the page does not offer it", page.StatusCode)
	}
	if a := c.Browser.Get(address + "&type=rr_new_reward"); a.StatusCode != 200 || !strings.Contains(a.Body, "rr_new_reward") || strings.Contains(a.Body, "No bills") {
		t.Errorf("narrowed to it: status %d", a.StatusCode)
	}
}
