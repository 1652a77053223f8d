package books

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"time"

	"rebatedesk/affiliate"
)

const (
	// fewestHits is how many bills a rule must explain to be one.
	fewestHits = 3
	// mostTwins is how many bills of one amount are looked at for one period.
	mostTwins = 16
	// fullWeight is the weight of all bills together.
	fullWeight = 1 << 50
)

// FindRule finds the rule by which an account is paid, and the best rule with another period
// or another way to join the kinds. found is false if no rule explains, to the last digit and
// on time, at least half of the bills or of the amount of its business types.
func FindRule(in Input, account affiliate.Account) (best, second Score, found bool) {
	f := newFinder(in, account)
	f.weigh()
	var tries []try
	for _, period := range slices.Backward(Periods()) { // the longest first
		for _, together := range []bool{false, true} {
			if t, ok := f.try(period, together); ok {
				tries = append(tries, t)
			}
		}
	}
	// Break ties by fewest bill types, then by longest period.
	slices.SortStableFunc(tries, func(a, b try) int {
		return cmp.Or(-cmp.Compare(a.weight, b.weight), cmp.Compare(a.score.Rule.concepts(), b.score.Rule.concepts()))
	})
	if len(tries) > 0 {
		best, found = tries[0].score, tries[0].good
	}
	if len(tries) > 1 {
		second = tries[1].score
	}
	return best, second, found
}

// concepts orders rules that explain the same: apart, as the interface document has a type
// for each kind; together; and apart with a type that has to serve both kinds.
func (r *Rule) concepts() int {
	shared := slices.ContainsFunc(r.Types[Direct], func(business string) bool { return slices.Contains(r.Types[Sub], business) })
	switch {
	case r.Together:
		return 1
	case shared:
		return 2
	}
	return 0
}

// ScoreOf says how much a rule explains of the payments to an account.
func ScoreOf(in Input, account affiliate.Account, rule Rule) Score {
	score, _, _ := newFinder(in, account).score(rule)
	return score
}

// finder looks for the rule of one account.
type finder struct {
	coins   []*accruals
	amounts []map[string][]*payment // by coin: bills by amount, oldest first
	periods map[accrualKey][]accrual
	found   map[accrualKey][]hit // of all coins: coin is -1
	round   int                  // marks accruals and payments anew
}

type accrualKey struct {
	coin   int
	period Period
	kind   Kind
}

func newFinder(in Input, account affiliate.Account) *finder {
	f := &finder{
		coins: accrualsOf(in, account, func(b *Bill) bool {
			return b.Amount.Known() && b.Amount[0] != '-' && !b.Amount.IsZero()
		}),
		periods: map[accrualKey][]accrual{}, found: map[accrualKey][]hit{},
	}
	var text []byte
	for _, a := range f.coins {
		amounts := make(map[string][]*payment, len(a.bills))
		for _, p := range a.bills {
			text = p.amount.AppendTo(text[:0])
			amounts[string(text)] = append(amounts[string(text)], p)
		}
		f.amounts = append(f.amounts, amounts)
	}
	return f
}

func (f *finder) of(coin int, period Period, kind Kind) []accrual {
	key := accrualKey{coin, period, kind}
	all, ok := f.periods[key]
	if !ok {
		all = f.coins[coin].periods(period, kind, math.MinInt64, math.MaxInt64)
		f.periods[key] = all
	}
	return all
}

// hit is a bill that has exactly the amount of a period before it.
type hit struct {
	delay   time.Duration
	payment *payment
	accrual *accrual
	kind    Kind
}

