package affiliate

import (
	"slices"
	"strings"
)

// BoundBy says by what a user is bound to invitees.
type BoundBy string

// The kinds of bindings.
const (
	BoundByAccount BoundBy = "account" // all invitees of an account
	BoundByCode    BoundBy = "code"    // those with an invite code, exactly as it is written
	BoundByTag     BoundBy = "tag"     // those with a tag, ignoring its case
)

// BoundKinds lists the kinds in the order in which they are offered.
func BoundKinds() []BoundBy { return []BoundBy{BoundByAccount, BoundByCode, BoundByTag} }

// Binding binds a user to the invitees of an account, of an invite code or with a tag.
type Binding struct {
	By   BoundBy
	Name string // of the account, the code or the tag
}

// Bound is what a user is bound to: the user sees the invitees of any of its bindings, and
// nobody else. Two of the same bindings are equal (==). The zero value binds to nothing, and
// its user sees everything.
type Bound struct{ list string }

// BoundTo returns what a user with some bindings is bound to, in any order. Names have one line.
func BoundTo(list []Binding) Bound {
	lines := make([]string, len(list))
	for i, b := range list {
		lines[i] = string(b.By) + " " + b.Name
	}
	slices.Sort(lines)
	return Bound{strings.Join(slices.Compact(lines), "\n")}
}

// ParseBound returns what [Bound.Text] wrote.
func ParseBound(text string) Bound { return Bound{text} }

// Text returns the stored form.
func (b Bound) Text() string { return b.list }

// Everything reports whether the user sees everything.
func (b Bound) Everything() bool { return b == Bound{} }

// With returns b with some bindings more.
func (b Bound) With(more ...Binding) Bound { return BoundTo(append(b.Bindings(), more...)) }

// Without returns b without some bindings.
func (b Bound) Without(less ...Binding) Bound {
	return BoundTo(slices.DeleteFunc(b.Bindings(), func(one Binding) bool { return slices.Contains(less, one) }))
}

// Bindings lists the bindings by kind and name.
func (b Bound) Bindings() (list []Binding) {
	if b.Everything() {
		return nil
	}
	for line := range strings.SplitSeq(b.list, "\n") {
		by, name, _ := strings.Cut(line, " ")
		list = append(list, Binding{BoundBy(by), name})
	}
	return list
}

// Names lists the names of the bindings of a kind.
func (b Bound) Names(by BoundBy) (names []string) {
	for _, one := range b.Bindings() {
		if one.By == by {
			names = append(names, one.Name)
		}
	}
	return names
}
