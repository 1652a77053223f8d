package money_test

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	prices "rebatedesk/market"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// A record of October whose fee cannot be read is named on the pages with field, value and reason.
// Its day is incomplete, its month cannot be closed, and the sums are those of all other records,
// until the exchange sends it right.
func TestQuarantineOnPages(t *testing.T) {
	t.Parallel()
	s := site.OpenClosing(t)
	manager := s.As("mia", access.Manager)
	list := slices.DeleteFunc(s.Exchange.Sim.Ledger().Commissions, func(c affiliate.Commission) bool { return !site.InOctober(c) || c.Coin != "USDT" })
	good := slices.MaxFunc(list, func(a, b affiliate.Commission) int { return cmp.Compare(a.DealTime, b.DealTime) })
	good.DealTime -= 60_000
	bad := good
	bad.Fee, bad.Commission = "12,50", "5.000000000000000001"
	s.Exchange.Sim.Insert(bad)
	report := s.CollectOddly()
	day := affiliate.DayOf(bad.DealTime.Time(), time.UTC).String()
	const reason = `fee "12,50" is not a decimal number of at most 20 digits and 18 decimals`
	if len(report.Incomplete) != 1 || report.Incomplete[0].From != day || report.Incomplete[0].To != day || report.Incomplete[0].Error != "1 record could not be read: "+reason {
		t.Fatalf("incomplete: %+v", report.Incomplete)
	}
	want := s.Earned()
	want["USDT"].Sub(want["USDT"], ratOf(t, string(bad.Commission))) // the record itself is in no figure

	const october = "?from=2026-10-01&to=2026-10-31"
	for path, texts := range map[string][]string{
		"/collection":                        {"Records in quarantine", `fee "12,50" is not a decimal number`, `"commission":"5.000000000000000001"`, "1 partly unreadable", "1 record in quarantine"},
		"/attention":                         {"1 record of the exchange could not be read", `Fee "12,50" is not a decimal number`, "See the records"},
		"/commissions" + october:             {"Complete but for 1 record that could not be read", "1 record that could not be read)"},
		"/" + october:                        {"1 record that could not be read"},
		"/months/2026-10":                    {"cannot be closed", reason},
		"/payments" + october + "&coin=USDT": {"1 record that could not be read"},
	} {
		page := manager.Get(path)
		for _, text := range texts {
			if shown := site.Words(page.Body); page.StatusCode != 200 || !strings.Contains(shown, text) {
				t.Errorf("%s: status %d, does not say %q", path, page.StatusCode, text)
			}
		}
	}
	sums := func() (map[string]*big.Rat, string) {
		t.Helper()
		file := manager.Get("/commissions.csv" + october)
		rows, err := csv.NewReader(strings.NewReader(file.Body)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]*big.Rat{}
		coin, commission := slices.Index(rows[0], "coin"), slices.Index(rows[0], "commission")
		for _, row := range rows[1:] {
			if all[row[coin]] == nil {
				all[row[coin]] = new(big.Rat)
			}
			all[row[coin]].Add(all[row[coin]], ratOf(t, row[commission]))
		}
		return all, file.Header.Get("Content-Disposition")
	}
	got, name := sums()
	alike(t, "with a record in quarantine", got, want)
	if !strings.Contains(name, `"incomplete-commissions`) {
		t.Errorf("the file is called %s", name)
	}

	if !s.Exchange.Sim.Remove(bad) {
		t.Fatal("the exchange did not change")
	}
	good.Fee, good.Commission = "12.50", bad.Commission
	s.Exchange.Sim.Insert(good)
	s.CollectAgain()
	got, name = sums()
	alike(t, "after the exchange sent it right", got, s.Earned())
	if strings.Contains(name, "incomplete-") {
		t.Errorf("the file is called %s", name)
	}
	for path, texts := range map[string][]string{"/collection": {"Records in quarantine", "partly unreadable, "}, "/attention": {"could not be read"}, "/commissions" + october: {"could not be read"}} {
		page := site.Words(manager.Get(path).Body)
		for _, text := range texts {
			if strings.Contains(page, text) {
				t.Errorf("%s still says %q", path, text)
			}
		}
	}
}