// hits finds the bills that may pay the periods of a kind.
func (f *finder) hits(period Period, kind Kind) []hit {
	key := accrualKey{-1, period, kind}
	if all, ok := f.found[key]; ok {
		return all
	}
	var all []hit
	longest := affiliate.Millis(period.longestDelay() / time.Millisecond)
	var text []byte
	for coin, amounts := range f.amounts {
		if len(amounts) == 0 {
			continue
		}
		periods := f.of(coin, period, kind)
		for i := range periods {
			a := &periods[i]
			newest := true
			a.versions(math.MinInt64, func(version affiliate.Sum) bool {
				if sign(version) <= 0 {
					newest = false
					return true
				}
				text = version.AppendTo(text[:0])
				twins := amounts[string(text)]
				first, _ := slices.BinarySearchFunc(twins, a.to, func(p *payment, to affiliate.Millis) int {
					return cmp.Compare(p.bill.Created, to)
				})
				for n, p := range twins[first:] {
					if n >= mostTwins || p.bill.Created-a.to > longest {
						break
					}
					if newest || a.equals(&p.amount, p.bill.Created) {
						all = append(all, hit{time.Duration(p.bill.Created-a.to) * time.Millisecond, p, a, kind})
					}
				}
				newest = false
				return true
			})
		}
	}
	f.found[key] = all
	return all
}

// weigh gives each bill that any rule may explain its weight: half of all weight counts the
// bills, half is shared equally by the coins, and in each by the amounts. Amounts of
// different coins cannot be added, and a count alone would let dust decide.
func (f *finder) weigh() {
	f.round++
	number := int64(0)
	for _, period := range Periods() {
		for _, kind := range []Kind{Direct, Sub, All} {
			for _, h := range f.hits(period, kind) {
				if h.payment.mark != f.round {
					h.payment.mark = f.round
					number++
				}
			}
		}
	}
	totals, coins := make([]affiliate.Sum, len(f.coins)), int64(0)
	for i, a := range f.coins {
		for _, p := range a.bills {
			if p.mark == f.round {
				totals[i].AddSum(p.amount)
			}
		}
		if sign(totals[i]) > 0 {
			coins++
		}
	}
	for i, a := range f.coins {
		if sign(totals[i]) == 0 {
			continue
		}
		total := unitsOf(&totals[i])
		for _, p := range a.bills {
			if p.mark == f.round {
				share := unitsOf(&p.amount)
				share.Mul(share, big.NewInt(fullWeight/2/coins))
				p.weight = fullWeight/2/number + share.Quo(share, total).Int64()
			}
		}
	}
}

// unitsOf returns a sum in units of 10^-18.
func unitsOf(s *affiliate.Sum) *big.Int { return s.Decimal().Shift(18).BigInt() }

// try is a rule with what it explains.
type try struct {
	score  Score
	weight int64 // of the explained bills
	good   bool
}

// try finds the best rule of a period.
func (f *finder) try(period Period, together bool) (try, bool) {
	rule := Rule{Period: period, Together: together, Types: map[Kind][]string{}}
	var hits []hit
	for _, kind := range rule.kinds() {
		hits = append(hits, f.hits(period, kind)...)
	}
	if len(hits) == 0 {
		return try{}, false
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(a.delay, b.delay) })
	hits = cluster(hits, period.longestSpread())
	first, last := hits[0].delay, hits[len(hits)-1].delay
	rule.Delay = first.Truncate(time.Minute)
	rule.Window = window(period, last-rule.Delay)
	f.chooseTypes(&rule, hits)
	var t try
	t.score, t.weight, t.good = f.score(rule)
	found := len(rule.BusinessTypes())
	f.nameUsualTypes(&rule)
	if len(rule.BusinessTypes()) > found {
		t.score, t.weight, _ = f.score(rule)
	}
	t.score.Rule = rule
	return t, true
}

// window returns how long payments are on time, if those that were seen lie so far apart:
// twice as long, in whole quarters of an hour.
func window(period Period, spread time.Duration) time.Duration {
	const quarter = 15 * time.Minute
	twice := (2*spread + quarter - 1) / quarter * quarter
	return min(max(twice, period.leastWindow()), period.length())
}

