package trading_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/internal/race"
	"rebatedesk/trading"
)

func ratOf(t testing.TB, n affiliate.Number) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		t.Fatalf("%q is no number", n)
	}
	return r
}

// A trigger order is worth its size at the highest of last, trigger and execution price: the size
// is in the base coin (4.13), so there is no multiplier, and the mark price plays no part. It
// equals a computation with fractions. A contract whose quote coin is not one of the exchange is
// worth an unknown amount, and a cap stops it.
func TestWorthOfContracts(t *testing.T) {
	t.Parallel()
	race.Skip(t, "arithmetic of one goroutine")
	f := openFixture(t, func(o *trading.Options) { o.Caps.Order = "5000000" })
	random := rand.New(rand.NewPCG(21, 13))
	coins := []weex.TradingPair{{QuoteCoin: "USDT"}, {QuoteCoin: "BTC"}, {QuoteCoin: "USDC"}}
	number := func(most int) affiliate.Number {
		return affiliate.Number(fmt.Sprintf("%d.%0*d", random.IntN(most), 1+random.IntN(8), 1+random.IntN(9)))
	}
	for range 150 {
		symbol := []string{"cmt_btcusdt", "cmt_ethbtc", "cmt_solusdc", "cmt_btcusd"}[random.IntN(4)]
		last, size := number(100_000), number(40)
		draft := trading.Draft{Account: "main", Kind: trading.Trigger, Pair: symbol, Source: trading.FromPage, Orders: []trading.Order{{
			Action: "1", Match: "0", Margin: 1, Quantity: size, Price: number(100_000), TriggerPrice: number(100_000)}}}
		coin := trading.ContractCoin(symbol, coins)
		flight := f.desk.Preview(context.Background(), draft, trading.PairReading{Known: true, Listed: true, Last: last, Coin: coin})
		o := flight.Draft.Orders[0]
		highest := ratOf(t, last)
		for _, price := range []affiliate.Number{o.Price, o.TriggerPrice} {
			if p := ratOf(t, price); p.Cmp(highest) > 0 {
				highest = p
			}
		}
		want := new(big.Rat).Mul(highest, ratOf(t, size))
		if got := ratOf(t, o.Worth); got.Cmp(want) != 0 {
			t.Errorf("%s: %s at %s, %s, last %s: worth %s, want %s", symbol, size, o.Price, o.TriggerPrice, last, o.Worth, want.FloatString(18))
		}
		if named := map[string]affiliate.Coin{"cmt_btcusdt": "USDT", "cmt_ethbtc": "BTC", "cmt_solusdc": "USDC"}[symbol]; o.Coin != named {
			t.Errorf("%s: counted in %q, want %q", symbol, o.Coin, named)
		}
		verdict := trading.VerdictPass
		switch {
		case o.Coin == "":
			verdict = trading.VerdictUnknown
		case want.Cmp(big.NewRat(5_000_000, 1)) > 0:
			verdict = trading.VerdictFail
		}
		for _, line := range flight.Lines {
			if line.Rule == trading.RuleOrderCap && line.Verdict != verdict {
				t.Errorf("%s worth %s %s: the cap says %s, want %s", symbol, o.Worth, o.Coin, line.Verdict, verdict)
			}
		}
	}
}

