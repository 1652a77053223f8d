package trading_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/trading"
)

// sentence is the wording of a rule's result, with the condition under which it passes,
// based only on the figures in the sentence.
type sentence struct {
	form  *regexp.Regexp
	holds func(m []string) bool
}

var sentences = map[trading.Rule]sentence{
	trading.RuleRatio: {
		regexp.MustCompile(`^The price (\S+) is (exactly at|(\S+) % (above|below)) the last price (\S+)\. A (buy|sell) may be at most (\S+) % (above|below) it, which is (\S+)\.$`),
		func(m []string) bool {
			price, last, limit, bound := rat(m[1]), rat(m[5]), rat(m[7]), rat(m[9])
			// The place of the price, and the bound, follow from the two prices.
			side, away := "above", new(big.Rat).Sub(price, last)
			if away.Sign() < 0 {
				side = "below"
			}
			if (away.Sign() == 0) != (m[2] == "exactly at") || away.Sign() != 0 && side != m[4] {
				panic("the price stands elsewhere: " + m[0])
			}
			percent := new(big.Rat).Mul(new(big.Rat).Quo(away.Abs(away), last), big.NewRat(100, 1))
			if m[3] != "" {
				off := new(big.Rat).Sub(percent, rat(m[3]))
				if off.Abs(off).Cmp(big.NewRat(5, 100)) > 0 || percent.Cmp(limit) != rat(m[3]).Cmp(limit) {
					panic("the distance is another: " + m[0])
				}
			}
			margin := new(big.Rat).Mul(last, new(big.Rat).Quo(limit, big.NewRat(100, 1)))
			if (m[6] == "buy") != (m[8] == "above") {
				panic("the rule is of the other side: " + m[0])
			}
			if m[6] == "buy" {
				if bound.Cmp(new(big.Rat).Add(last, margin)) != 0 {
					panic("the bound is another: " + m[0])
				}
				return price.Cmp(bound) <= 0
			}
			if bound.Cmp(new(big.Rat).Sub(last, margin)) != 0 {
				panic("the bound is another: " + m[0])
			}
			return price.Cmp(bound) >= 0
		},
	},
	trading.RuleTick: {
		regexp.MustCompile(`^The price (\S+) is (?:not )?a multiple of the tick ([0-9.]*[0-9])(?:\.|: the nearest are \S+ and \S+\.)$`),
		func(m []string) bool { return multiple(m[1], m[2]) },
	},
	trading.RuleStep: {
		regexp.MustCompile(`^The quantity (\S+) is (?:a multiple of the step ([0-9.]*[0-9])\.|rounded down to (\S+) \(step (\S+)\)\.|less than the step ([0-9.]*[0-9])\.)$`),
		func(m []string) bool {
			switch {
			case m[2] != "":
				return multiple(m[1], m[2])
			case m[3] != "":
				return multiple(m[3], m[4]) && rat(m[3]).Cmp(rat(m[1])) < 0
			}
			return rat(m[1]).Cmp(rat(m[5])) >= 0
		},
	},
	trading.RuleMin: {
		regexp.MustCompile(`^The quantity (\S+) (?:is|has to be) at least ([0-9.]*[0-9])\.$`),
		func(m []string) bool { return rat(m[1]).Cmp(rat(m[2])) >= 0 },
	},
	trading.RuleMax: {
		regexp.MustCompile(`^The quantity (\S+) (?:is|has to be) at most ([0-9.]*[0-9])\.$`),
		func(m []string) bool { return rat(m[1]).Cmp(rat(m[2])) <= 0 },
	},
	trading.RuleOrderCap: {
		regexp.MustCompile(`^The order is worth up to (\S+) USDT; the cap of an order is (\S+)\.$`),
		func(m []string) bool { return rat(m[1]).Cmp(rat(m[2])) <= 0 },
	},
}

func rat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("no number: " + text)
	}
	return r
}

func multiple(of, step string) bool { return new(big.Rat).Quo(rat(of), rat(step)).IsInt() }

// What a line says and what it decides are the same thing: over random orders on
// both sides of the market, the verdict follows from the figures in the sentence,
// and the sentence from the rule.
func TestSentencesSayWhatTheRulesDecide(t *testing.T) {
	f := openFixture(t, func(o *trading.Options) { o.Caps.Order = "50000" })
	random := rand.New(rand.NewPCG(20, 26))
	seen := map[string]int{}
	for range 25 {
		draft := f.limit()
		draft.Kind, draft.Orders = trading.PlaceBatch, nil
		for range 20 {
			o := trading.Order{
				Side: []string{"buy", "sell"}[random.IntN(2)], Type: "limit", Force: "normal",
				Price:    f.price(85 + random.Int64N(31)),
				Quantity: affiliate.Number(fmt.Sprintf("%.*f", 3+random.IntN(6), 0.00005+random.ExpFloat64()*0.4)),
			}
			switch random.IntN(10) {
			case 0: // between two ticks
				o.Price += "5"
			case 1: // on the bound itself, as near as ticks allow
				o.Price = f.price([]int64{90, 110}[random.IntN(2)])
			case 2:
				o.Price = f.price(100)
			case 3:
				o.Quantity = "120"
			case 4:
				o.Quantity = []affiliate.Number{"0.00009", "0.0000001"}[random.IntN(2)]
			}
			draft.Orders = append(draft.Orders, o)
		}
		flight := f.desk.Check(context.Background(), draft)
		for _, line := range flight.Lines {
			want, known := sentences[line.Rule]
			if !known || line.Verdict == trading.VerdictUnknown {
				continue
			}
			m := want.form.FindStringSubmatch(line.Words)
			if m == nil {
				t.Fatalf("%s: the sentence has another form: %s", line.Rule, line.Words)
			}
			if line.Order >= 0 && line.Rule == trading.RuleRatio && (m[1] != string(draft.Orders[line.Order].Price) || m[6] != draft.Orders[line.Order].Side || m[5] != string(flight.Last)) {
				t.Errorf("%+v is not about %+v", line, draft.Orders[line.Order])
			}
			if holds := want.holds(m); holds != (line.Verdict == trading.VerdictPass) {
				t.Errorf("%s: %s, but: %s", line.Rule, line.Verdict, line.Words)
			}
			seen[string(line.Rule)+" "+string(line.Verdict)]++
		}
	}
	for rule := range sentences {
		for _, verdict := range []trading.Verdict{trading.VerdictPass, trading.VerdictFail} {
			if seen[string(rule)+" "+string(verdict)] == 0 {
				t.Errorf("no order has for the rule %s the verdict %s", rule, verdict)
			}
		}
	}
}
