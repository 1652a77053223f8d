package books

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"rebatedesk/affiliate"
)

// accruals are what one account earned in one coin, hour by hour.
type accruals struct {
	coin   affiliate.Coin
	ahead  affiliate.Millis  // of UTC, the exchange's zone
	hours  map[Kind][]hourOf // of Direct, Sub and All, by time, each hour once
	change map[Kind][]Change // by the time of the deal
	bills  []*payment        // that may be payments, oldest first
}

type hourOf struct {
	start affiliate.Millis
	sum   affiliate.Sum
}

// payment is a bill with its amount as a sum.
type payment struct {
	bill   *Bill
	alone  []Bill // the bill only
	amount affiliate.Sum
	used   bool // assigned to a line

	weight int64 // of the finder: its share in what rules can explain
	mark   int
}

// sign returns the sign of a sum.
func sign(s affiliate.Sum) int { return s.Cmp(new(affiliate.Sum)) }

// less returns a − b.
func less(a, b affiliate.Sum) affiliate.Sum {
	a.AddSum(b.Negated())
	return a
}

// kindOf returns the kind of a source when kinds are paid apart.
func kindOf(source affiliate.Source) Kind {
	if source == affiliate.SubAgent {
		return Sub
	}
	return Direct
}

// accrualsOf sorts what belongs to an account by coin. It keeps the bills that a function
// accepts.
func accrualsOf(in Input, account affiliate.Account, counts func(*Bill) bool) []*accruals {
	byCoin := map[affiliate.Coin]*accruals{}
	of := func(coin affiliate.Coin) *accruals {
		a := byCoin[coin]
		if a == nil {
			a = &accruals{coin: coin, ahead: in.Ahead[account], hours: map[Kind][]hourOf{}, change: map[Kind][]Change{}}
			byCoin[coin] = a
		}
		return a
	}
	for i := range in.Earned {
		if h := &in.Earned[i]; h.Account == account {
			a, kind := of(h.Coin), kindOf(h.Source)
			a.hours[kind] = append(a.hours[kind], hourOf{h.Start, h.Commission})
		}
	}
	for i := range in.Changes {
		if c := &in.Changes[i]; c.Account == account {
			a, kind := of(c.Coin), kindOf(c.Source)
			a.change[kind] = append(a.change[kind], *c)
		}
	}
	var counted []int
	for i := range in.Bills {
		if b := &in.Bills[i]; b.Account == account && counts(b) {
			counted = append(counted, i)
		}
	}
	payments := make([]payment, len(counted))
	for n, i := range counted {
		p := &payments[n]
		p.bill, p.alone = &in.Bills[i], in.Bills[i:i+1:i+1]
		p.amount.Add(p.bill.Amount)
		a := of(p.bill.Coin)
		a.bills = append(a.bills, p)
	}
	all := make([]*accruals, 0, len(byCoin))
	for _, a := range byCoin {
		a.settle()
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b *accruals) int { return cmp.Compare(a.coin, b.coin) })
	return all
}

// settle puts everything in order, and adds up the kind that has both.
func (a *accruals) settle() {
	for _, kind := range []Kind{Direct, Sub} {
		a.hours[kind] = inOrder(a.hours[kind])
		a.change[All] = append(a.change[All], a.change[kind]...)
	}
	a.hours[All] = inOrder(slices.Concat(a.hours[Direct], a.hours[Sub]))
	for _, list := range a.change {
		slices.SortStableFunc(list, func(x, y Change) int { return cmp.Compare(x.Deal, y.Deal) })
	}
	byTime := func(x, y *payment) int {
		return cmp.Or(cmp.Compare(x.bill.Created, y.bill.Created), cmp.Compare(len(x.bill.ID), len(y.bill.ID)),
			cmp.Compare(x.bill.ID, y.bill.ID), cmp.Compare(x.bill.Wallet, y.bill.Wallet))
	}
	if !slices.IsSortedFunc(a.bills, byTime) {
		slices.SortStableFunc(a.bills, byTime)
	}
}

