package drivers

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
)

// Contribution is what one invitee, code, pair, product or source contributed to a change.
type Contribution struct {
	Name     string            // a UID, invite code, pair, product or source; empty = not known
	Account  affiliate.Account // of an invitee
	Code     string            // invite code of an invitee; empty = not known
	Before   decimal.Decimal
	Now      decimal.Decimal
	Presence figures.Presence // of invitees and codes, otherwise empty
}

// Change returns the contribution itself.
func (c Contribution) Change() decimal.Decimal { return c.Now.Sub(c.Before) }

// Key identifies the contribution among those of a query. Several accounts may have the same
// UID, so a query about several accounts puts the account before it: "main/4667776811".
func (c Contribution) Key(several bool) string {
	if several && c.Account != "" {
		return string(c.Account) + "/" + c.Name
	}
	return c.Name
}

// Contributions are all contributions along one dimension: the largest change first, the
// smallest last, equal ones by name and account.
type Contributions []Contribution

// sides are what an entry brought in each period.
type sides struct{ before, now affiliate.Sum }

// parts are what each entry brought.
type parts map[figures.RankKey]*sides

func (p parts) of(key figures.RankKey) *sides {
	if p[key] == nil {
		p[key] = new(sides)
	}
	return p[key]
}

// list returns the contributions in their order.
func (p parts) list() Contributions {
	type entry struct {
		figures.RankKey
		*sides
		change affiliate.Sum
	}
	entries := make([]entry, 0, len(p))
	for key, s := range p {
		change := s.before.Negated()
		change.AddSum(s.now)
		entries = append(entries, entry{key, s, change})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(b.change.Cmp(&a.change), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Account, b.Account))
	})
	list := make(Contributions, len(entries))
	for i, e := range entries {
		list[i] = Contribution{Name: e.Name, Account: e.Account, Before: e.before.Decimal(), Now: e.now.Decimal()}
	}
	return list
}

// Moved are some contributions together.
type Moved struct {
	N           int
	Before, Now decimal.Decimal
}

// Change returns by how much they changed together.
func (m Moved) Change() decimal.Decimal { return m.Now.Sub(m.Before) }

func (m *Moved) add(c Contribution) {
	m.N++
	m.Before, m.Now = m.Before.Add(c.Before), m.Now.Add(c.Now)
}

// Together adds contributions up.
func (list Contributions) Together() (m Moved) {
	for _, c := range list {
		m.add(c)
	}
	return m
}

// Up returns at most the given number of largest increases, the largest first.
func (list Contributions) Up(most int) Contributions {
	n := 0
	for n < min(most, len(list)) && list[n].Change().IsPositive() {
		n++
	}
	return list[:n]
}

// Down returns at most the given number of largest decreases, the largest first.
func (list Contributions) Down(most int) Contributions {
	n := len(list)
	for n > max(0, len(list)-most) && list[n-1].Change().IsNegative() {
		n--
	}
	down := slices.Clone(list[n:])
	slices.Reverse(down)
	return down
}

// Rest adds up all contributions but those that Up and Down return.
func (list Contributions) Rest(most int) Moved {
	return list[len(list.Up(most)) : len(list)-len(list.Down(most))].Together()
}

// WithPresence returns the contributions with a presence, the largest change of either sign
// first.
func (list Contributions) WithPresence(p figures.Presence) Contributions {
	var some Contributions
	for _, c := range list {
		if c.Presence == p {
			some = append(some, c)
		}
	}
	slices.SortStableFunc(some, func(a, b Contribution) int { return b.Change().Abs().Cmp(a.Change().Abs()) })
	return some
}
