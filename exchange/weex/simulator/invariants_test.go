package simulator

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// randomTrader is a trader who does anything at any time.
type randomTrader struct {
	*harness
	ids []string
}

func (m *randomTrader) symbol(t *rapid.T) string {
	return rapid.SampledFrom([]string{"BTCUSDT_SPBL", "ETHUSDT_SPBL", "ETHBTC_SPBL", "USDCUSDT_SPBL", "DOGEUSDT_SPBL"}).Draw(t, "symbol")
}

func (m *randomTrader) body(t *rapid.T, symbol string) string {
	side := rapid.SampledFrom([]string{"buy", "sell"}).Draw(t, "side")
	quantity := rapid.SampledFrom([]string{"0.01", "0.5", "3", "10", "250", "20000"}).Draw(t, "quantity")
	if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
		return m.order(symbol, side, "market", "", "", quantity)
	}
	force := rapid.SampledFrom([]string{"normal", "normal", "normal", "postOnly", "fok", "ioc"}).Draw(t, "force")
	factor := rapid.SampledFrom([]string{"0.97", "0.99", "0.999", "1", "1.001", "1.01", "1.03"}).Draw(t, "factor")
	return m.limit(symbol, side, force, factor, quantity)
}

func (m *randomTrader) Place(t *rapid.T) {
	w := m.send("POST", placePath, m.body(t, m.symbol(t)))
	if top := value(m, w.Body.Bytes()).(object); w.Code == 200 {
		m.ids = append(m.ids, text(top["data"].(object)["orderId"]))
	}
}

func (m *randomTrader) PlaceBatch(t *rapid.T) {
	symbol := m.symbol(t)
	m.send("POST", batchPath, fmt.Sprintf(`{"symbol":%q,"orderList":[%s,%s,%s]}`, symbol, m.body(t, symbol), m.body(t, symbol), m.body(t, symbol)))
}

func (m *randomTrader) Cancel(t *rapid.T) {
	if len(m.ids) == 0 {
		return
	}
	id := rapid.SampledFrom(m.ids).Draw(t, "id")
	m.send("POST", cancelPath, fmt.Sprintf(`{"symbol":%q,"orderId":%q}`, m.symbol(t), id))
}

func (m *randomTrader) CancelBatch(t *rapid.T) {
	m.send("POST", cancelBatchPath, fmt.Sprintf(`{"symbol":%q,"clientOids":["t1","t%d","t%d"]}`, m.symbol(t), m.sent-1, m.sent))
}

func (m *randomTrader) Wait(t *rapid.T) {
	m.wait(time.Duration(rapid.SampledFrom([]int64{1, 1000, minute, hour, 9 * hour, 3 * day}).Draw(t, "wait")) * time.Millisecond)
}

func (m *randomTrader) Check(t *rapid.T) { sound(t, m.s) }

// After any orders and any price changes, the books add up.
func TestBooksAlwaysAddUp(t *testing.T) {
	executed := 0
	rapid.Check(t, func(r *rapid.T) {
		m := &randomTrader{harness: newHarness(t, Options{Seed: rapid.Int64Range(0, 50).Draw(r, "seed"), Days: 3, Records: 30})}
		r.Repeat(rapid.StateMachineActions(m))
		executed += len(m.s.account.Fills)
	})
	if executed == 0 {
		t.Error("no order was filled")
	}
}

// Events do not depend on how often the state is read.
func TestReadingChangesNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		seed := rapid.Int64Range(0, 1000).Draw(r, "seed")
		options := Options{Seed: seed, Days: 4, Invitees: 10, Records: 200, Live: true, LiveSpeed: 3}
		restless, patient := newHarness(t, options), newHarness(t, options)
		for range 3 {
			for _, d := range []*harness{restless, patient} {
				d.send("POST", placePath, d.limit("BTCUSDT_SPBL", "buy", "normal", "0.998", "0.02"))
				d.send("POST", placePath, d.limit("ETHUSDT_SPBL", "sell", "normal", "1.003", "1"))
			}
			for range 20 {
				by := time.Duration(rapid.Int64Range(1, 4*hour).Draw(r, "by")) * time.Millisecond
				restless.wait(by)
				patient.wait(by)
				restless.s.Balances()
			}
		}
		a, b := restless.s.Ledger(), patient.s.Ledger()
		if fmt.Sprint(a.Orders, a.Payouts) != fmt.Sprint(b.Orders, b.Payouts) {
			r.Fatalf("%v\n%v", a.Orders, b.Orders)
		}
		x, y := restless.send("POST", billPath, `{"limit":100}`).Body.String(), patient.send("POST", billPath, `{"limit":100}`).Body.String()
		if x != y {
			r.Fatalf("the bills differ:\n%s\n%s", x, y)
		}
		sound(r, patient.s)
	})
}

