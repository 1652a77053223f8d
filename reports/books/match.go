package books

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"rebatedesk/affiliate"
)

// entry is a line in the making.
type entry struct {
	accrual
	shelf  *shelf
	bills  []*payment
	paid   affiliate.Sum
	first  affiliate.Sum // what was paid at first, without later rests, repetitions and what was taken back
	double bool          // the same amount was paid again
}

// shelf holds the entries of one coin and kind while one rule holds.
type shelf struct {
	rule        *Rule
	kind        Kind
	from, until affiliate.Millis
	entries     []entry  // by time
	extra       []*entry // of periods without commissions
}

// matcher assigns the bills of one account in one coin.
type matcher struct {
	shelves    []*shelf
	known      stretches // of what was earned
	now        affiliate.Millis
	ahead      affiliate.Millis // of UTC, the exchange's zone
	open       []*payment
	kindOfType map[string][]*shelf
}

// newMatcher makes the entries of a coin under the rules of its account.
func newMatcher(a *accruals, rules []Fixed, known stretches, now affiliate.Millis) *matcher {
	m := &matcher{open: slices.Clone(a.bills), known: known, now: now, ahead: a.ahead, kindOfType: map[string][]*shelf{}}
	for i := range rules {
		from, until := affiliate.Millis(math.MinInt64), affiliate.Millis(math.MaxInt64)
		if i > 0 {
			from = rules[i].From
		}
		if i+1 < len(rules) {
			until = rules[i+1].From
		}
		rule := &rules[i].Rule
		for _, kind := range rule.kinds() {
			s := &shelf{rule: rule, kind: kind, from: from, until: until}
			sums := a.periods(rule.Period, kind, from, until)
			s.entries = make([]entry, len(sums))
			for j := range sums {
				s.entries[j] = entry{accrual: sums[j], shelf: s}
			}
			m.shelves = append(m.shelves, s)
			for _, business := range rule.Types[kind] {
				m.kindOfType[business] = append(m.kindOfType[business], s)
			}
		}
	}
	return m
}

// settling is how long after a period its commissions may still be listed. The exchange pays
// them all the same.
const settling = 3 * dayMillis

// settled reports whether the commissions of a period are completely collected and listed.
func (m *matcher) settled(from, to affiliate.Millis) bool {
	return m.known.cover(from, to) && m.now >= to+settling
}

// due returns the last instant at which the payment is on time.
func (e *entry) due() affiliate.Millis {
	return e.to + affiliate.Millis((e.shelf.rule.Delay+e.shelf.rule.Window)/time.Millisecond)
}

// assign adds the first payment of an entry, or a part of it.
func (e *entry) assign(p *payment) {
	e.first.AddSum(p.amount)
	e.add(p)
}

func (e *entry) add(p *payment) {
	e.bills = append(e.bills, p)
	e.paid.AddSum(p.amount)
	p.used = true
}

// match assigns bills to entries, the surest first. What is left in m.open belongs to none.
func (m *matcher) match() {
	for _, assign := range []func(){
		m.exactOnTime, m.partsOnTime, m.exactLater, m.restOnTime, m.rests, m.again, m.takenBack,
	} {
		if len(m.open) == 0 {
			return
		}
		assign()
		m.open = slices.DeleteFunc(m.open, func(p *payment) bool { return p.used })
	}
}

// inTime yields the entries for which a bill is on time.
func (m *matcher) inTime(p *payment, yield func(*entry) bool) {
	for _, s := range m.kindOfType[p.bill.Business] {
		from, to := s.rule.ends(p.bill.Created)
		i := sort.Search(len(s.entries), func(i int) bool { return s.entries[i].to >= from })
		for ; i < len(s.entries) && s.entries[i].to <= to; i++ {
			if !yield(&s.entries[i]) {
				return
			}
		}
	}
}

// exactOnTime assigns bills that are exactly the amount of a period whose time it is.
func (m *matcher) exactOnTime() {
	for _, p := range m.open {
		if sign(p.amount) <= 0 {
			continue
		}
		m.inTime(p, func(e *entry) bool {
			if len(e.bills) == 0 && e.equals(&p.amount, p.bill.Created) {
				e.assign(p)
			}
			return !p.used
		})
	}
}

