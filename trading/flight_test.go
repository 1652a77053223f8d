package trading_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/storetest"
	"rebatedesk/trading"
)

const day = 24 * time.Hour

// Each rule is broken alone: nothing is prepared, and the rule and the field are named.
func TestEachRuleBroken(t *testing.T) {
	one := func(change func(*trading.Order)) func(*fixture, *trading.Draft) {
		return func(_ *fixture, d *trading.Draft) { change(&d.Orders[0]) }
	}
	quantity := func(text string) func(*fixture, *trading.Draft) {
		return one(func(o *trading.Order) { o.Quantity = affiliate.Number(text) })
	}
	for name, test := range map[string]struct {
		options func(*trading.Options)
		draft   func(*fixture, *trading.Draft)
		rule    trading.Rule
		field   string
		word    string // empty: refused
	}{
		"off":            {options: func(o *trading.Options) { o.Mode = trading.Off }, rule: trading.RuleMode, word: "forbidden"},
		"no account":     {draft: func(_ *fixture, d *trading.Draft) { d.Account = "other" }, rule: trading.RuleAccount, field: "account"},
		"no trading key": {options: withoutKey, rule: trading.RuleKey, word: "forbidden"},
		"kill file":      {draft: func(f *fixture, _ *trading.Draft) { f.makeKillFile() }, rule: trading.RuleKill, word: "forbidden"},
		"not allowed":    {options: func(o *trading.Options) { o.Pairs = []string{"ETHUSDT_SPBL"} }, rule: trading.RuleAllowed, field: "symbol"},
		"no form":        {draft: func(_ *fixture, d *trading.Draft) { d.ID = "r';--" }, rule: trading.RuleForm},
		"odd pair":       {draft: func(_ *fixture, d *trading.Draft) { d.Pair = "BTC’USDT_SPBL" }, rule: trading.RuleFields, field: "symbol"},
		"contract pair":  {draft: func(_ *fixture, d *trading.Draft) { d.Pair = contract }, rule: trading.RuleFields, field: "symbol"},
		"no side":        {draft: one(func(o *trading.Order) { o.Side = "Buy" }), rule: trading.RuleFields, field: "side"},
		"no type":        {draft: one(func(o *trading.Order) { o.Type = "stop" }), rule: trading.RuleFields, field: "orderType"},
		"no force":       {draft: one(func(o *trading.Order) { o.Force = "gtc" }), rule: trading.RuleFields, field: "force"},
		"no price":       {draft: one(func(o *trading.Order) { o.Price = "" }), rule: trading.RuleFields, field: "price"},
		"negative":       {draft: quantity("-0.01"), rule: trading.RuleFields, field: "quantity"},
		"zero":           {draft: quantity("0.00"), rule: trading.RuleFields, field: "quantity"},
		"exponent":       {draft: quantity("1e-2"), rule: trading.RuleFields, field: "quantity"},
		"30 decimals":    {draft: quantity("0.010000000000000000000000000001"), rule: trading.RuleFields, field: "quantity"},
		"full width":     {draft: quantity("０.０１"), rule: trading.RuleFields, field: "quantity"},
		"hexadecimal":    {draft: quantity("0x10"), rule: trading.RuleFields, field: "quantity"},
		"separators":     {draft: quantity("1,000"), rule: trading.RuleFields, field: "quantity"},
		"two orders":     {draft: func(_ *fixture, d *trading.Draft) { d.Orders = append(d.Orders, d.Orders...) }, rule: trading.RuleCount},
		"no such kind":   {draft: func(_ *fixture, d *trading.Draft) { d.Kind = "swap" }, rule: trading.RuleFields, field: "kind"},
		"not listed":     {draft: func(_ *fixture, d *trading.Draft) { d.Pair = "NOSUCH_SPBL" }, rule: trading.RulePair, field: "symbol"},
		"closed":         {draft: closed, rule: trading.RuleEnabled},
		"tick":           {draft: one(func(o *trading.Order) { o.Price += "5" }), rule: trading.RuleTick, field: "price"},
		"below step":     {draft: quantity("0.0000009"), rule: trading.RuleStep, field: "quantity"},
		"min":            {draft: quantity("0.00009"), rule: trading.RuleMin, field: "quantity"},
		"max":            {draft: quantity("100.1"), rule: trading.RuleMax, field: "quantity"},
		"market size":    {draft: one(func(o *trading.Order) { o.Type, o.Quantity = "market", "20.1" }), rule: trading.RuleMarket, field: "quantity"},
		"buy too high":   {draft: func(f *fixture, d *trading.Draft) { d.Orders[0].Price = f.price(111) }, rule: trading.RuleRatio, field: "price"},
		"sell too low":   {draft: func(f *fixture, d *trading.Draft) { d.Orders[0].Side, d.Orders[0].Price = "sell", f.price(89) }, rule: trading.RuleRatio, field: "price"},
		"old price":      {draft: func(f *fixture, _ *trading.Draft) { f.rewrites("/market/tickers", `"ts":1`, `"ts":0`, 11*time.Second) }, rule: trading.RuleTicker},
		"no price time":  {draft: func(f *fixture, _ *trading.Draft) { f.rewrites("/market/tickers", `"ts"`, `"was"`, 0) }, rule: trading.RuleTicker, word: "not-sent"},
		"prices down":    {draft: func(f *fixture, _ *trading.Draft) { f.fails("/market/tickers") }, rule: trading.RuleTicker, word: "not-sent"},
		"rules down":     {draft: func(f *fixture, _ *trading.Draft) { f.fails("/exchangeInfo") }, rule: trading.RulePair, word: "not-sent"},
		"no tick known":  {draft: func(f *fixture, _ *trading.Draft) { f.rewrites("/exchangeInfo", `"tickSize"`, `"tick"`, 0) }, rule: trading.RuleTick, field: "price", word: "not-sent"},
		"no step known":  {draft: func(f *fixture, _ *trading.Draft) { f.rewrites("/exchangeInfo", `"stepSize"`, `"step"`, 0) }, rule: trading.RuleStep, field: "quantity", word: "not-sent"},
		"below step, no least known": {draft: func(f *fixture, d *trading.Draft) {
			f.rewrites("/exchangeInfo", `"minTradeAmount"`, `"least"`, 0)
			d.Orders[0].Quantity = "0.0000009"
		}, rule: trading.RuleStep, field: "quantity"},
		"order cap": {options: func(o *trading.Options) { o.Caps.Order = "10" }, rule: trading.RuleOrderCap},
		"day cap":   {options: func(o *trading.Options) { o.Caps.Day = "10" }, rule: trading.RuleDayCap},
		"duplicate": {draft: func(f *fixture, d *trading.Draft) { f.place(*d) }, rule: trading.RuleDuplicate},
		"stopped":   {draft: func(f *fixture, _ *trading.Draft) { f.stop() }, rule: trading.RuleKill, word: "forbidden"},
		"proxy's step": {draft: func(_ *fixture, d *trading.Draft) {
			d.Source, d.Orders[0].ClientID, d.Orders[0].Quantity = trading.FromProxy, "mine", "0.0100001"
		}, rule: trading.RuleStep, field: "quantity"},
		"proxy's id": {draft: func(_ *fixture, d *trading.Draft) { d.Source = trading.FromProxy }, rule: trading.RuleFields, field: "clientOrderId"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openFixture(t, test.options)
			draft := f.limit()
			if test.draft != nil {
				test.draft(f, &draft)
			}
			before := f.sent()
			var refusal *trading.RefusedDraft
			in, err := f.desk.Prepare(context.Background(), trader, draft)
			if !errors.As(err, &refusal) {
				t.Fatalf("%+v, %v", in, err)
			}
			stop := refusal.Flight.Stops()[0]
			if stop.Rule != test.rule || test.field != "" && stop.Field != test.field || stop.Words == "" {
				t.Errorf("%+v", refusal.Flight.Stops())
			}
			if want := test.word; refusal.Word() != want && (want != "" || refusal.Word() != "refused") {
				t.Errorf("called %q", refusal.Word())
			}
			if f.sent() != before {
				t.Error("something was sent")
			}
		})
	}
}

