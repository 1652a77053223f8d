package books

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/exchange/weex/simulator/account"
)

const account1 = affiliate.Account("main")

// always covers every instant of the tests.
func always(accounts ...affiliate.Account) map[affiliate.Account][]Stretch {
	known := map[affiliate.Account][]Stretch{}
	for _, a := range accounts {
		known[a] = []Stretch{{-1 << 50, 1 << 50}}
	}
	return known
}

// simulated is what a complete collection of a simulated exchange has, and the truth.
type simulated struct {
	Input
	sim      *simulator.Simulator
	ledger   simulator.Ledger
	payments []account.Payment
}

// simulate runs an exchange until an instant that depends on the seed.
func simulate(t testing.TB, seed int64, days, records int, rule account.PayoutRule) simulated {
	t.Helper()
	return simulateLive(t, seed, days, records, rule, 0)
}

// simulateLive does the same with a programme that goes on for a while.
func simulateLive(t testing.TB, seed int64, days, records int, rule account.PayoutRule, on time.Duration) simulated {
	t.Helper()
	now := time.Date(2026, 3, 11, 0, 0, 0, 0, time.UTC).Add(time.Duration(uint64(seed)%(40*24*3600)) * time.Second)
	sim := simulator.New(simulator.Options{
		Seed: seed, Days: days, Invitees: 40, Records: records, Now: func() time.Time { return now }, Start: now, Payouts: rule,
		Live: on > 0, LiveSpeed: 20,
	})
	now = now.Add(on)
	s := simulated{sim: sim}
	s.Now, s.EarnedKnown, s.PaidKnown = affiliate.MillisOf(now), always(account1), always(account1)
	s.read()
	return s
}

// read collects everything anew.
func (s *simulated) read() {
	s.ledger, s.payments = s.sim.Ledger(), s.sim.Payments()
	s.Earned, s.Bills = nil, nil
	sums := map[HourSum]*affiliate.Sum{}
	for _, c := range s.ledger.Commissions {
		start, _ := Hour.Around(c.DealTime)
		key := HourSum{Account: account1, Coin: c.Coin, Source: c.Source, Start: start}
		if sums[key] == nil {
			sums[key] = new(affiliate.Sum)
		}
		sums[key].Add(c.Commission)
	}
	for key, sum := range sums {
		key.Commission = *sum
		s.Earned = append(s.Earned, key)
	}
	for _, b := range s.ledger.Bills {
		s.Bills = append(s.Bills, Bill{account1, b})
		if strings.HasSuffix(b.Business, "_reward") && b.Amount[0] != '-' { // the user forwards what arrives
			in := b
			in.ID, in.Business, in.Wallet, in.Created = b.ID+"1", "transfer_in", affiliate.FundingWallet, b.Created+300_000
			s.Bills = append(s.Bills, Bill{account1, in})
		}
	}
}

// ruleDrawn draws a rule of the simulator.
func ruleDrawn(random *rand.Rand) account.PayoutRule {
	period := account.PayoutPeriods()[random.IntN(4)]
	longest := map[account.PayoutPeriod]int{account.PayHourly: 90, account.PayDaily: 40 * 60, account.PayWeekly: 70 * 60, account.PayMonthly: 100 * 60}[period]
	return account.PayoutRule{
		Period: period, Delay: time.Duration(1+random.IntN(longest)) * time.Minute, Together: random.IntN(2) == 0,
		Faults: []account.PayoutFaults{account.PayoutFaultsNone, account.PayoutFaultsUsual, account.PayoutFaultsFew}[random.IntN(3)],
	}
}

// Of any rule of the simulator, the rule is found, and each line is that of the ledger.
func TestBooksOfSimulatedExchange(t *testing.T) {
	for range 12 {
		seed := rand.Int64N(1 << 40)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(uint64(seed), 1))
			rule := ruleDrawn(random)
			checkSimulated(t, simulate(t, seed, 120+random.IntN(280), 300+random.IntN(6000), rule), rule)
		})
	}
}

// Commissions that are listed only after they were paid do not look like wrong payments.
func TestBooksOfLiveExchange(t *testing.T) {
	for range 3 {
		seed := rand.Int64N(1 << 40)
		random := rand.New(rand.NewPCG(uint64(seed), 2))
		rule := account.PayoutRule{Period: account.PayoutPeriods()[random.IntN(3)], Delay: 8 * time.Hour, Together: random.IntN(2) == 0, Faults: account.PayoutFaultsNone}
		s := simulateLive(t, seed, 100, 1000, rule, time.Duration(random.Int64N(int64(14*24*time.Hour))))
		t.Log(seed, rule)
		checkSimulated(t, s, rule)
		for _, p := range s.payments {
			if p.State != "matched" && p.State != "pending" {
				t.Errorf("%+v", p)
			}
		}
	}
}

