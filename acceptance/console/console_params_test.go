package console_test

import (
	"html"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/exchange/weex/simulator"
)

// Every parameter of a page of the console has an effect or is refused with the values that are
// allowed: none is ignored silently.
func TestConsoleParametersHaveAnEffect(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	for address, words := range map[string]string{
		"/console/markets?sort=bogus":                           "is none of change_percent, -change_percent",
		"/console/markets?marked=yes":                           "is none of only",
		"/console/markets/BTCUSDT_SPBL?ticket=bogus":            "is none of place, batch, trigger",
		"/console/markets/BTCUSDT_SPBL?table=maybe":             "is none of yes",
		"/console/markets/BTCUSDT_SPBL?limit=50&interval=1m":    "cannot be used here",
		"/console/contracts/cmt_btcusdt?limit=5":                "cannot be used here",
		"/console/orders?beyond=5&within=1":                     "no order would fit",
		"/console/orders?pair=cmt_btcusdt":                      "is no spot pair like BTC/USDT",
		"/console/intents?state=bogus":                          "is none of unknown",
		"/console/bills?type=bogus":                             "is none of ",
		"/console/bills.csv?type=bogus":                         "rr_agent_reward",
		"/console/funding?type=bogus":                           "withdraw_complete",
		"/console/transfers?type=bogus":                         "is none of ",
		"/console/fills?symbol=BTCUSDT&type=bogus":              "is none of buy, sell",
		"/console/ticket/check?kind=place&symbol=BTC%2FUSDT%21": "is no pair",
	} {
		if a := c.Browser.Get(address); a.StatusCode != 400 || !strings.Contains(html.UnescapeString(a.Body), words) {
			t.Errorf("%s: status %d, and the answer does not say %q", address, a.StatusCode, words)
		}
	}
	for address, want := range map[string]int{"?limit=1": 1, "?limit=500": 500, "?limit=1000": 1000} {
		a := c.Browser.Get("/console/markets/" + site.Spot + address)
		if n := strings.Count(a.Body, `<tr`) - 1; a.StatusCode != 200 || n != want {
			t.Errorf("%s: status %d, %d trades, want %d", address, a.StatusCode, n, want)
		}
	}
	// Any coin is possible, so one that does not occur is said to be missing, with those that do.
	for address, words := range map[string][]string{
		"/console/bills?range=90d&coin=USTD":      {"No bill of these days is in USTD.", `coin=USDT`, "Nearest:"},
		"/console/bills?range=90d&coin=USDT,NOPE": {"No bill of these days is in NOPE.", "By coin and kind"},
	} {
		a := c.Browser.Get(address)
		for _, want := range words {
			if a.StatusCode != 200 || !strings.Contains(a.Body, want) {
				t.Errorf("%s: status %d without %q", address, a.StatusCode, want)
			}
		}
	}
	if a := c.Browser.Get("/console/bills?type=launch_pad_airdrop_in&range=90d"); a.StatusCode != 200 || strings.Contains(a.Body, "is none of") {
		t.Errorf("a documented kind that does not occur: status %d", a.StatusCode)
	}
	c.Rest()
	for _, name := range []string{"BTCUSDT_SPBL", "btcusdt", "BTC/USDT", "btc-usdt"} {
		if a := c.Browser.Get("/console/orders?pair=" + name); !strings.Contains(a.Body, `data-mark`) {
			t.Errorf("%s: status %d without the open order", name, a.StatusCode)
		}
		if a := c.Browser.Get("/console/fills?symbol=" + name); strings.Contains(a.Body, "Nothing was asked") {
			t.Errorf("fills of %s: status %d", name, a.StatusCode)
		}
	}
}

// A pair that the exchange does not list says so, and is not followed from then on: the pages of
// all followed pairs stay complete.
func TestConsoleForgetsPairsThatAreNotListed(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	for _, address := range []string{"/console/fills?symbol=NOSUCHUSDT", "/console/orders?pair=NOSUCHUSDT"} {
		c.Browser.Get(address)
	}
	if a := c.Browser.Get("/console/orders?pair=NOSUCHUSDT"); !strings.Contains(a.Body, "does not list this pair") {
		t.Errorf("status %d, and the page does not say that the pair is not listed", a.StatusCode)
	}
	for _, address := range []string{"/console/orders", "/console/fills"} {
		if a := c.Browser.Get(address); a.StatusCode != 200 || strings.Contains(a.Body, "NOSUCH") {
			t.Errorf("%s: status %d, and it follows a pair that the exchange does not list", address, a.StatusCode)
		}
	}
}