// cluster returns the hits, sorted by delay, of the range of delays that explains most:
// first of the given length, then without outliers.
func cluster(hits []hit, length time.Duration) []hit {
	for _, h := range hits {
		h.accrual.count = 0
	}
	var weight, most int64
	from, to := 0, 0
	for i, j := 0, 0; j < len(hits); j++ {
		if hits[j].accrual.count++; hits[j].accrual.count == 1 {
			weight += hits[j].payment.weight
		}
		for ; hits[j].delay-hits[i].delay > length; i++ {
			if hits[i].accrual.count--; hits[i].accrual.count == 0 {
				weight -= hits[i].payment.weight
			}
		}
		if weight > most {
			most, from, to = weight, i, j+1
		}
	}
	return withoutOutliers(hits[from:to])
}

// withoutOutliers cuts hits by chance off the ends of a cluster. It looks for the shortest
// range with nearly all of the weight, and keeps what is near to it.
func withoutOutliers(hits []hit) []hit {
	var total int64
	for _, h := range hits {
		total += h.payment.weight
	}
	from, to := 0, len(hits)
	var weight int64
	for i, j := 0, 0; j < len(hits); j++ {
		weight += hits[j].payment.weight
		for weight-hits[i].payment.weight >= total-total/25 {
			weight -= hits[i].payment.weight
			i++
		}
		if weight >= total-total/25 && hits[j].delay-hits[i].delay < hits[to-1].delay-hits[from].delay {
			from, to = i, j+1
		}
	}
	near := max(hits[to-1].delay-hits[from].delay, 10*time.Minute)
	for from > 0 && hits[from].delay-hits[from-1].delay <= near {
		from--
	}
	for to < len(hits) && hits[to].delay-hits[to-1].delay <= near {
		to++
	}
	return hits[from:to]
}

// ownMoney are business types of the user's own money, which come last: who forwards each
// reward has a transfer of the same amount.
var ownMoney = map[string]bool{
	"deposit": true, "transfer_in": true, "trade_in": true, "trade_out": true, "internal_deposit": true, "buy_success": true,
	"sell_cancel": true, "withdraw_failed": true, "c2c_buy": true, "c2c_unfreeze": true, "ptoken_unlock": true, "ptoken_retrieve": true,
}

// evidence is what one business type explains.
type evidence struct {
	business string
	hits     []hit
	weight   int64 // of the hits, each period once
}

// chooseTypes gives the rule its business types: those of which the hits explain at least
// half, without what a type before it has already explained.
func (f *finder) chooseTypes(rule *Rule, hits []hit) {
	byType := map[string]*evidence{}
	var all []*evidence
	for _, h := range hits {
		e := byType[h.payment.bill.Business]
		if e == nil {
			e = &evidence{business: h.payment.bill.Business}
			byType[e.business] = e
			all = append(all, e)
		}
		e.hits = append(e.hits, h)
		e.weight += h.payment.weight
	}
	class := func(business string) int {
		switch {
		case slices.Contains(DefaultTypes(), business):
			return 0
		case ownMoney[business]:
			return 2
		}
		return 1
	}
	slices.SortFunc(all, func(a, b *evidence) int {
		return cmp.Or(cmp.Compare(class(a.business), class(b.business)), -cmp.Compare(a.weight, b.weight), cmp.Compare(a.business, b.business))
	})
	f.round++
	for _, e := range all {
		paid, kinds := 0, map[Kind]int{}
		var periods []*accrual
		for _, h := range e.hits {
			if h.accrual.mark != f.round && h.payment.mark != f.round {
				h.accrual.mark, h.payment.mark = f.round, f.round
				paid++
				kinds[h.kind]++
				periods = append(periods, h.accrual)
			}
		}
		if paid < fewestHits || !f.half(func(b *Bill) bool { return b.Business == e.business }) {
			for _, a := range periods {
				a.mark = 0
			}
			continue
		}
		for _, kind := range rule.kinds() {
			if n := kinds[kind]; n >= fewestHits && n*50 >= paid || n == paid {
				rule.Types[kind] = append(rule.Types[kind], e.business)
			}
		}
	}
	for _, kind := range rule.kinds() {
		slices.Sort(rule.Types[kind])
	}
}

