package money_test

import (
	"context"
	"html"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// market is the complete pipeline from a simulated exchange to the pages, with one clock.
type market struct {
	testing.TB
	at   atomic.Int64 // in milliseconds
	zone *time.Location
	sim  *simulator.Simulator
	col  *collector.Collector
	*reports.Service
	address string
	samples []quoted // prices of the exchange, oldest first
}

// quoted is the price of a coin at an instant.
type quoted struct {
	coin  affiliate.Coin
	at    time.Time
	price affiliate.Number
}

func (m *market) now() time.Time { return time.UnixMilli(m.at.Load()).UTC() }

func newMarket(t *testing.T, zone string, begin time.Time) *market {
	t.Helper()
	return newMarketOf(t, zone, begin, simulator.Options{Seed: 8, Days: 6, Invitees: 30, Records: 400})
}

// newMarketOf returns a market with a separate programme that is completely collected.
func newMarketOf(t *testing.T, zone string, begin time.Time, programme simulator.Options) *market {
	t.Helper()
	m := &market{TB: t}
	m.at.Store(begin.UnixMilli())
	var err error
	if m.zone, err = time.LoadLocation(zone); err != nil {
		t.Fatal(err)
	}
	programme.Now, programme.RateLimit = m.now, -1
	m.sim = simulator.New(programme)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", m.now().Format(http.TimeFormat))
		m.sim.ServeHTTP(w, r)
	}))
	t.Cleanup(upstream.Close)
	st, err := store.Open(context.Background(), storetest.Empty(t), store.Options{Zone: m.zone, Now: m.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	m.col = collector.New(collector.Options{
		Store: st, History: time.Duration(programme.Days+1) * 24 * time.Hour, Every: time.Hour, Now: m.now, Market: m.dial(upstream.URL),
		Accounts: []collector.Target{{Name: "main", Source: m.dial(upstream.URL)}},
	})
	m.Service = reports.New(st, m.now)
	m.address, _ = site.Serve(t, web.Options{Reports: m.Service, Zone: m.zone})
	return m
}

func (m *market) dial(url string) *weex.Client {
	m.Helper()
	keys := m.sim.Credentials()
	client, err := weex.New(exchange.Config{
		BaseURL: url, Key: keys.APIKey, Secret: keys.APISecret, Passphrase: keys.APIPassphrase,
		Budget: exchange.NewBudget(1_000_000), Now: m.now,
	})
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(client.Close)
	return client
}

// collect collects once and notes the expected sample of this hour.
func (m *market) collect() {
	m.Helper()
	m.run(collector.RunRequest{})
}

func (m *market) run(request collector.RunRequest) {
	m.Helper()
	report, err := m.col.Collect(context.Background(), request)
	if err != nil || !report.Complete {
		m.Fatalf("the run is not complete: %+v (%v)", report, err)
	}
	for _, coin := range []affiliate.Coin{"BTC", "ETH", "USDC"} {
		if price := m.sim.Price(string(coin) + "USDT_SPBL"); price.Known() {
			m.samples = append(m.samples, quoted{coin, m.now(), price})
		}
	}
}

func (m *market) collectAfter(d time.Duration) {
	m.at.Add(d.Milliseconds())
	m.collect()
}

// value returns the ledger's commission of some reporting days in USDT, computed from
// every record and every sample.
func (m *market) value(days affiliate.Days) *big.Rat {
	total := new(big.Rat)
	for _, c := range m.sim.Ledger().Commissions {
		day := affiliate.DayOf(c.DealTime.Time(), m.zone)
		if days.Contains(day) {
			total.Add(total, new(big.Rat).Mul(m.rat(c.Commission), m.rateOf(c.Coin, day)))
		}
	}
	return total
}

func (m *market) rateOf(coin affiliate.Coin, day affiliate.Day) *big.Rat {
	if coin == "USDT" {
		return big.NewRat(1, 1)
	}
	of := slices.DeleteFunc(slices.Clone(m.samples), func(q quoted) bool { return q.coin != coin })
	rate := of[0].price
	for _, q := range of {
		if affiliate.DayOf(q.at, m.zone) <= day {
			rate = q.price
		}
	}
	return m.rat(rate)
}

func (m *market) rat(n affiliate.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		m.Fatalf("%q is not a number", n)
	}
	return r
}

