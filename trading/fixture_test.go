package trading_test

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
	"rebatedesk/trading"
)

const (
	pair     = "BTCUSDT_SPBL"
	contract = "cmt_btcusdt"
)

var (
	start    = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	auditKey = bytes.Repeat([]byte{7}, 32)
	trader   = trading.Requester{Name: "mia", Via: "session", Address: "192.0.2.1"}
)

// fixture is a trading desk with its database and its exchange.
type fixture struct {
	testing.TB
	sim    *simulator.Simulator
	url    string
	path   string
	store  *store.Store
	reader *weex.Client
	sender *weex.Client
	desk   *trading.Desk
	kill   string
	after  atomic.Int64                                                  // ns since start
	answer atomic.Pointer[func(http.ResponseWriter, *http.Request) bool] // instead of the simulator
	dial   atomic.Pointer[func() error]                                  // fails connections of the sender

	mu      sync.Mutex
	orders  map[string]int       // requests that change something, by path
	tickers map[time.Time][]byte // answers, by their instant
}

func (f *fixture) now() time.Time { return start.Add(time.Duration(f.after.Load())) }

// openFixture opens the desk; change may set its options.
func openFixture(t testing.TB, change func(*trading.Options), rules ...simulator.FaultRule) *fixture {
	t.Helper()
	return openFixtureAt(t, storetest.Empty(t), change, rules...)
}

// openFixtureAt is openFixture with a database at a place.
func openFixtureAt(t testing.TB, place string, change func(*trading.Options), rules ...simulator.FaultRule) *fixture {
	t.Helper()
	f := &fixture{TB: t, orders: map[string]int{}, tickers: map[time.Time][]byte{}, path: place}
	f.kill = filepath.Join(t.TempDir(), "kill")
	f.sim = simulator.New(simulator.Options{
		Seed: 7, Days: 1, RateLimit: -1, Now: f.now, Rules: rules,
		Balances: map[affiliate.Coin]affiliate.Number{"USDT": "90000000", "BTC": "1000"},
	})
	server := httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(server.Close)
	f.url = server.URL
	f.reader, f.sender = f.client(0, nil), f.client(0, f.dialSender)
	f.store = openStore(t, f.path, f.now)
	f.open(change)
	return f
}

func (f *fixture) dialSender(ctx context.Context, network, address string) (net.Conn, error) {
	if fails := f.dial.Load(); fails != nil {
		return nil, (*fails)()
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

func openStore(t testing.TB, path string, now func() time.Time) *store.Store {
	t.Helper()
	st, err := store.Open(context.Background(), path, store.Options{Now: now, AuditKey: auditKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

func (f *fixture) open(change func(*trading.Options)) {
	f.Helper()
	if f.desk != nil && f.store.Shared() { // each process has a store of its own
		f.store = openStore(f, f.path, f.now)
	}
	f.desk = f.deskOn(f.store, change)
}

// deskOn opens a desk on a store of the fixture's database.
func (f *fixture) deskOn(st *store.Store, change func(*trading.Options)) *trading.Desk {
	f.Helper()
	o := trading.Options{
		Store: st, Mode: trading.Live, KillFile: f.kill, Now: f.now, Patience: 20 * time.Second,
		Accounts: func(name affiliate.Account) (trading.Venue, bool) {
			return trading.Venue{Reader: f.reader, Sender: f.sender}, name == "main"
		},
	}
	if change != nil {
		change(&o)
	}
	desk, err := trading.Open(context.Background(), o)
	if err != nil {
		f.Fatal(err)
	}
	return desk
}

func (f *fixture) client(timeout time.Duration, dial func(context.Context, string, string) (net.Conn, error)) *weex.Client {
	f.Helper()
	keys := f.sim.Credentials()
	c, err := weex.New(exchange.Config{
		BaseURL: f.url, Key: keys.APIKey, Secret: keys.APISecret, Passphrase: keys.APIPassphrase, Dial: dial,
		Budget: exchange.NewBudget(1 << 30), Backoff: time.Millisecond, BanWait: time.Millisecond, Now: f.now, Timeout: timeout, Tries: 2,
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(c.Close)
	return c
}

// serve counts the calls that change something and passes them to the simulator.
func (f *fixture) serve(w http.ResponseWriter, r *http.Request) {
	if ordering(r.URL.Path) {
		f.mu.Lock()
		f.orders[r.URL.Path]++
		f.mu.Unlock()
	}
	if answer := f.answer.Load(); answer != nil && (*answer)(w, r) {
		return
	}
	if strings.HasSuffix(r.URL.Path, "/market/tickers") {
		f.serveTickers(w, r)
		return
	}
	f.sim.ServeHTTP(w, r)
}

// serveTickers has the simulator make the tickers of an instant once: they are
// most of its work.
func (f *fixture) serveTickers(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := f.now()
	if f.tickers[at] == nil {
		made := httptest.NewRecorder()
		f.sim.ServeHTTP(made, r)
		f.tickers[at] = made.Body.Bytes()
	}
	if _, err := w.Write(f.tickers[at]); err != nil {
		f.Log(err) // the client is gone
	}
}

func ordering(path string) bool {
	for _, end := range []string{"/trade/orders", "/batch-orders", "/cancel-order", "/cancel-batch-orders", "/plan_order"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}

// sent returns how many calls that change something arrived.
func (f *fixture) sent() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, times := range f.orders {
		n += times
	}
	return n
}

// price returns that percentage of the last price, in whole ticks.
func (f *fixture) price(percent int64) affiliate.Number {
	last := f.sim.Price(pair).Decimal()
	return affiliate.Number(last.Mul(affiliate.Number("0.01").Decimal()).Mul(decimalOf(percent)).Truncate(2).String())
}

// limit returns a buy order below the market, which rests.
func (f *fixture) limit() trading.Draft {
	return trading.Draft{Account: "main", Kind: trading.Place, Pair: pair, Source: trading.FromPage, Orders: []trading.Order{{
		Side: "buy", Type: "limit", Force: "normal", Price: f.price(95), Quantity: "0.01",
	}}}
}

func (f *fixture) prepare(draft trading.Draft) trading.Intent {
	f.Helper()
	in, err := f.desk.Prepare(context.Background(), trader, draft)
	if err != nil {
		f.Fatal(err)
	}
	return in
}

func (f *fixture) send(id string) trading.Intent {
	f.Helper()
	in, err := f.desk.Send(context.Background(), trader, id)
	if err != nil {
		f.Fatal(err)
	}
	return in
}

// place sends a draft and requires that it is placed.
func (f *fixture) place(draft trading.Draft) trading.Intent {
	f.Helper()
	in := f.send(f.prepare(draft).ID)
	for _, o := range in.Orders {
		if o.State != trading.IntentPlaced {
			f.Fatalf("%+v", o)
		}
	}
	return in
}

// audit reads the audit log, and requires that it is valid.
func (f *fixture) audit() []audit.Line {
	f.Helper()
	r, err := f.store.Read(context.Background())
	if err != nil {
		f.Fatal(err)
	}
	defer r.Close()
	page, err := audit.ReadPage(context.Background(), r, audit.LogQuery{Limit: 1000})
	if err != nil {
		f.Fatal(err)
	}
	return page.Lines
}
