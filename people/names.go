package people

import "rebatedesk/affiliate"

// NameBook holds the names of UIDs in one state. Nil has none, for a reader who may not see
// them. Two states are two books, so a book tells whether what was drawn with it still holds.
type NameBook struct{ of map[affiliate.UID]string }

// NewNameBook returns the book of names, which the caller must not change any more.
func NewNameBook(of map[affiliate.UID]string) *NameBook { return &NameBook{of} }

// Of returns the name of a UID, "" without one.
func (b *NameBook) Of(uid affiliate.UID) string {
	if b == nil {
		return ""
	}
	return b.of[uid]
}

// Beside returns a UID for a sentence, in one line: with its name in brackets if it has one.
func (b *NameBook) Beside(uid affiliate.UID) string {
	words := affiliate.OneLine(string(uid))
	if name := affiliate.OneLine(b.Of(uid)); name != "" {
		words += " (" + name + ")"
	}
	return words
}
