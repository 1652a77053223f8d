package books

import (
	"cmp"
	"maps"
	"slices"

	"rebatedesk/affiliate"
)

// Total is an account's sum in one coin.
type Total struct {
	Account     affiliate.Account
	Coin        affiliate.Coin
	Earned      affiliate.Sum
	Paid        affiliate.Sum    // of the counted bills
	Unpaid      affiliate.Sum    // of lines that are missing or short
	Pending     affiliate.Sum    // what is awaited, see [Line.Awaited]
	Unexplained affiliate.Sum    // paid for no reason, less what was taken back
	OldestDue   affiliate.Millis // of the lines that are missing or short; 0 without one
}

// PaidElsewhere is a payment without a reason in one account that is exactly what another account is
// missing: two accounts may be paid into one.
type PaidElsewhere struct{ Payment, Missing int } // indices of lines

// Make makes the books. Rules hold from their instant until that of the next one of the
// account; the earliest rule also holds before its instant.
func Make(in Input, rules []Fixed) Books {
	var books Books
	var lines []*Line
	for _, account := range accountsOf(in) {
		own := rulesOf(rules, account)
		counts := countedTypes(own)
		known, paidKnown := apart(in.EarnedKnown[account]), apart(in.PaidKnown[account])
		for _, a := range accrualsOf(in, account, func(b *Bill) bool { return slices.Contains(counts, b.Business) }) {
			total := Total{Account: account, Coin: a.coin}
			for _, h := range a.hours[All] {
				total.Earned.AddSum(h.sum)
			}
			for _, p := range a.bills {
				total.Paid.AddSum(p.amount)
				books.Counted = append(books.Counted, *p.bill)
			}
			if len(own) > 0 {
				m := newMatcher(a, own, known, in.Now)
				m.match()
				own := m.lines(account, a.coin, paidKnown)
				total.addLines(own)
				for i := range own {
					lines = append(lines, &own[i])
				}
			}
			books.Totals = append(books.Totals, total)
		}
	}
	slices.SortStableFunc(books.Counted, func(a, b Bill) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.Account, b.Account))
	})
	slices.SortStableFunc(lines, func(a, b *Line) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Account, b.Account),
			cmp.Compare(a.Coin, b.Coin), cmp.Compare(a.Kind, b.Kind))
	})
	books.Lines = make([]Line, len(lines))
	for i, l := range lines {
		books.Lines[i] = *l
	}
	books.Hints = hints(books.Lines)
	return books
}