// A record of an earlier month that cannot be read leaves the forecast its history.
func TestQuarantineLeavesTheForecast(t *testing.T) {
	t.Parallel()
	s := site.OpenClosingOf(t, simulator.Options{Seed: 7, Days: 150, Invitees: 30, Records: 2500})
	reader := s.As("mia", access.Manager)
	forecast := func() (answer struct{ Expected, Low, High string }) {
		t.Helper()
		a := reader.Get("/forecast.json?month=" + site.Now.Format("2006-01") + "&coin=USDT")
		if err := json.Unmarshal([]byte(a.Body), &answer); err != nil || a.StatusCode != http.StatusOK || answer.Expected == "" {
			t.Fatalf("status %d, %v: %s", a.StatusCode, err, a.Body)
		}
		return answer
	}
	before := forecast()
	bad := s.Exchange.Sim.Ledger().Commissions[0]
	bad.DealTime, bad.Product, bad.Coin, bad.Fee, bad.Commission = affiliate.MillisOf(site.Now.AddDate(0, 0, -40)), affiliate.Spot, "USDT", "12,50", "5"
	s.Exchange.Sim.Insert(bad)
	report, err := s.Exchange.Collector.Collect(t.Context(), collector.RunRequest{Since: affiliate.DayOf(site.Now, time.UTC) - 60})
	if err != nil || report.Complete || len(report.Incomplete) != 1 {
		t.Fatalf("the run is %+v (%v)", report, err)
	}
	if after := forecast(); after != before {
		t.Errorf("the forecast was %+v and is %+v", before, after)
	}
}