// inOrder sorts hours, and joins those that are equal.
func inOrder(hours []hourOf) []hourOf {
	byTime := func(x, y hourOf) int { return cmp.Compare(x.start, y.start) }
	if !slices.IsSortedFunc(hours, byTime) {
		slices.SortStableFunc(hours, byTime)
	}
	kept := hours[:0]
	for _, h := range hours {
		if last := len(kept) - 1; last >= 0 && kept[last].start == h.start {
			kept[last].sum.AddSum(h.sum)
			continue
		}
		kept = append(kept, h)
	}
	return kept
}

// accrual is what was earned in one period.
type accrual struct {
	from, to affiliate.Millis
	earned   affiliate.Sum
	steps    []step // oldest first

	mark, count int // of the finder
}

// step is what was noticed of an accrual at one instant.
type step struct {
	noticed    affiliate.Millis
	difference affiliate.Sum
}

// periods adds up a kind by the periods that begin in a range of time, which cuts the first
// and the last. Periods without commissions and changes are left out.
func (a *accruals) periods(p Period, kind Kind, from, until affiliate.Millis) (all []accrual) {
	hours, changes := a.hours[kind], a.change[kind]
	hours = hours[sort.Search(len(hours), func(i int) bool { return hours[i].start >= from }):]
	hours = hours[:sort.Search(len(hours), func(i int) bool { return hours[i].start >= until })]
	changes = changes[sort.Search(len(changes), func(i int) bool { return changes[i].Deal >= from }):]
	changes = changes[:sort.Search(len(changes), func(i int) bool { return changes[i].Deal >= until })]
	all = make([]accrual, 0, int(time.Duration(len(hours))*time.Hour/p.length())+len(changes)+1) // enough, if all hours have commissions
	for len(hours)+len(changes) > 0 {
		at := until
		if len(hours) > 0 {
			at = hours[0].start
		}
		if len(changes) > 0 {
			at = min(at, changes[0].Deal)
		}
		next := accrual{}
		next.from, next.to = p.AroundIn(at, a.ahead)
		next.from, next.to = max(next.from, from), min(next.to, until)
		for len(hours) > 0 && hours[0].start < next.to {
			next.earned.AddSum(hours[0].sum)
			hours = hours[1:]
		}
		for len(changes) > 0 && changes[0].Deal < next.to {
			next.steps = append(next.steps, step{changes[0].Noticed, changes[0].Difference})
			changes = changes[1:]
		}
		next.steps = joined(next.steps)
		if sign(next.earned) != 0 || len(next.steps) > 0 {
			all = append(all, next)
		}
	}
	return all
}

// joined sorts steps, and makes one of those that were noticed together.
func joined(steps []step) []step {
	slices.SortStableFunc(steps, func(x, y step) int { return cmp.Compare(x.noticed, y.noticed) })
	kept := steps[:0]
	for _, s := range steps {
		if last := len(kept) - 1; last >= 0 && kept[last].noticed == s.noticed {
			kept[last].difference.AddSum(s.difference)
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// versions yields what the exchange may have known at an instant, the newest first: the sum
// of today, and what it was before each change that was noticed after the instant. The
// exchange can change a record before we notice.
func (a *accrual) versions(at affiliate.Millis, yield func(affiliate.Sum) bool) {
	sum := a.earned
	if !yield(sum) {
		return
	}
	for i := len(a.steps) - 1; i >= 0 && a.steps[i].noticed > at; i-- {
		sum = less(sum, a.steps[i].difference)
		if !yield(sum) {
			return
		}
	}
}

// equals reports whether an amount is what the exchange may have known at an instant.
func (a *accrual) equals(amount *affiliate.Sum, at affiliate.Millis) bool {
	if len(a.steps) == 0 {
		return a.earned.Cmp(amount) == 0
	}
	found := false
	a.versions(at, func(version affiliate.Sum) bool {
		found = version.Cmp(amount) == 0
		return !found
	})
	return found
}