// accountsOf lists the accounts with commissions or bills.
func accountsOf(in Input) []affiliate.Account {
	all := map[affiliate.Account]bool{}
	for i := range in.Earned {
		all[in.Earned[i].Account] = true
	}
	for i := range in.Changes {
		all[in.Changes[i].Account] = true
	}
	for i := range in.Bills {
		all[in.Bills[i].Account] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// rulesOf returns the rules of an account by time. Of those that hold from the same instant
// the last counts.
func rulesOf(rules []Fixed, account affiliate.Account) (own []Fixed) {
	for _, r := range rules {
		if r.Account == account {
			own = append(own, r)
		}
	}
	slices.SortStableFunc(own, func(a, b Fixed) int { return cmp.Compare(a.From, b.From) })
	kept := own[:0]
	for _, r := range own {
		if last := len(kept) - 1; last >= 0 && kept[last].From == r.From {
			kept[last] = r
			continue
		}
		kept = append(kept, r)
	}
	return kept
}

// countedTypes lists the business types of bills that count as payments.
func countedTypes(rules []Fixed) (types []string) {
	if len(rules) == 0 {
		return DefaultTypes()
	}
	for i := range rules {
		types = append(types, rules[i].Rule.BusinessTypes()...)
	}
	return types
}

// lines returns the entries and the bills that belong to none.
func (m *matcher) lines(account affiliate.Account, coin affiliate.Coin, paidKnown stretches) (lines []Line) {
	number := len(m.open)
	for _, s := range m.shelves {
		number += len(s.entries) + len(s.extra)
	}
	lines = make([]Line, 0, number)
	m.each(func(e *entry) {
		if state := m.state(e, paidKnown); state != "" {
			lines = append(lines, e.line(account, coin, state))
		}
	})
	for _, p := range m.open {
		lines = append(lines, Line{
			From: p.bill.Created, To: p.bill.Created, Account: account, Coin: coin, Kind: m.kindAt(p.bill), Paid: p.amount,
			Due: p.bill.Created, State: Unexplained, Bills: p.alone,
		})
	}
	return lines
}

// kindAt returns the kind of a bill without a period, by the rule of its time if that names
// its business type. The first kind counts if the rule names it for several.
func (m *matcher) kindAt(b *Bill) Kind {
	shelves := m.kindOfType[b.Business]
	for _, s := range shelves {
		if s.from <= b.Created && b.Created < s.until {
			return s.kind
		}
	}
	return shelves[0].kind
}

func (t *Total) addLines(lines []Line) {
	for i := range lines {
		l := &lines[i]
		switch l.State {
		case Missing, Short:
			t.Unpaid.AddSum(l.Unpaid())
			if t.OldestDue == 0 || l.Due < t.OldestDue {
				t.OldestDue = l.Due
			}
		case Pending:
			t.Pending.AddSum(l.Awaited())
		case Unexplained:
			t.Unexplained.AddSum(l.Paid)
		}
	}
}

// hints looks for the payments without a reason that another account is missing.
func hints(lines []Line) (all []PaidElsewhere) {
	type key struct {
		coin   affiliate.Coin
		amount string
	}
	stray := map[key][]int{}
	for i := range lines {
		if l := &lines[i]; l.State == Unexplained && sign(l.Paid) > 0 {
			k := key{l.Coin, l.Paid.String()}
			stray[k] = append(stray[k], i)
		}
	}
	if len(stray) == 0 {
		return nil
	}
	for i := range lines {
		l := &lines[i]
		if l.State != Missing {
			continue
		}
		k := key{l.Coin, l.Earned.String()}
		for n, payment := range stray[k] {
			if p := &lines[payment]; p.Account != l.Account && p.From >= l.To {
				all = append(all, PaidElsewhere{payment, i})
				stray[k] = slices.Delete(stray[k], n, n+1)
				break
			}
		}
	}
	return all
}

// Unpaid returns what is missing from a line that is missing or short, and otherwise 0.
func (l *Line) Unpaid() (unpaid affiliate.Sum) {
	if l.State == Missing || l.State == Short {
		unpaid = less(l.Earned, l.Paid)
	}
	return unpaid
}

// Grown returns the part of [Line.Unpaid] that was earned only by changes that the exchange made
// after it had paid: all of it if what was paid is what was earned then.
func (l *Line) Grown() affiliate.Sum {
	grown, unpaid := l.Restated(), l.Unpaid()
	if len(l.Bills) == 0 || sign(grown) < 0 {
		return affiliate.Sum{}
	}
	if grown.Cmp(&unpaid) > 0 {
		return unpaid
	}
	return grown
}

// Excess returns what was paid twice, too much or for no period, and otherwise 0. It is negative
// if the exchange took back something for no period.
func (l *Line) Excess() (excess affiliate.Sum) {
	if l.State == Over || l.State == Twice || l.State == Unexplained {
		excess = l.Difference()
	}
	return excess
}

// Awaited returns what is still to be paid for a line that is pending, and otherwise 0. Nothing
// is awaited if more was paid than is known to be earned: a part of the period's commissions
// may lie before all that is collected.
func (l *Line) Awaited() (awaited affiliate.Sum) {
	if l.State == Pending {
		awaited = less(l.Earned, l.Paid)
	}
	if len(l.Bills) > 0 && sign(awaited) < 0 {
		awaited = affiliate.Sum{}
	}
	return awaited
}

// Age returns since how many days the payment is due at an instant: 1 on the first day, and 0
// before.
func (l *Line) Age(now affiliate.Millis) int { return Age(l.Due, now) }

// Age returns since how many days something is due at an instant, as [Line.Age] does.
func Age(due, now affiliate.Millis) int {
	if now <= due {
		return 0
	}
	return int((now-due)/dayMillis) + 1
}

// AgeBucket is a range of ages of unpaid lines.
type AgeBucket struct{ First, Last int } // days; Last is 0 for an open end

// AgeBuckets lists the ranges, the youngest first.
func AgeBuckets() []AgeBucket { return []AgeBucket{{1, 7}, {8, 30}, {31, 90}, {91, 0}} }

// Contains reports whether an age lies in the range.
func (b AgeBucket) Contains(days int) bool { return days >= b.First && (b.Last == 0 || days <= b.Last) }
