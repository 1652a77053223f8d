package collector_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// tickersPath is the path of the tickers of all spot pairs (4.3).
const tickersPath = "/api/v2/market/tickers"

// rateFixture is a fixture whose collector samples rates; it counts the calls for
// tickers and lets a test answer them.
type rateFixture struct {
	*fixture
	asked  atomic.Int64
	answer atomic.Pointer[string] // instead of the simulator's; empty: HTTP 500
}

func newRateFixture(t *testing.T, coins ...affiliate.Coin) *rateFixture {
	t.Helper()
	d := &rateFixture{fixture: newFixture(t, simulator.Options{Seed: 5, Days: 2, Invitees: 1})}
	for _, coin := range coins {
		d.earn(coin)
	}
	d.answers(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != tickersPath {
			return false
		}
		d.asked.Add(1)
		body := d.answer.Load()
		switch {
		case body == nil:
			return false
		case *body == "":
			http.Error(w, `{"code":"40015","msg":"System is abnormal"}`, http.StatusInternalServerError)
		default:
			if _, err := w.Write([]byte(*body)); err != nil {
				t.Error(err)
			}
		}
		return true
	})
	d.Collector = collector.New(d.options())
	d.SetAfter(d.clock.after)
	return d
}

func (d *rateFixture) options() collector.Options {
	return collector.Options{
		Store: d.store, Accounts: []collector.Target{{Name: "main", Source: d.client}}, History: d.history,
		Now: d.clock.now, Every: 15 * time.Minute, Market: d.dial(nil),
	}
}

// earn adds a commission in a coin.
func (d *rateFixture) earn(coin affiliate.Coin) {
	d.sim.Insert(affiliate.Commission{
		DealTime: affiliate.MillisOf(start.Add(-2 * time.Hour)), UID: "4667776811", Product: affiliate.Spot, Source: affiliate.Direct,
		Symbol: "BTCUSDT_SPBL", Coin: coin, TakerAmount: "1", MakerAmount: "0", Fee: "0.1", Rate: "0.1", Commission: "0.01",
	})
}

// tickers is an answer with the given records.
func tickers(records string) *string {
	body := `{"code":"00000","msg":"success","requestTime":` + millisText(start) + `,"data":[` + records + `]}`
	return &body
}

