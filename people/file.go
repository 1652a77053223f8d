package people

import (
	"slices"

	"rebatedesk/affiliate"
)

// File is what a people file says.
type File struct {
	Entries []PersonEntry // one per UID, in the order of the file
	Repeats int           // lines that say the same as an earlier one, and were left out
}

// PersonEntry is what a people file says of a UID. Values that it leaves as they are are missing.
type PersonEntry struct {
	UID    affiliate.UID
	Line   int // of the file, from 1
	Values []GivenValue
}

// GivenValue is a value of an entry; an empty text removes what is stored.
type GivenValue struct {
	Field PersonField
	Text  string
}

// Value returns what the entry says of a field; false if it leaves it as it is.
func (e PersonEntry) Value(f PersonField) (string, bool) {
	i := slices.IndexFunc(e.Values, func(g GivenValue) bool { return g.Field == f })
	if i < 0 {
		return "", false
	}
	return e.Values[i].Text, true
}

// Apply returns a person with the values of the entry. A cost that is removed takes its coin
// along.
func (e PersonEntry) Apply(p Person) Person {
	p.UID = e.UID
	for _, given := range e.Values {
		p.Set(given.Field, given.Text)
	}
	if p.Cost == "" {
		p.CostCoin = ""
	}
	return p
}
