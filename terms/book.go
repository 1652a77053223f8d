package terms

import (
	"cmp"
	"slices"
	"sort"

	"rebatedesk/affiliate"
)

// Spell is a range of days on which a term holds within its series.
type Spell struct {
	Term
	Last    affiliate.Day // 0 = until further notice
	EndedBy *Term         // the later term of the series that ends it before its own last day; nil if none does
}

// Shortened reports whether a later term ends this one although it states a last day of its
// own.
func (s Spell) Shortened() bool { return s.EndedBy != nil && s.To != 0 }

// Holds reports whether the term holds on a day.
func (s Spell) Holds(day affiliate.Day) bool {
	return day >= s.From && (s.Last == 0 || day <= s.Last)
}

// Series is the terms of one key in the order of their first days, which all differ.
type Series struct {
	Key
	Spells []Spell
}

// On returns the term that holds on a day.
func (s Series) On(day affiliate.Day) (Term, bool) {
	i := sort.Search(len(s.Spells), func(i int) bool { return s.Spells[i].From > day }) - 1
	if i < 0 || !s.Spells[i].Holds(day) {
		return Term{}, false
	}
	return s.Spells[i].Term, true
}

// AllSeries gathers terms into their series. A later first day ends the earlier term for
// good: that term does not come back when the later one has ended. The terms have no
// contradictions, as [Parse] and [Merge] make sure.
func AllSeries(terms []Term) []Series {
	terms = slices.Clone(terms)
	slices.SortFunc(terms, Term.Compare)
	var all []Series
	for i := range terms {
		t := &terms[i]
		if n := len(all); n == 0 || all[n-1].Key != t.Key() {
			all = append(all, Series{Key: t.Key()})
		}
		s := &all[len(all)-1]
		if n := len(s.Spells); n > 0 && s.Spells[n-1].last() >= t.From {
			s.Spells[n-1].Last, s.Spells[n-1].EndedBy = t.From-1, t
		}
		s.Spells = append(s.Spells, Spell{Term: *t, Last: t.To})
	}
	return all
}

// Earning is what of a commission record decides which term applies to it.
type Earning struct {
	Account affiliate.Account
	UID     affiliate.UID
	Code    string // the invite code of the UID; "" = unknown
	Product affiliate.Product
	Source  affiliate.Source
	Day     affiliate.Day // reporting day
}

// TierMonth is a question for the figure of a calendar month that decides about tiers. The
// fields narrow as in a query: an empty one takes everything.
type TierMonth struct {
	By      TierBy
	Account affiliate.Account
	Scope   Scope
	Value   string // for sub-affiliates always a UID: each one's own volume decides
	Product affiliate.Product
	Source  affiliate.Source
	Month   affiliate.Day // its first day, in the reporting zone
}

// Measure answers such a question. It is asked only where a tier matters, and may be asked
// the same question many times. Nil counts every tier as not reached.
type Measure func(TierMonth) affiliate.Number

// Book resolves which term applies. It is safe for concurrent use.
type Book struct {
	groups        map[Key][]Series // by key without tier; the highest tier first, then the series without one
	records, subs []form           // the kinds of keys that exist, the narrowest first
}

// form is a kind of key: its scope, and which of its fields are stated.
type form struct {
	scope                           Scope
	account, value, product, source bool
}

func formOf(k Key) form {
	return form{k.Scope, k.Account != "", k.Value != "", k.Product != "", k.Source != ""}
}

// compare orders forms from the one that beats all others to the widest.
func (f form) compare(o form) int {
	stated := func(a, b bool) int {
		switch {
		case a == b:
			return 0
		case a:
			return -1
		}
		return 1
	}
	return cmp.Or(
		-cmp.Compare(slices.Index(AllScopes(), f.scope), slices.Index(AllScopes(), o.scope)),
		stated(f.value, o.value),
		stated(f.account, o.account),
		stated(f.product, o.product),
		stated(f.source, o.source),
	)
}