func withoutKey(o *trading.Options) {
	accounts := o.Accounts
	o.Accounts = func(name affiliate.Account) (trading.Venue, bool) {
		a, known := accounts(name)
		a.Sender = nil
		return a, known
	}
}

func closed(_ *fixture, d *trading.Draft) {
	d.Pair, d.Orders[0].Price, d.Orders[0].Quantity = "LUNCUSDT_SPBL", "0.0001", "60000"
}

func (f *fixture) makeKillFile() {
	f.Helper()
	if err := os.WriteFile(f.kill, nil, 0o600); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) stop() {
	f.Helper()
	if err := f.desk.Stop(context.Background(), trader, "enough"); err != nil {
		f.Fatal(err)
	}
}

// rewrites changes the simulator's answers of a path; it also moves "ts" of tickers back by
// age.
func (f *fixture) rewrites(path, from, to string, age time.Duration) {
	f.answers(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, path) {
			return false
		}
		recorder := httptest.NewRecorder()
		f.sim.ServeHTTP(recorder, r)
		body := recorder.Body.String()
		if age > 0 {
			now := f.now().UnixMilli()
			from, to = fmt.Sprintf(`"ts":%d`, now), fmt.Sprintf(`"ts":%d`, now-age.Milliseconds())
		}
		w.WriteHeader(recorder.Code)
		_, err := w.Write([]byte(strings.ReplaceAll(body, from, to)))
		return err == nil
	})
}