// candidates collects the positive bills that are on time for entries without bills, in the
// order of the entries' first ones.
func (m *matcher) candidates(of func(*payment) []*entry) (order []*entry, bills map[*entry][]*payment) {
	bills = map[*entry][]*payment{}
	for _, p := range m.open {
		if sign(p.amount) <= 0 {
			continue
		}
		for _, e := range of(p) {
			if bills[e] == nil {
				order = append(order, e)
			}
			bills[e] = append(bills[e], p)
		}
	}
	return order, bills
}

// partsOnTime assigns bills that together are exactly the amount of a period whose time it
// is.
func (m *matcher) partsOnTime() {
	order, bills := m.candidates(func(p *payment) (all []*entry) {
		m.inTime(p, func(e *entry) bool {
			if len(e.bills) == 0 {
				all = append(all, e)
			}
			return true
		})
		return all
	})
	for _, e := range order {
		var sum affiliate.Sum
		parts := slices.DeleteFunc(bills[e], func(p *payment) bool { return p.used })
		for _, p := range parts {
			sum.AddSum(p.amount)
		}
		if len(parts) > 1 && e.equals(&sum, parts[0].bill.Created) {
			for _, p := range parts {
				e.assign(p)
			}
		}
	}
}

// index finds entries by an amount.
type index map[string][]*entry

func (x index) add(amount affiliate.Sum, e *entry) {
	key := amount.String()
	if at := x[key]; len(at) == 0 || at[len(at)-1] != e {
		x[key] = append(at, e)
	}
}

// nearest returns the entry of an amount whose period ended last before a bill, of those
// that the bill may pay and that a function accepts.
func (x index) nearest(amount affiliate.Sum, p *payment, accepts func(*entry) bool) *entry {
	all := x[amount.String()]
	if all == nil {
		return nil
	}
	for i := sort.Search(len(all), func(i int) bool { return all[i].to > p.bill.Created }) - 1; i >= 0; i-- {
		if e := all[i]; slices.Contains(e.shelf.rule.Types[e.shelf.kind], p.bill.Business) && accepts(e) {
			return e
		}
	}
	return nil
}

// indexed makes an index of the entries by the amounts that a function yields for them.
func (m *matcher) indexed(amounts func(e *entry, add func(affiliate.Sum, *entry))) index {
	x := index{}
	m.each(func(e *entry) { amounts(e, x.add) })
	for _, all := range x {
		slices.SortStableFunc(all, func(a, b *entry) int { return cmp.Compare(a.to, b.to) })
	}
	return x
}

// each calls a function for every entry.
func (m *matcher) each(do func(*entry)) {
	for _, s := range m.shelves {
		for i := range s.entries {
			do(&s.entries[i])
		}
		for _, e := range s.extra {
			do(e)
		}
	}
}

// exactLater assigns bills that are exactly the amount of a period without bills, whose time
// is not yet or no more.
func (m *matcher) exactLater() {
	unpaid := m.indexed(func(e *entry, add func(affiliate.Sum, *entry)) {
		if len(e.bills) == 0 {
			e.versions(math.MinInt64, func(version affiliate.Sum) bool {
				if sign(version) > 0 {
					add(version, e)
				}
				return true
			})
		}
	})
	for _, p := range m.open {
		e := unpaid.nearest(p.amount, p, func(e *entry) bool { return len(e.bills) == 0 && e.equals(&p.amount, p.bill.Created) })
		if e != nil {
			e.assign(p)
		}
	}
}

// restOnTime assigns what else arrived at the time of a period without bills: too little, or
// too much.
func (m *matcher) restOnTime() {
	empty := map[*shelf]map[affiliate.Millis]*entry{}
	order, bills := m.candidates(func(p *payment) []*entry {
		var best *entry
		m.inTime(p, func(e *entry) bool {
			if len(e.bills) == 0 && e.expectsPayment(p.bill.Created) && (best == nil || nearer(p, e, best)) {
				best = e
			}
			return true
		})
		if best == nil {
			best = m.unsettled(p, empty)
		}
		if best == nil {
			return nil
		}
		return []*entry{best}
	})
	for _, e := range order {
		for _, p := range bills[e] {
			e.double = e.double || slices.ContainsFunc(e.bills, func(o *payment) bool { return o.amount.Cmp(&p.amount) == 0 })
			e.assign(p)
		}
	}
}