// NewBook makes the book of terms that have no contradictions.
func NewBook(terms []Term) *Book {
	b := &Book{groups: map[Key][]Series{}}
	for _, s := range AllSeries(terms) {
		key := s.Key.Agreement()
		b.groups[key] = append(b.groups[key], s)
		forms := &b.records
		if s.Scope == ScopeSubAffiliate {
			forms = &b.subs
		}
		if f := formOf(key); !slices.Contains(*forms, f) {
			*forms = append(*forms, f)
		}
	}
	slices.SortFunc(b.records, form.compare)
	slices.SortFunc(b.subs, form.compare)
	for _, group := range b.groups {
		slices.SortFunc(group, func(a, b Series) int { return -compareTiers(a.TierFrom, b.TierFrom) })
	}
	return b
}

// Of returns the term that applies to a commission record; false if none does. The narrower
// scope beats the wider, then a stated account, product and source beat an unstated one, in
// this order.
func (b *Book) Of(e Earning, measure Measure) (Term, bool) {
	for _, f := range b.records {
		key := Key{Scope: f.scope}
		switch f.scope {
		case ScopeUID:
			key.Value = string(e.UID)
		case ScopeCode:
			if e.Code == "" {
				continue
			}
			key.Value = e.Code
		}
		if t, ok := b.find(f, key, e, measure); ok {
			return t, true
		}
	}
	return Term{}, false
}

// Share returns the term about what we owe a sub-affiliate of its net trading fee; false if
// none applies. A term for this sub-affiliate beats one for every sub-affiliate.
func (b *Book) Share(account affiliate.Account, uid affiliate.UID, product affiliate.Product, day affiliate.Day, measure Measure) (Term, bool) {
	e := Earning{Account: account, UID: uid, Product: product, Day: day}
	for _, f := range b.subs {
		key := Key{Scope: ScopeSubAffiliate}
		if f.value {
			key.Value = string(uid)
		}
		if t, ok := b.find(f, key, e, measure); ok {
			return t, true
		}
	}
	return Term{}, false
}

// find completes the key with what the form states, and looks up the term of the day.
func (b *Book) find(f form, key Key, e Earning, measure Measure) (Term, bool) {
	if f.account {
		key.Account = e.Account
	}
	if f.product {
		key.Product = e.Product
	}
	if f.source {
		key.Source = e.Source
	}
	for _, s := range b.groups[key] {
		t, ok := s.On(e.Day)
		if ok && (t.TierBy == "" || measure != nil && reached(t, e, measure)) {
			return t, true
		}
	}
	return Term{}, false
}

func reached(t Term, e Earning, measure Measure) bool {
	year, month, _ := e.Day.Date()
	asked := TierMonth{By: t.TierBy, Account: t.Account, Scope: t.Scope, Value: t.Value, Product: t.Product, Source: t.Source, Month: affiliate.NewDay(year, month, 1)}
	if t.Scope == ScopeSubAffiliate {
		asked.Value = string(e.UID)
	}
	figure := measure(asked)
	return figure.Known() && figure.Cmp(t.TierFrom) >= 0
}

// Ladder is the tiers of one agreement that hold on a day.
type Ladder struct {
	Key          // without a tier
	By    TierBy // the figure by which they go
	Base  Term   // what holds below the first tier; its rate is unknown if nothing does
	Steps []Term // the lowest tier first
}

// Ladders returns the tiers that hold on a day, in the order of their keys.
func (b *Book) Ladders(day affiliate.Day) (list []Ladder) {
	for key, group := range b.groups {
		l := Ladder{Key: key}
		for _, s := range slices.Backward(group) {
			t, ok := s.On(day)
			switch {
			case !ok:
			case t.TierBy == "":
				l.Base = t
			default:
				l.By, l.Steps = t.TierBy, append(l.Steps, t)
			}
		}
		if len(l.Steps) > 0 {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(a, b Ladder) int { return a.compare(b.Key) })
	return list
}
