package simulator

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/account"
)

// network sends a request over a real connection, a new one each time so that net/http
// does not repeat it.
func (d *harness) network(base, path, body string) (status int, answer string, location string, err error) {
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(d.sign(base, "POST", path, body))
	if err != nil {
		return 0, "", "", err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	return response.StatusCode, string(read), response.Header.Get("Location"), err
}

// Each fault has its documented effect on an order, and the ledger holds the truth.
func TestOrderFaults(t *testing.T) {
	for _, test := range []struct {
		rule     FaultRule
		executed bool
		shows    func(status int, answer string, err error) bool
	}{
		{FaultRule{Fault: ServerError}, false, func(status int, _ string, err error) bool { return err == nil && status >= 500 }},
		{FaultRule{Fault: HTMLOK}, false, func(status int, answer string, err error) bool {
			return status == 200 && strings.Contains(answer, "<html>")
		}},
		{FaultRule{Fault: HTMLError}, false, func(status int, answer string, err error) bool {
			return status == 502 && strings.Contains(answer, "<html>")
		}},
		{FaultRule{Fault: RateLimited}, false, func(status int, _ string, err error) bool { return status == 429 }},
		{FaultRule{Fault: Dropped}, false, func(_ int, _ string, err error) bool { return err != nil }},
		{FaultRule{Fault: Redirected}, false, func(status int, answer string, _ error) bool { return status == 307 && answer == "" }},
		{FaultRule{Fault: Reset}, true, func(_ int, _ string, err error) bool { return err != nil }},
		{FaultRule{Fault: Truncated}, true, func(status int, answer string, err error) bool {
			return status == 200 && (errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasSuffix(answer, "}"))
		}},
		{FaultRule{Fault: ExecutedError}, true, func(status int, _ string, err error) bool { return err == nil && status >= 500 }},
		{FaultRule{Fault: ExecutedHTMLOK}, true, func(status int, answer string, err error) bool {
			return status == 200 && strings.Contains(answer, "<html>")
		}},
		{FaultRule{Fault: ExecutedHTML}, true, func(status int, answer string, err error) bool {
			return status == 502 && strings.Contains(answer, "<html>")
		}},
		{FaultRule{Fault: Slow, Delay: 30 * time.Millisecond}, true, func(status int, answer string, err error) bool { return status == 200 && err == nil }},
		{FaultRule{Fault: WrongEcho}, true, func(status int, answer string, _ error) bool {
			return status == 200 && strings.Contains(answer, `"other`)
		}},
	} {
		t.Run(string(test.rule.Fault), func(t *testing.T) {
			test.rule.Every = 1
			test.rule.Limit = 1
			test.rule.Path = "/order"
			for path, body := range map[string]string{
				placePath:   `{"symbol":"BTCUSDT_SPBL","side":"sell","orderType":"market","force":"normal","quantity":"0.01","clientOrderId":"mine"}`,
				triggerPath: `{"symbol":"cmt_bchusdt","client_oid":"mine","size":"1","type":"1","match_type":"1","execute_price":"100","trigger_price":"100"}`,
			} {
				d := newHarness(t, Options{Seed: 2, Rules: []FaultRule{test.rule}})
				server := httptest.NewServer(d.s)
				defer server.Close()
				began := time.Now()
				status, answer, location, err := d.network(server.URL, path, body)
				if !test.shows(status, answer, err) {
					t.Errorf("%s: %d %.100s %v", path, status, answer, err)
				}
				if (location != "") != (test.rule.Fault == Redirected) || location != "" && location != path {
					t.Errorf("location %q", location)
				}
				if took := time.Since(began); took < test.rule.Delay {
					t.Errorf("took %v", took)
				}
				want := account.Execution{}
				if test.executed {
					want = account.Execution{Received: 1, Accepted: 1}
				}
				if l := d.s.Ledger(); l.Executions["mine"] != want || len(l.Orders)+len(l.TriggerOrders) != want.Accepted {
					t.Errorf("%s: %+v, want %+v", path, l.Executions, want)
				}
				if d.s.Stats().Faults[test.rule.Fault] != 1 {
					t.Errorf("faults %v", d.s.Stats().Faults)
				}
				if status, answer, _, err := d.network(server.URL, path, strings.Replace(body, "mine", "next", 1)); status != 200 || err != nil {
					t.Errorf("the next order: %d %s %v", status, answer, err)
				}
			}
		})
	}
}

// Each fault leaves a cancellation executed or not.
func TestCancelFaults(t *testing.T) {
	for fault, gone := range map[Fault]bool{ServerError: false, ExecutedError: true} {
		d := newHarness(t, Options{Seed: 2, Rules: []FaultRule{{Fault: fault, Every: 1, Limit: 1, Path: "cancel"}}})
		id := d.place(d.limit("BTCUSDT_SPBL", "sell", "normal", "1.05", "0.01"))
		if w := d.send("POST", cancelPath, fmt.Sprintf(`{"symbol":"BTCUSDT_SPBL","orderId":%q}`, id)); w.Code < 500 {
			t.Errorf("%s: %d", fault, w.Code)
		}
		if o := d.placed(id); (o.Status == account.StatusCancelled) != gone {
			t.Errorf("%s: %+v", fault, o)
		}
	}
	d := newHarness(t, Options{Seed: 2, Rules: []FaultRule{{Fault: Redirected, Every: 1, Location: "https://elsewhere.invalid/x"}}})
	if w := d.send("POST", cancelPath, `{}`); w.Code != 307 || w.Header().Get("Location") != "https://elsewhere.invalid/x" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

func TestOddFills(t *testing.T) {
	d := newHarness(t, Options{Seed: 2, Rules: []FaultRule{{Fault: EmptyFields, Every: 2}, {Fault: ZeroTotals, Every: 2}}})
	d.place(d.order("ETHUSDT_SPBL", "sell", "market", "", "", "0.02"))
	for n := range 2 {
		data := d.post(fillPath, `{"symbol":"ETHUSDT_SPBL"}`)
		f := rows(data["fillsOrderResultList"])[0]
		if odd := n == 1; (f["orderType"] == "") != odd || (f["fillPrice"] == "") != odd || (text(data["totals"]) == "0") != odd {
			t.Errorf("%d: %v", n, data)
		}
	}
}

func triggerBody(id, change, to string) string {
	return strings.Replace(fmt.Sprintf(
		`{"symbol":"cmt_btcusdt","client_oid":"%s","size":"0.01","type":"1","match_type":"0","execute_price":"70000","trigger_price":"70000","marginMode":1}`, id,
	), change, to, 1)
}

func TestTriggerOrdersRefused(t *testing.T) {
	d := newHarness(t, Options{Seed: 2})
	for i, test := range []struct{ change, to, want string }{
		{"", "", ""},
		{`,"marginMode":1`, "", ""},
		{`:1}`, `:3}`, ""},
		{`:1}`, `:2}`, "400 40020"},
		{`"cmt_btcusdt"`, `"cmt_nousdt"`, "400 40020"},
		{`"cmt_btcusdt"`, `""`, "400 40019"},
		{`"0.01"`, `"0"`, "400 40020"},
		{`"type":"1"`, `"type":"5"`, "400 40020"},
		{`"match_type":"0"`, `"match_type":"2"`, "400 40020"},
		{`"execute_price":"70000"`, `"execute_price":""`, "400 40019"},
		{`"trigger_price":"70000"`, `"trigger_price":"x"`, "400 40020"},
		{`"id`, `"my-id`, "400 40020"},
		{`"id`, `"` + strings.Repeat("a", 39), "400 40020"},
		{`"id`, `"` + strings.Repeat("a", 38), ""},
		{`"id14`, `"id0`, "400 40017"},
	} {
		w := d.send("POST", triggerPath, triggerBody(fmt.Sprint("id", i), test.change, test.to))
		if test.want == "" && w.Code == 200 {
			continue
		}
		if got := codeOf(t, w); got != test.want {
			t.Errorf("%s → %s: %s, want %s", test.change, test.to, got, test.want)
		}
	}
	if n := len(d.s.TriggerOrders()); n != 4 {
		t.Errorf("%d orders", n)
	}
	if w := d.send("POST", "/capi/v2/order/placeOrder", triggerBody("x", "", "")); codeOf(t, w) != "404 " {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A trigger order waits until the mark price crosses its trigger price, from either side.
func TestTriggerOrdersTrigger(t *testing.T) {
	d := newHarness(t, Options{Seed: 2})
	c := d.s.contractOf("cmt_btcusdt")
	mark := d.s.Price("cmt_btcusdt").Decimal()
	for i, factor := range []string{"0.995", "1.005", "0.2", "5"} {
		price := mark.Mul(affiliate.Number(factor).Decimal()).Round(1)
		d.send("POST", triggerPath, triggerBody(fmt.Sprint("t", i), `"trigger_price":"70000"`, fmt.Sprintf(`"trigger_price":%q`, price)))
	}
	for _, o := range d.s.TriggerOrders() {
		if o.Triggered.Known() {
			t.Errorf("triggered at once: %+v", o)
		}
	}
	for range 60 {
		d.wait(6 * time.Hour)
		d.s.TriggerOrders()
	}
	for i, o := range d.s.TriggerOrders() {
		if o.Triggered.Known() != (i < 2) {
			t.Errorf("%+v", o)
			continue
		}
		if !o.Triggered.Known() {
			continue
		}
		ticks := account.TicksOf(o.TriggerPrice.Decimal(), 1)
		now, before := c.Mark.At(int64(o.Triggered)), c.Mark.At(int64(o.Triggered)-1)
		if i == 0 && (now > ticks || before <= ticks) || i == 1 && (now < ticks || before >= ticks) {
			t.Errorf("%+v: mark %d after %d", o, now, before)
		}
		if o.ID == "" || o.ClientID != fmt.Sprint("t", i) || o.Size != "0.01" || o.Type != "1" || o.MatchType != "0" || o.MarginMode != 1 || o.ExecutePrice != "70000" {
			t.Errorf("%+v", o)
		}
	}
}

func TestUnnamedTriggerOrders(t *testing.T) {
	d := newHarness(t, Options{Seed: 2})
	for range 2 {
		d.send("POST", triggerPath, triggerBody("", "", ""))
	}
	all := d.s.TriggerOrders()
	if len(all) != 2 || all[0].ClientID == all[1].ClientID || all[0].ClientID == "" || all[0].ID == all[1].ID {
		t.Errorf("%+v", all)
	}
	if e := d.s.Ledger().Executions[all[0].ClientID]; e != (account.Execution{Received: 1, Accepted: 1}) {
		t.Errorf("%+v", e)
	}
}

// An order may be executed long after its answer, and is invisible until then.
func TestExecutedLater(t *testing.T) {
	for _, fault := range []Fault{ExecutedError, Reset} {
		d := newHarness(t, Options{Seed: 2, Rules: []FaultRule{{Fault: fault, Every: 2, After: 1, Path: "/trade/", Delay: 3 * time.Second}}})
		place := func(change func(*http.Request)) {
			t.Helper()
			r := d.sign("", "POST", placePath, d.limit("BTCUSDT_SPBL", "sell", "normal", "1.05", "0.01"))
			change(r)
			w := httptest.NewRecorder()
			defer func() {
				if torn := recover() == http.ErrAbortHandler; torn != (fault == Reset) || !torn && w.Code < 500 {
					t.Errorf("%s: torn %v, %d %s", fault, torn, w.Code, w.Body)
				}
			}()
			d.s.ServeHTTP(w, r)
		}
		place(func(r *http.Request) { r.Header.Set("ACCESS-SIGN", "wrong") })
		d.post(openPath, `{"symbol":"BTCUSDT_SPBL"}`)
		place(func(*http.Request) {})
		at := d.at.Load() + 3000
		d.wait(2999 * time.Millisecond)
		if open := rows(d.post(openPath, `{"symbol":"BTCUSDT_SPBL"}`)["orderInfoResultList"]); len(open) != 0 {
			t.Errorf("too early: %v", open)
		}
		d.wait(time.Minute)
		l := d.s.Ledger()
		if len(l.Orders) != 1 || int64(l.Orders[0].Created) != at || l.Executions["t2"] != (account.Execution{Received: 1, Accepted: 1}) || len(l.Executions) != 1 {
			t.Errorf("%s: %+v %v", fault, l.Orders, l.Executions)
		}
		sound(t, d.s)
	}
}

// Concurrent clients place, cancel and read; each intent has its effect once.
func TestManyTraders(t *testing.T) {
	d := newHarness(t, Options{Seed: 2})
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for n := range 12 {
				id := fmt.Sprintf("w%dn%d", worker, n/2) // each identifier twice
				d.send("POST", placePath, fmt.Sprintf(
					`{"symbol":"DOGEUSDT_SPBL","side":"sell","orderType":"limit","force":"normal","price":"0.5","quantity":"30","clientOrderId":%q}`, id))
				d.wait(10 * time.Millisecond) // in total within the tolerance of a timestamp
				d.send("POST", openPath, `{"symbol":"DOGEUSDT_SPBL"}`)
				d.s.Ledger()
				if n%4 == 3 {
					d.send("POST", cancelPath, fmt.Sprintf(`{"symbol":"DOGEUSDT_SPBL","clientOid":%q}`, id))
				}
			}
		})
	}
	group.Wait()
	l := d.s.Ledger()
	if len(l.Orders) != 48 || len(l.Executions) != 48 {
		t.Errorf("%d orders, %d intents", len(l.Orders), len(l.Executions))
	}
	for id, e := range l.Executions {
		if e != (account.Execution{Received: 2, Accepted: 1}) {
			t.Errorf("%s: %+v", id, e)
		}
	}
	sound(t, d.s)
}