func checkSimulated(t *testing.T, s simulated, rule account.PayoutRule) {
	best, second, found := FindRule(s.Input, account1)
	want := Rule{Period: Period(rule.Period), Delay: rule.Delay, Together: rule.Together}
	got := Rule{Period: best.Rule.Period, Delay: best.Rule.Delay, Together: best.Rule.Together}
	if !found || got.String() != want.String() {
		t.Fatalf("found %v, %v: %d of %d bills by %v; second %d of %d by %v; want %+v", found, got, best.Explained, best.Bills, best.Rule,
			second.Explained, second.Bills, second.Rule, rule)
	}
	books := Make(s.Input, []Fixed{{Account: account1, Rule: best.Rule}})
	compare(t, books.Lines, s.payments)
	checkSums(t, s, books)
}

// What the exchange changes after it paid is told from what it paid wrongly, with the rule
// found in what it paid.
func TestBooksAfterRestatements(t *testing.T) {
	for range 4 {
		seed := rand.Int64N(1 << 40)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(uint64(seed), 3))
			rule := ruleDrawn(random)
			s := simulate(t, seed, 120+random.IntN(200), 300+random.IntN(3000), rule)
			restate(&s, random)
			checkSimulated(t, s, rule)
			best, _, _ := FindRule(s.Input, account1)
			restated := map[affiliate.Coin]*big.Rat{}
			add := func(coin affiliate.Coin, text string, by int64) {
				if restated[coin] == nil {
					restated[coin] = new(big.Rat)
				}
				restated[coin].Add(restated[coin], new(big.Rat).Mul(rat(t, text), big.NewRat(by, 1)))
			}
			for _, l := range Make(s.Input, []Fixed{{Account: account1, Rule: best.Rule}}).Lines {
				for _, c := range s.Changes {
					if len(l.Bills) > 0 && l.From <= c.Deal && c.Deal < l.To && l.Coin == c.Coin && (l.Kind == All || l.Kind == kindOf(c.Source)) {
						add(l.Coin, c.Difference.String(), 1)
					}
				}
				change := l.Restated()
				add(l.Coin, change.String(), -1)
			}
			for coin, rest := range restated {
				if rest.Sign() != 0 {
					t.Errorf("%v %s were restated and are not told", rest, coin)
				}
			}
		})
	}
}

// restate changes, removes and adds records that were paid, and notices it afterwards.
func restate(s *simulated, random *rand.Rand) {
	note := func(c affiliate.Commission, difference affiliate.Sum) {
		s.Changes = append(s.Changes, Change{Account: account1, Coin: c.Coin, Source: c.Source, Deal: c.DealTime, Noticed: s.Now, Difference: difference})
	}
	for range 8 {
		c := s.ledger.Commissions[random.IntN(len(s.ledger.Commissions))]
		if !s.sim.Remove(c) {
			continue // it is changed already
		}
		var difference affiliate.Sum
		difference.Sub(c.Commission)
		if random.IntN(2) == 0 {
			c.Commission = affiliate.Number(fmt.Sprintf("%d.%06d", random.IntN(3), random.IntN(1e6)))
			s.sim.Insert(c)
			difference.Add(c.Commission)
		}
		note(c, difference)
	}
	s.read()
}

// Whatever part of the programme is collected, nothing else is missing or short than if all
// were.
func TestBooksOfPartsCollected(t *testing.T) {
	seed := rand.Int64N(1 << 40)
	random := rand.New(rand.NewPCG(uint64(seed), 4))
	whole := simulate(t, seed, 100, 3000, account.PayoutRule{Together: random.IntN(2) == 0})
	best, _, _ := FindRule(whole.Input, account1)
	rules := []Fixed{{Account: account1, Rule: best.Rule}}
	type period struct {
		from affiliate.Millis
		coin affiliate.Coin
		kind Kind
	}
	truth := map[period]State{}
	for _, l := range Make(whole.Input, rules).Lines {
		truth[period{l.From, l.Coin, l.Kind}] = l.State
	}
	for range 20 {
		part := whole.Input
		part.EarnedKnown, part.PaidKnown = map[affiliate.Account][]Stretch{}, map[affiliate.Account][]Stretch{}
		from, to := whole.Now-affiliate.Millis(random.IntN(100))*dayMillis, whole.Now-affiliate.Millis(random.IntN(60))*dayMillis
		if random.IntN(2) == 0 {
			part.EarnedKnown[account1] = []Stretch{{from, to}}
			part.Earned = slices.DeleteFunc(slices.Clone(part.Earned), func(h HourSum) bool { return h.Start < from || h.Start >= to })
			part.PaidKnown = whole.PaidKnown
		} else {
			part.PaidKnown[account1] = []Stretch{{from, to}}
			part.Bills = slices.DeleteFunc(slices.Clone(part.Bills), func(b Bill) bool { return b.Created < from || b.Created >= to })
			part.EarnedKnown = whole.EarnedKnown
		}
		for _, l := range Make(part, rules).Lines {
			was := truth[period{l.From, l.Coin, l.Kind}]
			// Of a payment that came later than what is collected, nothing is known.
			if l.State == Missing && was != Missing && was != Late || l.State == Short && was != Short {
				t.Fatalf("seed %d, %v to %v of %v and %v: %+v, in truth %s", seed, from, to, part.EarnedKnown, part.PaidKnown, l, was)
			}
		}
	}
}