// Pages of any size show every order and every fill once.
func TestPagesCoverEverything(t *testing.T) {
	for _, order := range []RowOrder{NewestFirst, OldestFirst} {
		d := newHarness(t, Options{Seed: 4, Order: order})
		for range 23 {
			d.place(d.limit("ETHUSDT_SPBL", "buy", "normal", "0.95", "0.01"))
			d.place(d.order("ETHUSDT_SPBL", "sell", "market", "", "", "0.02"))
			d.place(d.limit("BTCUSDT_SPBL", "buy", "normal", "0.95", "0.001"))
			d.wait(time.Second)
		}
		for _, list := range []struct {
			path, page, size, name, id string
			sizes                      []int
		}{
			{openPath, "pageNo", "limit", "orderInfoResultList", "orderId", []int{1, 5, 22, 23, 24, 100}},
			{fillPath, "pageIndex", "pageSize", "fillsOrderResultList", "fillId", []int{1, 5, 22, 23, 24, 100}},
		} {
			for _, size := range list.sizes {
				seen := map[string]int{}
				var times []string
				for n := 0; ; n++ {
					data := d.post(list.path, fmt.Sprintf(`{"symbol":"ETHUSDT_SPBL",%q:%d,%q:%d}`, list.page, n, list.size, size))
					some := rows(data[list.name])
					for _, row := range some {
						seen[text(row[list.id])]++
						times = append(times, text(row["cTime"]))
					}
					if more, told := data["nextPage"].(bool); told && more != (len(seen) < 23) {
						t.Errorf("%s page %d of %d: next %v", list.path, n, size, more)
					}
					if len(some) < size {
						break
					}
				}
				if len(seen) != 23 || len(times) != 23 || (times[0] > times[22]) != (order == NewestFirst) {
					t.Errorf("%s by %d: %d rows, %d different, from %s to %s", list.path, size, len(times), len(seen), times[0], times[len(times)-1])
				}
			}
		}
	}
}

func TestListParameters(t *testing.T) {
	d := newHarness(t, Options{Seed: 4})
	d.place(d.order("ETHUSDT_SPBL", "sell", "market", "", "", "0.02"))
	at := d.at.Load()
	for body, want := range map[string]int{
		`{"symbol":"ETHUSDT_SPBL"}`: 1, `{"symbol":"BTCUSDT_SPBL"}`: 0,
		fmt.Sprintf(`{"symbol":"ETHUSDT_SPBL","after":%d,"before":%d}`, at, at):                 1,
		fmt.Sprintf(`{"symbol":"ETHUSDT_SPBL","after":%d}`, at+1):                               0,
		fmt.Sprintf(`{"symbol":"ETHUSDT_SPBL","before":%d}`, at-1):                              0,
		`{"symbol":"ETHUSDT_SPBL","orderId":9007199254740993}`:                                  0,
		fmt.Sprintf(`{"symbol":"ETHUSDT_SPBL","orderId":"%s"}`, d.s.Ledger().Orders[0].ID):      1,
		fmt.Sprintf(`{"symbol":"ETHUSDT_SPBL","orderId":%s}`, d.s.Ledger().Orders[0].ID):        1,
		`{"symbol":"ETHUSDT_SPBL","after":null,"before":null,"pageIndex":null,"pageSize":null}`: 1,
	} {
		if got := rows(d.post(fillPath, body)["fillsOrderResultList"]); len(got) != want {
			t.Errorf("%s: %d fills, want %d", body, len(got), want)
		}
	}
	for _, test := range []struct{ path, body, want string }{
		{fillPath, `{}`, "400 40019"},
		{fillPath, `{"symbol":"ETHUSDT_SPBL","pageSize":101}`, "400 40020"},
		{fillPath, `{"symbol":"ETHUSDT_SPBL","pageSize":0}`, "400 40020"},
		{fillPath, `{"symbol":"ETHUSDT_SPBL","pageIndex":-1}`, "400 40020"},
		{openPath, `{}`, "400 40019"},
		{openPath, `{"symbol":"ETHUSDT_SPBL","limit":101}`, "400 40020"},
		{openPath, `{"symbol":"ETHUSDT_SPBL","limit":0}`, "400 40020"},
		{openPath, `{"symbol":"ETHUSDT_SPBL","pageNo":-1}`, "400 40020"},
		{openPath, `{"symbol":"ETHUSDT_SPBL","pageNo":99999999999}`, "400 40020"},
		{billPath, `{"bizType":"coffee"}`, "400 40020"},
		{billPath, `{"coinId":999}`, "400 40020"},
		{billPath, `{"limit":0}`, "400 40020"},
		{fundingPath, `{"pageIndex":0}`, "400 40020"},
		{fundingPath, `{"coinId":"x"}`, "400 40020"},
	} {
		if got := d.code(test.path, test.body); got != test.want {
			t.Errorf("%s %s: %s, want %s", test.path, test.body, got, test.want)
		}
	}
	for _, query := range []string{"fromType=casino", "limit=0", "coinId=x", "after=then"} {
		if w := d.send("GET", transferPath, query); codeOf(t, w) != "400 40020" {
			t.Errorf("%s: %s", query, w.Body)
		}
	}
}
