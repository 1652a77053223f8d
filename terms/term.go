package terms

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rebatedesk/affiliate"
)

// Scope is what a term is about.
type Scope string

// The scopes of the terms file, from the widest to the narrowest; the last one stands apart,
// because its terms are about what we owe and not about what we earn.
const (
	ScopeAll          Scope = "all"
	ScopeCode         Scope = "code"
	ScopeUID          Scope = "uid"
	ScopeSubAffiliate Scope = "sub-affiliate"
)

// AllScopes lists the scopes in the order of the constants.
func AllScopes() []Scope { return []Scope{ScopeAll, ScopeCode, ScopeUID, ScopeSubAffiliate} }

// TierBy is the figure of a calendar month that decides whether a tier is reached.
type TierBy string

// The figures of tiers. The zero value means that a term has no tier.
const (
	TierByVolume        TierBy = "volume"         // taker and maker amount
	TierByActiveTraders TierBy = "active_traders" // the number of different UIDs that traded
)

// Term is one line of an agreement: a rate for what it is about, from one day to another.
type Term struct {
	ID      int64             // of the stored term; 0 while it is only a line of a file
	Account affiliate.Account // "" = every account
	Scope   Scope
	Value   string            // the invite code or the UID; "" with scope all, and for every sub-affiliate
	Product affiliate.Product // "" = both
	Source  affiliate.Source  // "" = both
	Rate    affiliate.Number  // a fraction from 0 to 1: 0.15 is 15 %
	From    affiliate.Day     // first reporting day
	To      affiliate.Day     // last reporting day; 0 = until further notice

	TierBy   TierBy           // "" = no tier
	TierFrom affiliate.Number // the tier applies from this figure of the month on; "" = no tier

	Coin      affiliate.Coin // in which a share is settled; "" = not agreed, and of all scopes but sub-affiliate
	Note      string
	Reference string // a URL or the name of a document; "" = none
	Line      int    // of the file, from 1; 0 for a stored term
}

// Key identifies a series: terms with the same key follow each other in time, and a later
// one ends the earlier one.
type Key struct {
	Account  affiliate.Account
	Scope    Scope
	Value    string
	Product  affiliate.Product
	Source   affiliate.Source
	TierBy   TierBy
	TierFrom affiliate.Number // in canonical form
}

// Key returns the key of the term's series.
func (t Term) Key() Key {
	return Key{t.Account, t.Scope, t.Value, t.Product, t.Source, t.TierBy, t.TierFrom.Canonical()}
}

// Agreement is the key without its tier: what all tiers of one agreement have in common.
func (k Key) Agreement() Key {
	k.TierBy, k.TierFrom = "", ""
	return k
}

// compare orders keys from the widest scope to the narrowest, then as people look them up.
func (k Key) compare(o Key) int {
	return cmp.Or(
		cmp.Compare(slices.Index(AllScopes(), k.Scope), slices.Index(AllScopes(), o.Scope)),
		cmp.Compare(k.Account, o.Account),
		cmp.Compare(k.Value, o.Value),
		cmp.Compare(k.Product, o.Product),
		cmp.Compare(k.Source, o.Source),
		cmp.Compare(k.TierBy, o.TierBy),
		compareTiers(k.TierFrom, o.TierFrom),
	)
}

func compareTiers(a, b affiliate.Number) int {
	if !a.Known() || !b.Known() {
		return cmp.Compare(a, b)
	}
	return a.Cmp(b)
}

// Compare orders terms by series, and within a series by their first day.
func (t Term) Compare(o Term) int {
	return cmp.Or(t.Key().compare(o.Key()), cmp.Compare(t.From, o.From), cmp.Compare(t.ID, o.ID), cmp.Compare(t.Line, o.Line))
}

// last is the last day by the term's own words, the end of all days if it has none.
func (t Term) last() affiliate.Day {
	if t.To == 0 {
		return math.MaxInt32
	}
	return t.To
}

// Same reports whether two terms agree on the same thing: series, days, rate and coin. Note and
// reference may differ.
func (t Term) Same(o Term) bool {
	return t.Key() == o.Key() && t.From == o.From && t.To == o.To && t.Rate.Cmp(o.Rate) == 0 && t.Coin == o.Coin
}

// Where names the term for messages: by its line in the file, or by its number.
func (t Term) Where() string {
	if t.Line > 0 {
		return "line " + strconv.Itoa(t.Line)
	}
	return "term " + strconv.FormatInt(t.ID, 10)
}

// About says in words what the term is about, without rate and days:
// "uid 4667776811, SPOT, direct, from a volume of 1000000 on".
func (t Term) About() string {
	var b strings.Builder
	switch {
	case t.Scope == ScopeSubAffiliate && t.Value == "":
		b.WriteString("every sub-affiliate")
	case t.Value == "":
		b.WriteString(string(t.Scope))
	default:
		fmt.Fprintf(&b, "%s %s", t.Scope, affiliate.Visible(t.Value))
	}
	for _, part := range []string{string(t.Account), string(t.Product), string(t.Source)} {
		if part != "" {
			b.WriteString(", " + affiliate.Visible(part))
		}
	}
	switch t.TierBy {
	case TierByVolume:
		fmt.Fprintf(&b, ", from a volume of %s on", t.TierFrom)
	case TierByActiveTraders:
		fmt.Fprintf(&b, ", from %s active traders on", t.TierFrom)
	}
	return b.String()
}

// Days says in words on which days the term holds by its own words.
func (t Term) Days() string {
	if t.To == 0 {
		return "from " + t.From.String()
	}
	return "from " + t.From.String() + " to " + t.To.String()
}