// compare prints the differences of the lines from those of the ledger.
func compare(t *testing.T, lines []Line, truth []account.Payment) {
	t.Helper()
	var got, want []string
	for i := range lines {
		l := &lines[i]
		difference := l.Difference()
		text := fmt.Sprint(l.From, l.To, l.Coin, " ", l.Kind, " ", l.Earned.String(), " ", l.Paid.String(), " ", difference.String(), " ", l.State)
		for _, b := range l.Bills {
			text += " " + b.ID
		}
		got = append(got, text)
	}
	for _, p := range truth {
		text := fmt.Sprint(p.From, p.To, p.Coin, " ", p.Kind, " ", p.Earned, " ", p.Paid, " ", p.Difference(), " ", p.State)
		for _, b := range p.Bills {
			text += " " + b.ID
		}
		want = append(want, text)
	}
	slices.Sort(got)
	slices.Sort(want)
	if slices.Equal(got, want) {
		return
	}
	only := func(a, b []string) string {
		text := ""
		n := 0
		for _, line := range a {
			if _, both := slices.BinarySearch(b, line); !both && n < 5 {
				text += "\n" + line
				n++
			}
		}
		return text
	}
	t.Errorf("%d lines, want %d; invented:%s\nnot found:%s", len(got), len(want), only(got, want), only(want, got))
}

// rat returns the value of a decimal.
func rat(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return r
}

// checkSums adds everything up again.
func checkSums(t *testing.T, s simulated, books Books) {
	t.Helper()
	type sum struct{ earned, paid *big.Rat }
	add := func(sums map[affiliate.Coin]*sum, coin affiliate.Coin, earned, paid string) {
		if sums[coin] == nil {
			sums[coin] = &sum{new(big.Rat), new(big.Rat)}
		}
		sums[coin].earned.Add(sums[coin].earned, rat(t, earned))
		sums[coin].paid.Add(sums[coin].paid, rat(t, paid))
	}
	cut := books.Lines[len(books.Lines)/3].From
	truth, lines, part, earlier := map[affiliate.Coin]*sum{}, map[affiliate.Coin]*sum{}, map[affiliate.Coin]*sum{}, map[affiliate.Coin]*sum{}
	for _, c := range s.ledger.Commissions {
		add(truth, c.Coin, string(c.Commission), "0")
		if c.DealTime < cut {
			add(earlier, c.Coin, string(c.Commission), "0")
		}
	}
	for _, b := range s.Bills {
		if strings.HasSuffix(b.Business, "_reward") {
			add(truth, b.Coin, "0", string(b.Amount))
		}
	}
	for i := range books.Lines {
		l := &books.Lines[i]
		earned, paid, difference := l.Earned, l.Paid, l.Difference()
		add(lines, l.Coin, earned.String(), paid.String())
		checkBalance(t, l.Balance())
		if rest := new(big.Rat).Sub(rat(t, paid.String()), rat(t, earned.String())); rest.Cmp(rat(t, difference.String())) != 0 {
			t.Errorf("difference %s of %s and %s", difference.String(), paid.String(), earned.String())
		}
		if l.From < cut && l.To <= cut {
			add(part, l.Coin, earned.String(), "0")
		}
	}
	for coin, want := range truth {
		add(lines, coin, "0", "0") // a coin of which only nothing was earned has no line
		if lines[coin].earned.Cmp(want.earned) != 0 || lines[coin].paid.Cmp(want.paid) != 0 {
			t.Errorf("%s: %v and %v, want %v and %v", coin, lines[coin].earned, lines[coin].paid, want.earned, want.paid)
		}
	}
	// All lines before the cut that are no single bills end there, unless it is inside a period.
	inside := slices.ContainsFunc(books.Lines, func(l Line) bool { return l.From < cut && l.To > cut })
	for coin, want := range earlier {
		if add(part, coin, "0", "0"); !inside && part[coin].earned.Cmp(want.earned) != 0 {
			t.Errorf("%s until %v: %v, want %v", coin, cut, part[coin].earned, want.earned)
		}
	}
	for i := range books.Totals {
		total := &books.Totals[i]
		if want := lines[total.Coin]; want != nil && (rat(t, total.Earned.String()).Cmp(want.earned) != 0 || rat(t, total.Paid.String()).Cmp(want.paid) != 0) {
			t.Errorf("total %+v, want %+v", total, want)
		}
	}
}