// half reports whether at least half of some bills is marked as explained: of their number, or of
// their amount in the mean of the coins.
func (f *finder) half(counts func(*Bill) bool) bool {
	bills, explained, coins := 0, 0, int64(0)
	const whole = 1 << 32
	var shares int64
	for _, a := range f.coins {
		var all, some affiliate.Sum
		for _, p := range a.bills {
			if counts(p.bill) {
				bills++
				all.AddSum(p.amount)
				if p.mark == f.round {
					explained++
					some.AddSum(p.amount)
				}
			}
		}
		if sign(all) > 0 {
			coins++
			share := unitsOf(&some)
			shares += share.Quo(share.Mul(share, big.NewInt(whole)), unitsOf(&all)).Int64()
		}
	}
	return bills > 0 && (2*explained >= bills || 2*shares >= coins*whole)
}

// nameUsualTypes adds the usual business types to a rule in which they have no place yet:
// their bills count, even if the rule does not explain them.
func (f *finder) nameUsualTypes(rule *Rule) {
	present := map[string]bool{}
	for _, a := range f.coins {
		for _, p := range a.bills {
			present[p.bill.Business] = true
		}
	}
	for _, kind := range rule.kinds() {
		for _, business := range DefaultTypes() {
			usual := kind == All && present[business] || kind == Direct && business == directReward || kind == Sub && business == subReward
			if usual && len(rule.kindsOf(business)) == 0 && (kind == All || present[business] || len(rule.Types[kind]) == 0) {
				rule.Types[kind] = append(rule.Types[kind], business)
			}
		}
		slices.Sort(rule.Types[kind])
	}
}

// score counts and marks what a rule explains.
func (f *finder) score(rule Rule) (score Score, weight int64, good bool) {
	score.Rule = rule
	counted := map[string]bool{}
	for _, business := range rule.BusinessTypes() {
		counted[business] = true
	}
	f.round++
	for coin, a := range f.coins {
		line := CoinScore{Coin: a.coin}
		for _, p := range a.bills {
			if !counted[p.bill.Business] {
				continue
			}
			score.Bills++
			line.Paid.AddSum(p.amount)
			for _, kind := range rule.kindsOf(p.bill.Business) {
				if found := f.paidBy(coin, &rule, kind, p); found != nil {
					found.mark, p.mark = f.round, f.round
					score.Explained++
					weight += p.weight
					line.Explained.AddSum(p.amount)
					break
				}
			}
		}
		if sign(line.Paid) > 0 {
			score.Coins = append(score.Coins, line)
		}
	}
	good = score.Explained >= fewestHits && f.half(func(b *Bill) bool { return counted[b.Business] })
	return score, weight, good
}

// paidBy returns the period that a bill pays exactly and on time.
func (f *finder) paidBy(coin int, rule *Rule, kind Kind, p *payment) *accrual {
	periods := f.of(coin, rule.Period, kind)
	from, to := rule.ends(p.bill.Created)
	i, _ := slices.BinarySearchFunc(periods, from, func(a accrual, from affiliate.Millis) int { return cmp.Compare(a.to, from) })
	for ; i < len(periods) && periods[i].to <= to; i++ {
		if a := &periods[i]; a.mark != f.round && a.equals(&p.amount, p.bill.Created) {
			return a
		}
	}
	return nil
}

// ends returns the first and the last instant at which a period may have ended that is paid
// on time at an instant.
func (r *Rule) ends(paid affiliate.Millis) (first, last affiliate.Millis) {
	last = paid - affiliate.Millis(r.Delay/time.Millisecond)
	return last - affiliate.Millis(r.Window/time.Millisecond), last
}