// One dirty row of a market list, of bills or of transfers blanks no other row of the console, and is
// named.
func TestDirtyRowsOfTheConsole(t *testing.T) {
	t.Parallel()
	sim := simulator.New(simulator.Options{Seed: 7, Days: 40, Invitees: 20, Records: 300, RateLimit: -1, Now: site.ClockAtNow})
	dirt := map[string][2]string{ // in the first occurrence of the text
		"/api/v2/market/tickers":          {`"lastPrice":"`, `"lastPrice":"1E1000000000`},
		"/api/v2/public/exchangeInfo":     {`"tickSize":"`, `"tickSize":"x`},
		"/api/v2/public/currencies":       {`"coinName":"`, `"coinName":"\u0000`},
		"/api/v2/market/fills":            {`"fillPrice":"`, `"fillPrice":"x`},
		"/capi/v2/market/tickers":         {`"last":"`, `"last":"x`},
		"/api/v2/account/bills":           {`"deltaAmount":"`, `"deltaAmount":"x`},
		"/api/v2/account/fundingBills":    {`"deltaAmount":"`, `"deltaAmount":"x`},
		"/api/v2/account/transferRecords": {`"amount":"`, `"amount":"x`},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		sim.ServeHTTP(recorder, r)
		body := recorder.Body.String()
		if change, dirty := dirt[r.URL.Path]; dirty {
			if !strings.Contains(body, change[0]) {
				t.Errorf("%s has no %s: %.200s", r.URL.Path, change[0], body)
			}
			body = strings.Replace(body, change[0], change[1], 1)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(recorder.Code)
		if _, err := w.Write([]byte(body)); err != nil {
			t.Log(err)
		}
	}))
	t.Cleanup(server.Close)
	keys := sim.Credentials()
	client, err := weex.New(exchange.Config{BaseURL: server.URL, ContractBaseURL: server.URL, Key: keys.APIKey, Secret: keys.APISecret, Passphrase: keys.APIPassphrase,
		Budget: exchange.NewBudget(1 << 30), Now: site.ClockAtNow, Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	desk := &site.ConsoleSite{Site: site.OpenSite(t, web.Options{Console: &site.ConsoleExchange{Upstream: client}})}
	desk.AddUser("theo", access.Trader)
	browser := desk.SignedInAs("theo")
	desk.Enrol(browser)
	browser.Get("/account")
	for path, want := range map[string][]string{
		"/console/markets":                        {"1 pair could not be read completely: BTC/USDT: tickSize", "1 ticker could not be read completely: BTC/USDT: lastPrice", "1E1000000000", "ETHUSDT_SPBL"},
		"/console/currencies":                     {"1 coin could not be read completely:", "coinName", "USDT"},
		"/console/contracts":                      {"1 contract could not be read completely:", "cmt_ethusdt"},
		"/console/bills?limit=5":                  {"1 bill could not be read completely:", "deltaAmount", "5 bills, as of"},
		"/console/funding?pageSize=3&pageIndex=1": {"1 bill could not be read completely:", "deltaAmount", "3 funding bills, as of"},
		"/console/transfers?limit=4":              {"1 transfer could not be read completely:", "amount", "4 transfers, as of"},
		"/console/markets/BTCUSDT_SPBL?limit=7":   {"1 trade could not be read completely:", "fillPrice", "7 trades, as of"},
	} {
		page := browser.Get(path)
		for _, text := range want {
			if !strings.Contains(site.Words(page.Body), text) && !strings.Contains(page.Body, text) || page.StatusCode != 200 {
				t.Errorf("%s: status %d, does not say %q: %.600s", path, page.StatusCode, text, site.Words(page.Body))
			}
		}
	}

	// The page of a pair that is open all day has the trades of the feed.
	kept, err := store.Open(t.Context(), storetest.Empty(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	console := &site.ConsoleExchange{Upstream: client}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	feed := site.OpenFeed(t, prices.Options{Accounts: console.Names, Client: console.Client, Store: kept})
	live := &site.ConsoleSite{Site: site.OpenSite(t, web.Options{Console: console, Market: feed})}
	live.AddUser("theo", access.Trader)
	browser = live.SignedInAs("theo")
	live.Enrol(browser)
	browser.Get("/account")
	site.Soon(t, "the page of a pair names the trade that could not be read", func() bool {
		page := site.Words(browser.Get("/console/markets/BTCUSDT_SPBL").Body)
		_, trades, _ := strings.Cut(page, "1 trade could not be read completely:")
		return strings.Contains(trades, "fillPrice") && strings.Contains(trades, "What could not be read is in no candle.")
	})
}

// A user who may see some invitees only is told that a day is incomplete, and nothing of the record
// that could not be read: it may be of another invitee.
func TestQuarantineTellsABoundUserNothing(t *testing.T) {
	t.Parallel()
	everyone := func(affiliate.Account, affiliate.UID) bool { return true }
	d := site.OpenSharedDesk(t, everyone, affiliate.Binding{By: affiliate.BoundByTag, Name: "harbour"})
	day := affiliate.NewDay(2026, time.May, 27)
	through := affiliate.MillisOf(storetest.SharedNow)
	read := affiliate.Quarantined[affiliate.Commission]{
		Record: affiliate.Commission{UID: "49317702"}, Field: "fee", Value: `"canary"`, Reason: "is a canary", Raw: `{"uid":"49317702","fee":"canary"}`,
	}
	_, err := records.ReplaceCommissions(t.Context(), d.Store, records.Slice{
		Account: "main", Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}, Days: affiliate.Days{First: day, Last: day}, Through: through, Started: storetest.SharedNow,
		Quarantine: []records.QuarantineRow{records.QuarantineRowOf(day, read, false)},
	}, nil)
	storetest.Done(t, err)
	told := false
	for _, path := range []string{"/", "/commissions", "/commissions.json", "/invitees", "/codes", "/drivers", "/pivot", "/attention", "/payments", "/months", "/collection", "/forecast", "/worklist"} {
		page := d.Get(path + "?from=2026-05-25&to=2026-06-02")
		if strings.Contains(page.Body, "canary") || strings.Contains(page.Body, "49317702") {
			t.Errorf("%s shows what could not be read", path)
		}
		told = told || strings.Contains(site.Words(page.Body), "something of the day could not be read") || strings.Contains(site.Words(page.Body), "could not be read")
	}
	if !told {
		t.Error("nothing says that the day is incomplete")
	}
}