func (f *fixture) fails(path string) {
	f.answers(func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, path) {
			w.WriteHeader(http.StatusBadGateway)
			return true
		}
		return false
	})
}

// A clear flight says what was checked, and reports rounding.
func TestClearFlight(t *testing.T) { storetest.Engines(t, "statements about orders", testClearFlight) }

func testClearFlight(t *testing.T) {
	f := openFixture(t, func(o *trading.Options) { o.Caps = trading.Caps{Order: "100000", Day: "200000"} })
	draft := f.limit()
	draft.Orders[0].Quantity = "0.0123456789"
	flight := f.desk.Check(context.Background(), draft)
	if !flight.Clear() || flight.Draft.Orders[0].Quantity != "0.012345" || draft.Orders[0].Quantity != "0.0123456789" {
		t.Fatalf("%+v", flight)
	}
	seen := map[trading.Rule]bool{}
	rounded := false
	for _, line := range flight.Lines {
		seen[line.Rule] = true
		rounded = rounded || strings.Contains(line.Words, "rounded down to 0.012345")
	}
	if len(seen) < 16 || !rounded {
		t.Errorf("%d rules, %+v", len(seen), flight.Lines)
	}
	want := draft.Orders[0].Price.Decimal().Mul(affiliate.Number("0.012345").Decimal())
	if got := flight.Draft.Orders[0].Worth; !got.Decimal().Equal(want) {
		t.Errorf("worth %s, want %s", got, want)
	}
}

// A market order is worth what it may come to, and a limit to sell far below
// the market what the market gives for it.
func TestWorthIsNeverTooLittle(t *testing.T) {
	f := openFixture(t, nil)
	last := f.sim.Price(pair).Decimal()
	for name, test := range map[string]struct {
		order trading.Order
		want  string // times the last price
	}{
		"market": {trading.Order{Side: "buy", Type: "market", Quantity: "2"}, "2.1"},
		"sell":   {trading.Order{Side: "sell", Type: "limit", Force: "normal", Price: f.price(95), Quantity: "2"}, "2"},
	} {
		draft := f.limit()
		draft.Orders = []trading.Order{test.order}
		flight := f.desk.Check(context.Background(), draft)
		want := last.Mul(affiliate.Number(test.want).Decimal())
		if got := flight.Draft.Orders[0]; !flight.Clear() || !got.Worth.Decimal().Equal(want) || got.Coin != "USDT" {
			t.Errorf("%s: worth %s, want %s; %+v", name, got.Worth, want, flight.Stops())
		}
	}
	flight := f.desk.Check(context.Background(), f.trigger())
	if o := flight.Draft.Orders[0]; !flight.Clear() || o.Coin != "USDT" || o.Worth.Cmp("10") <= 0 || o.Side != "buy" {
		t.Errorf("%+v %+v", o, flight.Stops())
	}
}
