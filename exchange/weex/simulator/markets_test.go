package simulator

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
)

func TestPairFilters(t *testing.T) {
	d := newHarness(t, Options{Seed: 1})
	names := func(query string) string {
		var all []string
		for _, p := range rows(d.get(pairsPath, query)) {
			all = append(all, text(p["symbol"]))
		}
		return strings.Join(all, " ")
	}
	if got := names("symbol=ETHBTC_SPBL"); got != "ETHBTC_SPBL" {
		t.Errorf("one: %s", got)
	}
	if got := names("symbols=SOLUSDT_SPBL,BTCUSDC_SPBL"); got != "SOLUSDT_SPBL BTCUSDC_SPBL" {
		t.Errorf("some: %s", got)
	}
	if got := strings.Fields(names("")); len(got) != 16 {
		t.Errorf("all: %v", got)
	}
	for _, query := range []string{"symbol=BTCUSDT", "symbols=BTCUSDT_SPBL,NO_SPBL", "symbol="} {
		if w := d.send("GET", pairsPath, query); w.Code != 400 {
			t.Errorf("%s: %d", query, w.Code)
		}
	}
	merges := map[bool]int{}
	for _, p := range rows(d.get(pairsPath, "")) {
		merges[p["displayDigitMerge"] == ""]++
		if p["enableTrade"] == false && p["symbol"] != "LUNCUSDT_SPBL" {
			t.Errorf("%v is disabled", p["symbol"])
		}
	}
	if merges[true] != 1 {
		t.Errorf("displayDigitMerge is empty %d times", merges[true])
	}
}

// The tickers agree with each other, with the trades and with the price.
func TestTickersAgree(t *testing.T) {
	d := newHarness(t, Options{Seed: 8})
	for range 3 {
		d.wait(7*time.Hour + 1234*time.Millisecond)
		now := decimal.NewFromInt(d.at.Load())
		for _, k := range rows(d.get(tickersPath, "")) {
			symbol := text(k["symbol"])
			high, low, open, last := dec(k["high"]), dec(k["low"]), dec(k["open"]), dec(k["lastPrice"])
			moved := last.Sub(open)
			switch {
			case high.LessThan(last), high.LessThan(open), low.GreaterThan(last), low.GreaterThan(open), !low.IsPositive():
				t.Errorf("%s: high %v low %v open %v last %v", symbol, high, low, open, last)
			case !last.Equal(d.price(symbol)), !last.Equal(dec(k["close"])):
				t.Errorf("%s: last %v, close %v, price %v", symbol, last, k["close"], d.price(symbol))
			case !moved.Equal(dec(k["priceChange"])), !moved.DivRound(open, 6).Equal(dec(k["priceChangePercent"])):
				t.Errorf("%s: moved %v, says %v and %v", symbol, moved, k["priceChange"], k["priceChangePercent"])
			case !dec(k["endTime"]).Equal(now), !now.Sub(dec(k["startTime"])).Equal(decimal.NewFromInt(day)):
				t.Errorf("%s: from %v to %v", symbol, k["startTime"], k["endTime"])
			}
			m := d.s.marketOf(symbol)
			if !high.Equal(m.Decimal(m.At(dec(k["highTime"]).IntPart()))) || !low.Equal(m.Decimal(m.At(dec(k["lowTime"]).IntPart()))) {
				t.Errorf("%s: high and low are not at their times", symbol)
			}
			size, value, n := decimal.Zero, decimal.Zero, 0
			for _, tr := range m.Latest(d.at.Load(), 20_000) {
				if tr.At > d.at.Load()-day {
					size, value, n = size.Add(m.Quantity(tr.Steps)), value.Add(m.Value(tr.Price*tr.Steps)), n+1
				}
			}
			if text(n) != text(k["trades"]) || !size.Equal(dec(k["size"])) || !value.Equal(dec(k["value"])) {
				t.Errorf("%s: %v trades of %v worth %v, the ticker says %v %v %v", symbol, n, size, value, k["trades"], k["size"], k["value"])
			}
		}
	}
}