// expectsPayment reports whether something was owed, as known at an instant or since.
func (e *entry) expectsPayment(at affiliate.Millis) (owed bool) {
	e.versions(at, func(version affiliate.Sum) bool {
		owed = sign(version) > 0
		return !owed
	})
	return owed
}

// nearer reports whether a bill is nearer to the amount of e than to that of o.
func nearer(p *payment, e, o *entry) bool {
	distance := func(e *entry) affiliate.Sum {
		d := less(p.amount, e.earned)
		if sign(d) < 0 {
			d = d.Negated()
		}
		return d
	}
	de, do := distance(e), distance(o)
	return de.Cmp(&do) < 0
}

// unsettled returns the period that a bill would pay on time, if its commissions are not
// completely known yet: they will tell.
func (m *matcher) unsettled(p *payment, empty map[*shelf]map[affiliate.Millis]*entry) *entry {
	for _, s := range m.kindOfType[p.bill.Business] {
		first, last := s.rule.ends(p.bill.Created)
		from, to := s.rule.Period.AroundIn(last-1, m.ahead)
		if to > last {
			from, to = s.rule.Period.AroundIn(from-1, m.ahead)
		}
		from, to = max(from, s.from), min(to, s.until)
		if to < first || from >= to || m.settled(from, to) {
			continue
		}
		if i := sort.Search(len(s.entries), func(i int) bool { return s.entries[i].to >= to }); i < len(s.entries) && s.entries[i].to == to {
			continue // it has its bill, or owes nothing
		}
		if empty[s] == nil {
			empty[s] = map[affiliate.Millis]*entry{}
		}
		e := empty[s][to]
		if e == nil {
			e = &entry{accrual: accrual{from: from, to: to}, shelf: s}
			empty[s][to] = e
			s.extra = append(s.extra, e)
		}
		return e
	}
	return nil
}

// rests assigns later bills that are exactly what is missing from a line, as the exchange knew it then or when
// it first paid.
func (m *matcher) rests() {
	missing := m.indexed(func(e *entry, add func(affiliate.Sum, *entry)) {
		if len(e.bills) > 0 {
			e.versions(math.MinInt64, func(version affiliate.Sum) bool {
				if rest := less(version, e.paid); sign(rest) > 0 {
					add(rest, e)
				}
				return true
			})
		}
	})
	for _, p := range m.open {
		e := missing.nearest(p.amount, p, func(e *entry) bool {
			owed := e.paid
			owed.AddSum(p.amount)
			then := e.whenPaid()
			return then.Cmp(&owed) == 0 || e.equals(&owed, p.bill.Created)
		})
		if e != nil {
			e.add(p)
		}
	}
}

// again assigns bills that pay a line which is already paid once more.
func (m *matcher) again() {
	paid := m.indexed(func(e *entry, add func(affiliate.Sum, *entry)) {
		if len(e.bills) > 0 {
			for _, version := range []affiliate.Sum{e.earned, e.whenPaid()} {
				if sign(version) > 0 && e.paid.Cmp(&version) >= 0 {
					add(version, e)
				}
			}
		}
	})
	for _, p := range m.open {
		e := paid.nearest(p.amount, p, func(e *entry) bool { return e.bills[0].bill.Created <= p.bill.Created })
		if e != nil {
			e.add(p)
			e.double = true
		}
	}
}

// takenBack assigns negative bills that are exactly what a line has too much.
func (m *matcher) takenBack() {
	of := func(e *entry) (all []affiliate.Sum) {
		for _, version := range []affiliate.Sum{e.earned, e.whenPaid()} {
			if sign(version) >= 0 && e.paid.Cmp(&version) > 0 {
				all = append(all, less(e.paid, version))
			}
		}
		return all
	}
	excess := m.indexed(func(e *entry, add func(affiliate.Sum, *entry)) {
		if len(e.bills) > 0 {
			for _, much := range of(e) {
				add(much, e)
			}
		}
	})
	for _, p := range m.open {
		amount := p.amount.Negated()
		e := excess.nearest(amount, p, func(e *entry) bool {
			return e.bills[0].bill.Created <= p.bill.Created &&
				slices.ContainsFunc(of(e), func(much affiliate.Sum) bool { return much.Cmp(&amount) == 0 })
		})
		if e != nil {
			e.add(p)
			e.double = false
		}
	}
}