func millisText(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// rate is the newest rate of a coin; unknown where there is none.
func (d *rateFixture) rate(coin affiliate.Coin) records.Rate {
	d.Helper()
	r := d.reader()
	defer r.Close()
	day := affiliate.DayOf(d.clock.now(), time.UTC)
	rates, err := records.Rates(context.Background(), r, coin, collector.RateQuote, []affiliate.Day{day}, 0)
	if err != nil {
		d.Fatal(err)
	}
	return rates[day]
}

func (d *rateFixture) wantAsked(n int64) {
	d.Helper()
	if got := d.asked.Load(); got != n {
		d.Errorf("tickers were requested %d times, want %d", got, n)
	}
}

func TestRatesAreSampledHourly(t *testing.T) {
	storetest.Engines(t, "statements about rates", testRatesAreSampledHourly)
}

func testRatesAreSampledHourly(t *testing.T) {
	d := newRateFixture(t, "BTC", "ETH", "USDT", "XYZ")
	report := d.run(collector.RunRequest{Cause: "command"})
	if besides := d.sim.Stats().All() - 1; report.Requests != int64(besides) {
		t.Errorf("the run says %d requests, the exchange had %d besides the tickers", report.Requests, besides)
	}
	at := affiliate.MillisOf(start)
	for _, coin := range []affiliate.Coin{"BTC", "ETH"} {
		symbol := string(coin) + "USDT_SPBL"
		want := records.Rate{Coin: coin, Quote: "USDT", Price: d.sim.Price(symbol), At: at, Source: "spot ticker", Symbol: symbol}
		got := d.rate(coin)
		want.Sampled = got.Sampled
		if got != want || !got.Sampled.Known() {
			t.Errorf("sampled %+v, want %+v", got, want)
		}
	}
	for _, coin := range []affiliate.Coin{"USDT", "XYZ", "SOL"} { // the quote itself, no pair, no commission
		if got := d.rate(coin); got.Price.Known() {
			t.Errorf("%s has the rate %+v", coin, got)
		}
	}
	d.clock.advance(15 * time.Minute) // 10:45, the same hour
	d.run(collector.RunRequest{})
	d.wantAsked(1)
	before := d.rate("BTC").Price
	d.clock.advance(15 * time.Minute) // 11:00
	d.run(collector.RunRequest{})
	d.wantAsked(2)
	if after := d.rate("BTC"); after.Price == before || after.At != affiliate.MillisOf(start.Add(30*time.Minute)) {
		t.Errorf("after an hour the rate is %+v, before it was %s", after, before)
	}
}

// A coin that turns up later does not wait for the next hour.
func TestRatesOfANewCoin(t *testing.T) {
	d := newRateFixture(t, "USDT")
	d.run(collector.RunRequest{})
	d.wantAsked(0)
	d.earn("BTC")
	d.run(collector.RunRequest{})
	d.wantAsked(1)
	if !d.rate("BTC").Price.Known() {
		t.Error("BTC has no rate")
	}
}

func TestBadTickersAreRefused(t *testing.T) {
	now, old := millisText(start), millisText(start.Add(-2*time.Hour))
	ticker := func(price, ts string) string {
		return `{"symbol":"BTCUSDT_SPBL","lastPrice":` + price + `,"ts":` + ts + `},{"symbol":"ETHUSDT_SPBL","lastPrice":"3100.5","ts":` + now + `}`
	}
	for name, records := range map[string]string{
		"zero":           ticker(`"0.00"`, now),
		"negative":       ticker(`"-61240.1"`, now),
		"none":           ticker(`null`, now),
		"empty":          ticker(`""`, now),
		"without a time": ticker(`"61240.1"`, `null`),
		"of the past":    ticker(`"61240.1"`, old),
		"words":          ticker(`"absurd"`, now),
		"not a number":   ticker(`"NaN"`, now),
		"endless":        ticker(`"`+strings.Repeat("9", 1000)+`"`, now),
	} {
		t.Run(name, func(t *testing.T) {
			d := newRateFixture(t, "BTC", "ETH")
			d.answer.Store(tickers(records))
			d.run(collector.RunRequest{})
			if got := d.rate("BTC"); got.Price.Known() {
				t.Errorf("stored %+v", got)
			}
			if got := d.rate("ETH").Price; got != "3100.5" {
				t.Errorf("the ticker next to it is stored as %q", got)
			}
			d.wantAsked(1)
		})
	}
}

// Prices that are unavailable neither fail a run nor strain the exchange, and are read as
// soon as they are available again.
func TestRatesThatFail(t *testing.T) {
	d := newRateFixture(t, "BTC")
	d.answer.Store(new(string))
	d.run(collector.RunRequest{})
	d.clock.advance(2 * time.Minute)
	d.run(collector.RunRequest{})
	d.wantAsked(1)
	d.clock.advance(3 * time.Minute)
	d.answer.Store(nil)
	d.run(collector.RunRequest{})
	d.wantAsked(2)
	if !d.rate("BTC").Price.Known() {
		t.Error("BTC has no rate")
	}
}

// An exchange that is down is left to the runs.
func TestRatesWaitForTheExchange(t *testing.T) {
	d := newRateFixture(t, "BTC")
	d.run(collector.RunRequest{})
	d.clock.advance(time.Hour)
	tickersAsked := d.ahead.Load()
	d.answers(func(w http.ResponseWriter, r *http.Request) bool {
		if (*tickersAsked)(w, r) {
			return true
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	if _, err := d.Collect(context.Background(), collector.RunRequest{}); err == nil {
		t.Fatal("the run did not notice that the exchange is down")
	}
	d.wantAsked(1)
	d.answers(*tickersAsked)
	d.run(collector.RunRequest{})
	d.wantAsked(2)
}

// Serve samples between its runs too, even if these are rare.
func TestServeSamplesRates(t *testing.T) {
	d := newRateFixture(t, "BTC")
	d.run(collector.RunRequest{})
	d.SetLook(time.Millisecond)
	ctx, stop := context.WithCancel(context.Background())
	idle := make(chan struct{}, 1)
	d.SetAfter(func(time.Duration) <-chan time.Time {
		idle <- struct{}{}
		return nil
	})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.Serve(ctx)
	}()
	<-idle // the first run is over, and no other will come
	d.wantAsked(1)
	d.clock.advance(time.Hour)
	eventually(t, "a sample in the next hour", func() bool { return d.rate("BTC").At >= affiliate.MillisOf(start.Add(time.Hour)) })
	stop()
	<-ended
	d.wantAsked(2)
}