func TestPublicTrades(t *testing.T) {
	d := newHarness(t, Options{Seed: 8})
	trades := func(query string) []object { return rows(d.get(tradesPath, "symbol=ETHUSDT_SPBL"+query)) }
	for query, want := range map[string]int{"": 100, "&limit=7": 7, "&limit=1000": 1000, "&limit=5000": 1000} {
		if got := len(trades(query)); got != want {
			t.Errorf("%s: %d trades, want %d", query, got, want)
		}
	}
	all := trades("&limit=1000")
	ids, before := map[string]bool{}, decimal.NewFromInt(d.at.Load())
	m := d.s.marketOf("ETHUSDT_SPBL")
	for _, tr := range all {
		at := dec(tr["fillTime"])
		if at.GreaterThan(before) {
			t.Errorf("a trade of %v comes after %v", at, before)
		}
		before = at
		ids[text(tr["tradeId"])] = true
		price, quantity := dec(tr["fillPrice"]), dec(tr["fillQuantity"])
		if !price.Mul(quantity).Equal(dec(tr["tradeValue"])) || !quantity.IsPositive() || !price.Equal(m.Decimal(m.At(at.IntPart()))) {
			t.Errorf("trade %v", tr)
		}
	}
	if len(ids) != 1000 {
		t.Errorf("%d identifiers of 1000 trades", len(ids))
	}
	d.wait(time.Minute)
	again := trades("&limit=1000")
	i := slices.IndexFunc(again, func(o object) bool { return o["tradeId"] == all[0]["tradeId"] })
	if i < 0 || fmt.Sprint(again[i:i+500]) != fmt.Sprint(all[:500]) {
		t.Error("the trades of a minute ago have changed")
	}
	if got := rows(d.get(tradesPath, "symbol=LUNCUSDT_SPBL")); len(got) != 0 {
		t.Errorf("%d trades of a disabled pair", len(got))
	}
	for _, query := range []string{"", "symbol=BTC", "symbol=BTCUSDT_SPBL&limit=0", "symbol=BTCUSDT_SPBL&limit=x"} {
		if w := d.send("GET", tradesPath, query); w.Code != 400 {
			t.Errorf("%q: %d", query, w.Code)
		}
	}
}

func TestContractTickers(t *testing.T) {
	d := newHarness(t, Options{Seed: 8})
	all := value(t, d.send("GET", contractTickersPath, "").Body.Bytes())
	for _, k := range rows(all) {
		one := value(t, d.send("GET", contractTickerPath, "symbol="+text(k["symbol"])).Body.Bytes())
		if fmt.Sprint(one) != fmt.Sprint(k) {
			t.Errorf("alone %v, among all %v", one, k)
		}
		last, ask, bid, index := dec(k["last"]), dec(k["best_ask"]), dec(k["best_bid"]), dec(k["indexPrice"])
		if !bid.LessThan(last) || !ask.GreaterThan(last) || dec(k["high_24h"]).LessThan(last) || dec(k["low_24h"]).GreaterThan(last) {
			t.Errorf("%v", k)
		}
		for _, near := range []decimal.Decimal{last, dec(k["markPrice"])} {
			if near.Sub(index).Abs().Div(index).GreaterThan(decimal.New(2, -3)) {
				t.Errorf("%v is far from the index %v", near, index)
			}
		}
		base, quote := dec(k["base_volume"]), dec(k["volume_24h"])
		if ratio := quote.Div(base); ratio.LessThan(dec(k["low_24h"])) || ratio.GreaterThan(dec(k["high_24h"])) {
			t.Errorf("%v: volumes %v and %v", k["symbol"], base, quote)
		}
	}
	for _, query := range []string{"", "symbol=BTCUSDT_SPBL"} {
		w := d.send("GET", contractTickerPath, query)
		if w.Code != 400 || !strings.HasPrefix(codeOf(t, w), "400 400") {
			t.Errorf("%q: %d %s", query, w.Code, w.Body)
		}
	}
}

func TestSameSeedSameMarket(t *testing.T) {
	a, b := newHarness(t, Options{Seed: 12}), newHarness(t, Options{Seed: 12})
	for _, path := range []string{tickersPath, pairsPath, currenciesPath} {
		if x, y := a.send("GET", path, "").Body.String(), b.send("GET", path, "").Body.String(); x != y {
			t.Errorf("%s differs", path)
		}
	}
}

// Cross rates agree with each other.
func TestCrossRates(t *testing.T) {
	s := New(Options{Seed: 5, Now: frozen})
	cross := s.Price("ETHUSDT_SPBL").Decimal().Div(s.Price("BTCUSDT_SPBL").Decimal())
	if cross.Sub(s.Price("ETHBTC_SPBL").Decimal()).Abs().GreaterThan(decimal.New(2, -5)) {
		t.Errorf("ETHBTC is %s, should be %s", s.Price("ETHBTC_SPBL"), cross)
	}
	if s.Price("cmt_ethusdt") == "" || s.Price("cmt_nousdt") != "" {
		t.Error("prices of contracts")
	}
}
