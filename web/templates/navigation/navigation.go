// Package navigation has the pages of the product by group, further pages and actions that the
// search finds, and which of them a reader may open. The routes list them.
package navigation

import (
	"net/url"
	"slices"

	"rebatedesk/access"
)

// Place is a place in the navigation: a group that can be folded, or a single entry.
type Place string

// The places, in their order.
const (
	Earnings   Place = "earnings"
	People     Place = "people"
	Months     Place = "months"
	Collection Place = "collection"
	Send       Place = "send"
	Console    Place = "console"
	Elsewhere  Place = "" // a page that the search alone finds
	Actions    Place = "actions"
)

// groups are the places in their order, with the labels of those that can be folded.
var groups = []Group{{Place: Earnings, Label: "Earnings"}, {Place: People, Label: "People"}, {Place: Months}, {Place: Collection}, {Place: Send, Label: "Send"}, {Place: Console}}

// Item is one entry of the navigation, or of the search.
type Item struct {
	Place             Place
	Path, Label, Icon string

	Words string            // further words by which the search finds it
	First bool              // one of the entries that a small screen shows
	Need  access.Permission // empty: whoever is signed in
	Whole bool              // it is about everybody, so it does not exist for a user who sees some invitees only

	// Carries are the parameters of range, comparison and state that follow the reader there.
	Carries []string
}

// Reader is the user who looks at the page.
type Reader struct {
	Name     string // empty if the user is unknown
	Role     access.Role
	Map      *Map                         // of the server; nil: there is no navigation
	May      func(access.Permission) bool // what the reader may do; nil: nothing that needs a permission
	Settings bool                         // may open them
	Bound    bool                         // sees some invitees only: pages that cannot be divided by invitee do not exist
	MailSick bool                         // mail cannot be sent
	Token    string                       // of the form that signs out; empty for programs
}

// Group is a part of the navigation. A group without a label is a single entry.
type Group struct {
	Place Place // as the cookie of folded groups has it
	Label string
	Items []Item
}

// Map has all entries, in the order in which the routes listed them.
type Map struct{ items []Item }

// Add adds an entry.
func (m *Map) Add(item Item) { m.items = append(m.items, item) }

// MailPath is the entry that shows when mail cannot be sent.
const MailPath = "/summaries"

// opens reports whether a user may open the page of an entry.
func (u Reader) opens(item Item) bool {
	return !(u.Bound && item.Whole) && (item.Need == "" || u.May != nil && u.May(item.Need))
}

// at lists the entries of a place that a user may open.
func (u Reader) at(place Place) (items []Item) {
	if u.Map == nil {
		return nil
	}
	for _, item := range u.Map.items {
		if item.Place == place && u.opens(item) {
			items = append(items, item)
		}
	}
	return items
}

// For returns the groups with the entries that a user may open.
func For(u Reader) (list []Group) {
	for _, g := range groups {
		if g.Items = u.at(g.Place); len(g.Items) > 0 {
			list = append(list, g)
		}
	}
	return list
}

// First returns the entries that a small screen shows without its menu.
func First(u Reader) (items []Item) {
	for _, g := range For(u) {
		for _, item := range g.Items {
			if item.First {
				items = append(items, item)
			}
		}
	}
	return items
}

// InMenu reports whether a small screen shows the page only in its menu.
func InMenu(u Reader, path string) bool {
	item, listed := u.Map.listed(path)
	return listed && !item.First
}

// IsFolded reports whether the reader folded a group. The group of the page is always open.
func (g Group) IsFolded(path string, folded []string) bool {
	return slices.Contains(folded, string(g.Place)) && !slices.ContainsFunc(g.Items, func(item Item) bool { return item.Path == path })
}

// GroupNames lists the names of the groups that a reader can fold.
func GroupNames() (names []string) {
	for _, g := range groups {
		if g.Label != "" {
			names = append(names, string(g.Place))
		}
	}
	return names
}

// Href returns the item's address. The range, the comparison and the state follow the reader
// from page to page; filters do not, because they mean different things there.
func (n Item) Href(carry string) string {
	values, err := url.ParseQuery(carry)
	if err != nil {
		return n.Path
	}
	for name := range values {
		if !slices.Contains(n.Carries, name) {
			values.Del(name)
		}
	}
	if len(values) == 0 {
		return n.Path
	}
	return n.Path + "?" + values.Encode()
}

// LabelOf returns the label of the entry with a path, "" if the navigation has none.
func (m *Map) LabelOf(path string) string {
	item, _ := m.listed(path)
	return item.Label
}

// listed returns the entry of the navigation with a path.
func (m *Map) listed(path string) (Item, bool) {
	if m != nil {
		for _, item := range m.items {
			if item.Path == path && item.Place != Elsewhere && item.Place != Actions {
				return item, true
			}
		}
	}
	return Item{}, false
}
