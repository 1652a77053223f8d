// Package navigation has the entries of the navigation with their pages, further pages and actions
// that the search finds, and which of them a reader may open. The routes list them.
package navigation

import (
	"net/url"
	"slices"

	"rebatedesk/access"
)

// Place is an entry of the navigation, by its label.
type Place string

// The entries, in their order. Collection stands at the foot.
const (
	Home       Place = "Home"
	Earnings   Place = "Earnings"
	Payments   Place = "Payments"
	Months     Place = "Months"
	Worklist   Place = "To do"
	Invitees   Place = "Invitees"
	Campaigns  Place = "Campaigns"
	Reports    Place = "Reports"
	Console    Place = "Console"
	Collection Place = "Data"
	Elsewhere  Place = "" // a page that the search alone finds
	Actions    Place = "actions"
)

// entries are the entries in their order. A small screen shows those that are used most.
var entries = []Entry{
	{Place: Home, Icon: "overview", First: true}, {Place: Earnings, Icon: "list", First: true}, {Place: Payments, Icon: "payments"},
	{Place: Months, Icon: "closed"}, {Place: Worklist, Icon: "inbox", First: true}, {Place: Invitees, Icon: "people"},
	{Place: Campaigns, Icon: "ticket"}, {Place: Reports, Icon: "mail"}, {Place: Console, Icon: "console", Headed: true}, {Place: Collection, Icon: "database"},
}

// Item is a page of the navigation, or what the search finds.
type Item struct {
	Place             Place
	Path, Label, Icon string // the label is that of its tab

	Words string            // further words by which the search finds it
	Last  bool              // its tab comes after the others
	Need  access.Permission // empty: whoever is signed in
	Whole bool              // it is about everybody, so it does not exist for a user who sees some invitees only

	// Carries are the parameters of range, comparison and state that follow the reader there.
	Carries []string
	Narrows []string // the filters that follow from another page of its entry
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
	// Waiting returns how many things wait at a place, also in words; 0 where that is not known. Nil: nowhere.
	Waiting func(Place) (n int, words string)
}

// Entry is an entry of the navigation with those of its pages that a reader may open: its tabs.
type Entry struct {
	Place  Place
	Icon   string
	First  bool // a small screen shows it without its menu
	Headed bool // its pages have headings and tabs of their own
	Tabs   []Item
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
	slices.SortStableFunc(items, func(a, b Item) int {
		switch {
		case a.Last == b.Last:
			return 0
		case a.Last:
			return 1
		}
		return -1
	})
	return items
}

// For returns the entries with the pages that a user may open, those at the foot last.
func For(u Reader) (list []Entry) {
	for _, e := range entries {
		if e.Tabs = u.at(e.Place); len(e.Tabs) > 0 {
			list = append(list, e)
		}
	}
	return list
}

// Of returns the entry of a page, and false if the navigation has none.
func Of(u Reader, path string) (Entry, bool) {
	item, listed := u.Map.listed(path)
	if !listed {
		return Entry{}, false
	}
	list := For(u)
	i := slices.IndexFunc(list, func(e Entry) bool { return e.Place == item.Place })
	if i < 0 {
		return Entry{}, false
	}
	return list[i], true
}

// Foot reports whether the entry stands at the foot of the navigation.
func (e Entry) Foot() bool { return e.Place == Collection }

// Has reports whether a page is one of the entry.
func (e Entry) Has(path string) bool {
	return slices.ContainsFunc(e.Tabs, func(item Item) bool { return item.Path == path })
}

// HasTabs reports whether the entry shows tabs. Its one page, for a reader who opens no other, shows its
// name unless the entry has the same.
func (e Entry) HasTabs() bool {
	return len(e.Tabs) > 1 || len(e.Tabs) == 1 && e.Tabs[0].Label != string(e.Place)
}

// Shown returns what follows the label of the entry in the title of one of its pages.
func (e Entry) Shown(path string) string {
	if i := slices.IndexFunc(e.Tabs, func(item Item) bool { return item.Path == path }); i >= 0 && e.HasTabs() {
		return ": " + e.Tabs[i].Label
	}
	return ""
}

// InMenu reports whether a small screen shows the page only in its menu.
func InMenu(u Reader, path string) bool {
	e, listed := Of(u, path)
	return listed && !e.First
}

// Name returns the name of a page beside those of other entries, such as Earnings: Why.
func (n Item) Name() string {
	if n.Place == Elsewhere || n.Place == Actions || n.Label == string(n.Place) {
		return n.Label
	}
	return string(n.Place) + ": " + n.Label
}

// Href returns the item's address from another entry. The range, the comparison and the state follow the
// reader from page to page; filters do not, because they are about something else there.
func (n Item) Href(carry string) string { return n.with(carry, n.Carries) }

// TabHref returns the item's address from another page of its entry: filters follow, too.
func (n Item) TabHref(carry string) string { return n.with(carry, slices.Concat(n.Carries, n.Narrows)) }

func (n Item) with(carry string, kept []string) string {
	values, err := url.ParseQuery(carry)
	if err != nil {
		return n.Path
	}
	for name := range values {
		if !slices.Contains(kept, name) {
			values.Del(name)
		}
	}
	if len(values) == 0 {
		return n.Path
	}
	return n.Path + "?" + values.Encode()
}

// NameOf returns the name of the page with a path, "" if the navigation has none.
func (m *Map) NameOf(path string) string {
	item, _ := m.listed(path)
	return item.Name()
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
