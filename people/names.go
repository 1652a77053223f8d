package people

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"rebatedesk/affiliate"
)

// NameBook holds the names of UIDs in one state. Nil has none, for a reader who may not see
// them. Two states are two books, so a book tells whether what was drawn with it still holds.
type NameBook struct {
	of map[affiliate.UID]string

	mutex  sync.Mutex
	sought string // the text of the newest search
	found  string // its result
}

// NewNameBook returns the book of names, which the caller must not change any more.
func NewNameBook(of map[affiliate.UID]string) *NameBook { return &NameBook{of: of} }

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

// Find returns the UIDs whose names contain a text, in any case, as a JSON list in order. It is
// empty if there is none, or no text.
func (b *NameBook) Find(text string) string {
	if b == nil || text == "" {
		return ""
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.sought == text {
		return b.found
	}
	b.sought, b.found = text, ""
	var uids []string
	for _, uid := range slices.Sorted(maps.Keys(b.of)) {
		if b.Has(uid, text) {
			uids = append(uids, string(uid))
		}
	}
	if len(uids) > 0 {
		list, err := json.Marshal(uids)
		if err != nil {
			panic(err) // a list of texts always has a JSON form
		}
		b.found = string(list)
	}
	return b.found
}

// Has reports whether the name of a UID contains a text, in any case.
func (b *NameBook) Has(uid affiliate.UID, text string) bool {
	name := b.Of(uid)
	return name != "" && strings.Contains(strings.ToLower(name), strings.ToLower(text))
}