// whenPaid returns what the exchange knew when it paid: the version that it paid, or else
// what was known at the first bill.
func (e *entry) whenPaid() (known affiliate.Sum) {
	if len(e.bills) == 0 || len(e.steps) == 0 {
		return e.earned
	}
	first := slices.MinFunc(e.bills, func(a, b *payment) int { return cmp.Compare(a.bill.Created, b.bill.Created) })
	e.versions(first.bill.Created, func(version affiliate.Sum) bool {
		known = version
		return version.Cmp(&e.first) != 0 && version.Cmp(&first.amount) != 0
	})
	return known
}

// lastPaid returns what the exchange knew when it last paid: the version that all bills of the
// entry together pay, or else what was known at the newest bill.
func (e *entry) lastPaid() (known affiliate.Sum) {
	switch len(e.bills) {
	case 0:
		return e.earned
	case 1:
		return e.whenPaid()
	}
	newest := slices.MaxFunc(e.bills, func(a, b *payment) int { return cmp.Compare(a.bill.Created, b.bill.Created) })
	e.versions(newest.bill.Created, func(version affiliate.Sum) bool {
		known = version
		return version.Cmp(&e.paid) != 0
	})
	return known
}

// state compares the bills of an entry with its commission. It returns "" for an entry that
// is no line.
func (m *matcher) state(e *entry, paidKnown stretches) State {
	due := e.due()
	complete := m.known.cover(e.from, e.to)
	judged := complete && m.now > due && paidKnown.cover(e.to, due)
	switch c := e.paid.Cmp(&e.earned); {
	case len(e.bills) == 0 && sign(e.earned) == 0:
		return ""
	case !complete:
		return Pending
	case c < 0 && !judged, len(e.bills) == 0 && !judged:
		return Pending
	case c < 0 && len(e.bills) == 0:
		return Missing
	case c < 0:
		return Short
	case c > 0 && e.double:
		return Twice
	case c > 0 && !m.settled(e.from, e.to):
		return Pending
	case c > 0:
		return Over
	case e.isLate(due):
		return Late
	}
	return Matched
}

// isLate reports whether a line that is paid was not when it was due. What was added to its
// commission after a payment is not late.
func (e *entry) isLate(due affiliate.Millis) bool {
	var onTime affiliate.Sum
	for _, p := range e.bills {
		if p.bill.Created <= due {
			onTime.AddSum(p.amount)
		}
	}
	then := e.whenPaid()
	return onTime.Cmp(&e.earned) < 0 && (sign(onTime) == 0 || onTime.Cmp(&then) != 0)
}

// line finishes an entry.
func (e *entry) line(account affiliate.Account, coin affiliate.Coin, state State) Line {
	l := Line{
		From: e.from, To: e.to, Account: account, Coin: coin, Kind: e.shelf.kind, Earned: e.earned, WhenPaid: e.whenPaid(), LastPaid: e.lastPaid(), Paid: e.paid,
		Due: e.due(), State: state,
	}
	if len(e.bills) == 1 {
		l.Bills = e.bills[0].alone
		return l
	}
	for _, p := range e.bills {
		l.Bills = append(l.Bills, *p.bill)
	}
	slices.SortStableFunc(l.Bills, func(a, b Bill) int { return cmp.Compare(a.Created, b.Created) })
	return l
}

// stretches are ranges of time by their start, apart from each other.
type stretches []Stretch

// apart sorts ranges, and joins those that touch.
func apart(all []Stretch) (kept stretches) {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b Stretch) int { return cmp.Compare(a.From, b.From) })
	for _, s := range all {
		if last := len(kept) - 1; last >= 0 && s.From <= kept[last].To {
			kept[last].To = max(kept[last].To, s.To)
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// cover reports whether the whole range lies in one of the stretches.
func (s stretches) cover(from, to affiliate.Millis) bool {
	i := sort.Search(len(s), func(i int) bool { return s[i].From > from })
	return i > 0 && s[i-1].To >= to
}
