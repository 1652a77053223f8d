package costs

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Scope says what a cost is for.
type Scope string

// The scopes of costs. A segment is a campaign: any set of invitees with a name.
const (
	OfCode    Scope = "code"
	OfTag     Scope = "tag"
	OfSegment Scope = "segment"
)

// Scopes lists the scopes in the order in which they are offered.
func Scopes() []Scope { return []Scope{OfCode, OfTag, OfSegment} }

// Kind says when a cost falls due.
type Kind string

// The kinds of costs.
const (
	Once            Kind = "once"             // on its first day
	Monthly         Kind = "monthly"          // on its first day and on that day of each later month, or the month's last
	PerRegistration Kind = "per_registration" // for each invitee, on the day of registration
	PerFirstTrade   Kind = "per_first_trade"  // for each invitee, on the day of the first trade
)

// Kinds lists the kinds in the order in which they are offered.
func Kinds() []Kind {
	return []Kind{Once, Monthly, PerRegistration, PerFirstTrade}
}

// Cost is what was agreed to be spent on the invitees of a code, a tag or a segment.
type Cost struct {
	ID      int64 // a change gives a new one
	Scope   Scope
	Value   string // see [Costed]
	Kind    Kind
	Amount  affiliate.Number // each time; positive
	Coin    affiliate.Coin
	First   affiliate.Day // of the reporting zone
	Last    affiliate.Day // included; 0: until further notice
	Note    string
	Actor   string // who wrote it in this form
	Created affiliate.Millis
}

// Limits of costs.
const (
	Most          = 500 // in force
	MostNote      = 200 // characters
	mostCostValue = 100 // characters
	mostCostCoin  = 20  // characters
	mostDigits    = 30  // of an amount
)

// Costed is what costs are for: a code exactly as written, a tag or a segment whatever its letter
// case.
type Costed struct {
	Scope Scope
	Value string
}

// CostedOf returns what a scope and a value name.
func CostedOf(scope Scope, value string) Costed {
	if scope != OfCode {
		value = affiliate.Folded(value)
	}
	return Costed{scope, value}
}

// Costed returns what the cost is for, to be compared.
func (c Cost) Costed() Costed { return CostedOf(c.Scope, c.Value) }

// Days returns the days on which the cost can fall due, up to a last one.
func (c Cost) Days(last affiliate.Day) affiliate.Days {
	if c.Last != 0 {
		last = min(last, c.Last)
	}
	return affiliate.Days{First: c.First, Last: last}
}

// String names the cost for the audit log.
func (c Cost) String() string {
	words := string(c.Amount) + " " + string(c.Coin) + " " + strings.ReplaceAll(string(c.Kind), "_", " ")
	switch {
	case c.Kind == Once:
		return words + " on " + c.First.String()
	case c.Last == 0:
		return words + " from " + c.First.String()
	}
	return words + " from " + c.First.String() + " to " + c.Last.String()
}

// object names what the cost is for, for the audit log.
func (c Cost) object() string { return string(c.Scope) + " " + c.Value }

// overlaps reports whether both costs can fall due on one day.
func (c Cost) overlaps(o Cost) bool {
	return (c.Last == 0 || o.First <= c.Last) && (o.Last == 0 || c.First <= o.Last)
}

// Check puts the fields into the form in which they are stored. What is wrong is a
// *[store.RuleError] with the field: scope, value, kind, amount, coin, from, to or note.
func (c *Cost) Check() (err error) {
	if !slices.Contains(Scopes(), c.Scope) {
		return store.RefuseAt("scope", "There are no costs of a %.20q: choose code, tag or segment.", string(c.Scope))
	}
	if c.Value, err = store.CheckLabel("The "+string(c.Scope), c.Value, mostCostValue); err != nil {
		return store.RefuseAt("value", "%s Give the %s that the cost is for.", err.Error(), string(c.Scope))
	}
	if !slices.Contains(Kinds(), c.Kind) {
		return store.RefuseAt("kind", "There are no costs %.20q: choose once, monthly, per_registration or per_first_trade.", string(c.Kind))
	}
	if err := c.checkAmount(); err != nil {
		return err
	}
	if c.Note = strings.TrimSpace(c.Note); c.Note != "" {
		if c.Note, err = store.CheckLabel("The note", c.Note, MostNote); err != nil {
			return store.RefuseAt("note", "%s", err.Error())
		}
	}
	if c.Kind == Once {
		if c.Last != 0 && c.Last != c.First {
			return store.RefuseAt("to", "A cost that falls due once has one day: leave the last day empty.")
		}
		c.Last = c.First
	}
	if c.Last != 0 && c.Last < c.First {
		return store.RefuseAt("to", "The last day, %s, is before the first, %s: give a later one, or leave it empty.", c.Last, c.First)
	}
	return nil
}

func (c *Cost) checkAmount() error {
	text := strings.TrimSpace(string(c.Amount))
	amount, err := affiliate.ParseNumber(text)
	switch {
	case text == "":
		return store.RefuseAt("amount", "The cost has no amount: write what is spent each time, such as 1250.50.")
	case strings.HasPrefix(text, "-") || strings.HasPrefix(text, "−"):
		return store.RefuseAt("amount", "The cost is negative: write what is spent, without a sign.")
	case strings.Contains(text, ","):
		return store.RefuseAt("amount", "The amount has a comma: write a decimal point and no separators, such as 1250.50.")
	case err != nil || string(amount) != text || len(text) > mostDigits || amount.Decimal().Exponent() < -affiliate.MostDecimals:
		return store.RefuseAt("amount", "The amount is not a plain number of at most %d digits, %d of them decimals: write it as 1250.50.", mostDigits, affiliate.MostDecimals)
	case !amount.Decimal().IsPositive():
		return store.RefuseAt("amount", "The cost is zero: write what is spent, or leave the cost out.")
	}
	c.Amount = amount.Canonical()
	c.Coin = affiliate.Coin(strings.TrimSpace(string(c.Coin)))
	switch {
	case c.Coin == "":
		return store.RefuseAt("coin", "The cost has no coin: write in which coin it is, such as USDT.")
	case utf8.RuneCountInString(string(c.Coin)) > mostCostCoin || strings.ContainsFunc(string(c.Coin), notOfCoin):
		return store.RefuseAt("coin", "This is no coin: write its short name, such as USDT.")
	}
	return nil
}

func notOfCoin(r rune) bool {
	return r != '-' && r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// contradiction returns the first of the costs that falls due for the same reason on the same days.
func (c Cost) contradiction(list []Cost) (Cost, bool) {
	for _, o := range list {
		if o.ID != c.ID && o.Costed() == c.Costed() && o.Kind == c.Kind && c.overlaps(o) {
			return o, true
		}
	}
	return Cost{}, false
}

// sort orders costs by what they are for, then by day.
func sort(list []Cost) {
	slices.SortStableFunc(list, func(a, b Cost) int {
		return cmp.Or(cmp.Compare(slices.Index(Scopes(), a.Scope), slices.Index(Scopes(), b.Scope)),
			cmp.Compare(affiliate.Folded(a.Value), affiliate.Folded(b.Value)), cmp.Compare(a.First, b.First),
			cmp.Compare(slices.Index(Kinds(), a.Kind), slices.Index(Kinds(), b.Kind)), cmp.Compare(a.ID, b.ID))
	})
}