// The rule does not depend on the order of the input, and a second look gives the same.
func TestFindRuleIsDeterministic(t *testing.T) {
	seed := rand.Int64N(1 << 40)
	s := simulate(t, seed, 150, 1500, account.PayoutRule{Together: seed%2 == 0})
	print := func() string {
		best, second, found := FindRule(s.Input, account1)
		b := Make(s.Input, []Fixed{{Account: account1, Rule: best.Rule}})
		return fmt.Sprint(best, second, found, b)
	}
	first := print()
	for range 3 {
		rand.Shuffle(len(s.Bills), func(i, j int) { s.Bills[i], s.Bills[j] = s.Bills[j], s.Bills[i] })
		rand.Shuffle(len(s.Earned), func(i, j int) { s.Earned[i], s.Earned[j] = s.Earned[j], s.Earned[i] })
		if again := print(); again != first {
			t.Fatalf("seed %d: another order gives other books", seed)
		}
	}
}

// A late payment is missing until it arrives.
func TestLateBillClearsItsLine(t *testing.T) {
	s := simulate(t, 3, 200, 4000, account.PayoutRule{})
	best, _, _ := FindRule(s.Input, account1)
	rules := []Fixed{{Account: account1, Rule: best.Rule}}
	cleared := 0
	for _, p := range s.payments {
		if p.State != "late" || p.Coin != "USDT" {
			continue
		}
		at := p.Bills[0].At
		for _, now := range []affiliate.Millis{at - 1, at} {
			then := s.Input
			then.Now = now
			then.Bills = slices.DeleteFunc(slices.Clone(then.Bills), func(b Bill) bool { return b.Created > now })
			want := map[bool]State{true: Missing, false: Late}[now < at]
			for _, l := range Make(then, rules).Lines {
				if l.From == p.From && l.Coin == p.Coin && string(l.Kind) == p.Kind && l.State != want {
					t.Errorf("at %v: %+v, want %s", now, l, want)
				}
			}
		}
		cleared++
	}
	if cleared == 0 {
		t.Error("nothing was late")
	}
}

// everyHour is the input of an exchange that pays the commissions of all hours, in six coins
// and both kinds.
func everyHour(days int, period Period) Input {
	now := affiliate.Millis(days) * dayMillis
	in := Input{Now: now, EarnedKnown: always(account1), PaidKnown: always(account1)}
	random := rand.New(rand.NewPCG(1, 2))
	types := map[affiliate.Source]string{affiliate.Direct: directReward, affiliate.SubAgent: subReward}
	for _, coin := range []affiliate.Coin{"BTC", "ETH", "USDC", "USDT", "SOL", "XRP"} {
		for _, source := range affiliate.Sources() {
			var sum affiliate.Sum
			for at := affiliate.Millis(0); at < now; at += hourMillis {
				h := HourSum{Account: account1, Coin: coin, Source: source, Start: at}
				h.Commission.AddUnits(1+random.Int64N(1e15), 12)
				in.Earned = append(in.Earned, h)
				sum.AddSum(h.Commission)
				if _, to := period.Around(at); to == at+hourMillis && to+hourMillis < now {
					in.Bills = append(in.Bills, Bill{account1, affiliate.Bill{
						Wallet: affiliate.SpotWallet, ID: fmt.Sprint(len(in.Bills)), Coin: coin, Business: types[source], Amount: affiliate.Number(sum.String()),
						Created: to + 20*60_000 + affiliate.Millis(random.Int64N(300_000)),
					}})
					sum = affiliate.Sum{}
				}
			}
		}
	}
	return in
}

func BenchmarkBooks(b *testing.B) {
	for _, period := range []Period{Hour, Day} {
		in := everyHour(400, period)
		best, _, found := FindRule(in, account1)
		if !found || best.Rule.Period != period {
			b.Fatalf("%+v", best.Rule)
		}
		b.Run("find "+string(period), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				FindRule(in, account1)
			}
		})
		b.Run("make "+string(period), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Make(in, []Fixed{{Account: account1, Rule: best.Rule}})
			}
		})
	}
}