// The page of a pair has the reader's favourites in reach, marks the pair with its star, and
// cancels an order where it is listed, after a review.
func TestMarketHasFavouritesAndCancels(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	c.Rest()
	page := c.Browser.Get("/console/markets/" + site.Spot).Body
	if !strings.Contains(page, "Mark this pair with the star") || !strings.Contains(page, `aria-label="Favourite BTC/USDT" aria-pressed="false"`) {
		t.Error("without a favourite the page does not say what the star is for")
	}
	for _, pair := range []string{site.Spot, "ETHUSDT_SPBL"} {
		c.Browser.Post("/console/favourites", "pair", pair, "on", "true")
	}
	page = c.Browser.Get("/console/markets/" + site.Spot + "?interval=5m").Body
	watched := site.Between(t, page, `id="market-watch"`, "</nav>")
	if !strings.Contains(watched, `href="/console/markets/ETHUSDT_SPBL?interval=5m"`) || strings.Count(watched, "%") != 2 || !strings.Contains(page, `aria-pressed="true"`) {
		t.Errorf("the favourites are not in reach with their prices: %s", watched)
	}
	live := c.Browser.Stream(marketStream)
	live.Until(t, "part", `id="market-watch"`, 10e9)
	button := site.Between(t, page, `name="cancel-one" value="`, `"`)
	form := site.Between(t, site.Between(t, page, `id="cancel-form"`, "</form>"), `name="form" value="`, `"`)
	review := c.Browser.Post("/console/trade", "form", form, "kind", "cancel", "account", "main", "cancel-one", button)
	send := site.SendField.FindStringSubmatch(review.Body)
	if send == nil || !strings.Contains(review.Body, "1 order, worth") {
		t.Fatalf("no review of the cancellation: status %d", review.StatusCode)
	}
	if n := len(c.Sim.Ledger().Orders); n == 0 || !strings.Contains(c.Browser.Get("/console/orders?pair="+site.Spot).Body, "data-mark") {
		t.Fatal("the order was cancelled before it was confirmed")
	}
	for range 2 { // the second changes nothing
		c.Browser.Post(send[1] + "/send")
	}
	if a := c.Browser.Get("/console/orders?pair=" + site.Spot); strings.Contains(a.Body, "data-mark") {
		t.Error("the order is still open")
	}
	c.AddUser("ada", "admin")
	ada := c.SignedInAs("ada")
	c.Enrol(ada)
	if page := ada.Get("/console/markets/" + site.Spot).Body; strings.Contains(page, `id="cancel-form"`) {
		t.Error("a reader who sends no orders has a form that cancels")
	}
}

// Rows of a spreadsheet are read as they are pasted; a number with separators of thousands is
// refused with the one that is meant, whatever separates the columns.
func TestPastedRows(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	check := func(rows string) string {
		form := f.FormOf(f.Theo.Get("/console/trade?kind=batch"))
		a := f.Theo.Post("/console/trade", "form", form, "kind", "batch", "account", "main", "symbol", "BTC/USDT", "orderList", rows)
		return html.UnescapeString(a.Body)
	}
	if page := check("side\ttype\tvalid\tprice\tquantity\r\nbuy\tlimit\tnormal\t\"" + f.Price(95) + "\"\t0.01\r\nsell\tmarket\t\t\t0.01\r\n"); !site.SendField.MatchString(page) {
		t.Error("pasted rows lead to no review")
	}
	for rows, words := range map[string]string{
		"buy\tlimit\tnormal\t61,000.50\t0.01":                                   "Row 1 has the number 61,000.50: write it without separators, 61000.50.",
		"buy\tlimit\tnormal\t" + f.Price(95) + "\t0.01\nbuy\tmarket\t\t\t1,000": "Row 2 has the number 1,000: write it without separators, 1000.",
		"buy limit normal 61,000.50 0.01":                                       "Row 1 cannot be read",
		"buy limit":                                                             "Row 1 cannot be read",
	} {
		if page := check(rows); !strings.Contains(page, words) || site.SendField.MatchString(page) {
			t.Errorf("%q is not refused with %q", rows, words)
		}
	}
}