// The nearest value that a cap of a day offers is the largest quantity that fits into what is left
// of it: one step more does not.
func TestNearestValueOfTheDayCap(t *testing.T) {
	t.Parallel()
	race.Skip(t, "arithmetic of one goroutine")
	random := rand.New(rand.NewPCG(21, 17))
	f := openFixture(t, func(o *trading.Options) { o.Caps.Day = "50000" })
	spent := new(big.Rat)
	for round := range 8 {
		draft := f.limit()
		draft.Orders[0].Price = f.price(90 + random.Int64N(9))
		draft.Orders[0].Quantity = affiliate.Number(fmt.Sprintf("%d.%06d", 1+random.IntN(3), random.IntN(1_000_000)))
		flight := f.desk.Check(context.Background(), draft)
		stops := flight.Stops()
		if len(stops) != 1 || stops[0].Rule != trading.RuleDayCap || len(stops[0].Nearest) != 1 || stops[0].Nearest[0].Field != "quantity" {
			t.Fatalf("round %d: %+v", round, stops)
		}
		price, offered := ratOf(t, draft.Orders[0].Price), ratOf(t, stops[0].Nearest[0].Value)
		left := new(big.Rat).Sub(big.NewRat(50_000, 1), spent)
		if worth := new(big.Rat).Mul(price, offered); worth.Cmp(left) > 0 {
			t.Errorf("round %d: the offer is worth %s, and %s is left", round, worth.FloatString(8), left.FloatString(8))
		}
		more := new(big.Rat).Add(offered, big.NewRat(1, 1_000_000))
		if worth := new(big.Rat).Mul(price, more); worth.Cmp(left) <= 0 {
			t.Errorf("round %d: one step more than %s fits as well", round, offered.FloatString(6))
		}
		// A part of it is placed, and the next offer is what is left then.
		part := floorTo6(new(big.Rat).Quo(offered, big.NewRat(3, 1)))
		draft.Orders[0].Quantity = affiliate.Number(part.FloatString(6))
		f.place(draft)
		spent.Add(spent, new(big.Rat).Mul(price, part))
	}
}

// floorTo6 rounds down to the step of the pair.
func floorTo6(r *big.Rat) *big.Rat {
	scaled := new(big.Rat).Mul(r, big.NewRat(1_000_000, 1))
	return new(big.Rat).SetFrac(new(big.Int).Quo(scaled.Num(), scaled.Denom()), big.NewInt(1_000_000))
}

// What changes about a pair between the review and the press of the button counts: a pair that
// was suspended or delisted meanwhile is not sent, with words that say so, and nothing arrives.
func TestPairThatChangesAfterTheReview(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		from, to string
		rule     trading.Rule
		words    string
	}{
		"suspended": {`"enableTrade":true`, `"enableTrade":false`, trading.RuleEnabled, "The exchange has BTC/USDT closed to trading."},
		"delisted":  {`"symbol":"BTCUSDT_SPBL"`, `"symbol":"OLDUSDT_SPBL"`, trading.RulePair, "The exchange does not list BTC/USDT (BTCUSDT_SPBL)."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openFixture(t, nil)
			in := f.prepare(f.limit())
			f.rewrites("/exchangeInfo", test.from, test.to, 0)
			if o := f.send(in.ID).Orders[0]; o.State != trading.IntentNotSent || o.Rule != string(test.rule) || !strings.Contains(o.Message, test.words) || f.sent() != 0 {
				t.Errorf("%+v, %d calls", o, f.sent())
			}
			var refusal *trading.RefusedDraft
			if _, err := f.desk.Prepare(context.Background(), trader, f.limit()); !errors.As(err, &refusal) || refusal.Flight.Stops()[0].Words != test.words {
				t.Errorf("a new review: %v", err)
			}
		})
	}
}

// A pair that is listed only now can be asked for at once, although what was read before does not
// have it.
func TestPairThatIsNew(t *testing.T) {
	t.Parallel()
	f := openFixture(t, nil)
	f.answers(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/exchangeInfo") {
			return false
		}
		recorder := httptest.NewRecorder()
		f.sim.ServeHTTP(recorder, r)
		_, err := w.Write([]byte(strings.ReplaceAll(recorder.Body.String(), `"symbol":"BTCUSDT_SPBL"`, `"symbol":"SOONUSDT_SPBL"`)))
		return err == nil
	})
	var refusal *trading.RefusedDraft
	if _, err := f.desk.Prepare(context.Background(), trader, f.limit()); !errors.As(err, &refusal) || refusal.Flight.Stops()[0].Rule != trading.RulePair {
		t.Fatalf("before it is listed: %v", err)
	}
	f.answer.Store(nil)
	f.place(f.limit())
}