func (m *market) overview(days affiliate.Days) figures.ValuedFigure {
	m.Helper()
	basis, err := m.Basis(context.Background())
	if err != nil {
		m.Fatal(err)
	}
	q, err := query.Parse(map[string][]string{"from": {days.First.String()}, "to": {days.Last.String()}, "compare": {"previous"}}, basis)
	if err != nil {
		m.Fatal(err)
	}
	view, err := reports.Ask(context.Background(), m.Service, q, overview.Make)
	if err != nil {
		m.Fatal(err)
	}
	return view.Valued
}

// From the exchange's tickers to the page, the programme's commission is valued at the
// prices of each day.
func TestConvertedTotal(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, time.September, 15, 10, 30, 0, 0, time.UTC)
	for _, zone := range []string{"UTC", "Asia/Kathmandu"} {
		t.Run(zone, func(t *testing.T) {
			m := newMarket(t, zone, begin)
			m.collect()
			today := affiliate.DayOf(begin, m.zone)
			for _, hours := range []time.Duration{5, 3, 2, 14, 25} { // past midnight twice in both zones
				m.sim.Insert(affiliate.Commission{
					DealTime: affiliate.MillisOf(m.now()), UID: "4667776811", Product: affiliate.Spot, Source: affiliate.Direct,
					Symbol: "BTCUSDT_SPBL", Coin: "BTC", TakerAmount: "1", MakerAmount: "0", Fee: "0.5", Rate: "0.1", Commission: "0.05123456789",
				})
				m.collectAfter(hours * time.Hour)
			}
			for _, days := range []affiliate.Days{{First: today - 5, Last: today + 2}, {First: today, Last: today + 1}, {First: today - 3, Last: today - 2}} {
				got := m.overview(days)
				if want := m.value(days); m.rat(affiliate.Number(got.Total.String())).Cmp(want) != 0 {
					t.Errorf("%s to %s are worth %s, want %s", days.First, days.Last, got.Total, want.FloatString(30))
				}
			}
			for _, c := range m.overview(affiliate.Days{First: today, Last: today + 1}).Coins {
				if c.Sum.Coin == "BTC" && (c.Span().Count < 2 || c.Days[0].Price == c.Days[1].Price) {
					t.Errorf("two days have the same rate: %+v", c.Days)
				}
			}
		})
	}
}

// The page names each rate with its time and its source, and has no such note without a
// rate.
func TestConvertedTotalOnPages(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "UTC", time.Date(2026, time.September, 15, 10, 30, 0, 0, time.UTC))
	price := string(m.sim.Price("BTCUSDT_SPBL"))
	words := "× " + affiliate.Grouped(price) + " USDT (spot ticker, 15 Sep 2026 10:30 UTC)"
	m.sim.Insert(affiliate.Commission{
		DealTime: affiliate.MillisOf(m.now().Add(-2 * time.Hour)), UID: "1", Product: affiliate.Spot, Source: affiliate.Direct,
		Symbol: "x", Coin: "XYZ", TakerAmount: "1", MakerAmount: "0", Fee: "0.5", Rate: "0.1", Commission: "12.5",
	})
	m.collect()
	for _, path := range []string{"/?range=7d", "/commissions?range=7d"} {
		page := html.UnescapeString(site.Get(t, m.address+path).Body)
		for _, want := range []string{words, "so the first known price is used", "Without 12.5 XYZ: no price is known."} {
			if !strings.Contains(page, want) {
				t.Errorf("%s does not say %q", path, want)
			}
		}
	}
	for _, path := range []string{"/?range=7d&coin=USDT", "/commissions?range=7d&coin=USDT", "/?range=7d&coin=XYZ", "/?as_of=2026-09-15T10:29:00Z"} {
		if a := site.Get(t, m.address+path); a.StatusCode != 200 || strings.Contains(a.Body, "Converted to") || strings.Contains(a.Body, ", converted") {
			t.Errorf("%s (status %d) shows a converted total without other coins", path, a.StatusCode)
		}
	}
	if a := site.Get(t, m.address+"/?range=today&compare=previous"); !strings.Contains(a.Body, "cannot be told: a coin of one of the periods has no price") {
		t.Error("a comparison with a coin without a rate is not refused")
	}
}

func TestBrowserConvertedTotal(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "UTC", time.Date(2026, time.September, 15, 10, 30, 0, 0, time.UTC))
	m.collect()
	m.collectAfter(26 * time.Hour)
	for _, path := range []string{"/?range=7d&compare=previous", "/commissions?range=7d"} {
		b := site.Open(t, m.address+path, site.Desktop)
		b.Until(`document.getElementById("valued") !== null`)
		b.Until(site.Drawn)
		b.Looks("converted")
	}
}
