package navigation

import (
	"cmp"
	"slices"

	"rebatedesk/access"
	"rebatedesk/reports/search"
)

// action is something that a reader can begin from anywhere. It leads to a form or a page and
// changes nothing by itself.
type action struct {
	Item
	role access.Role // the least role that may do it
}

// actions are those of the finder. Managers and traders may edit, administrators administer.
var actions = []action{
	{Item{Path: "/collection#collect", Label: "Collect now", Icon: "refresh", whole: true, words: "fetch update read"}, access.Manager},
	{Item{Path: "/summaries/new", Label: "New summary", Icon: "mail", whole: true, needs: needsMail, words: "schedule mail add"}, access.Manager},
	{Item{Path: "/summaries/alerts/new", Label: "New alert", Icon: "alert", whole: true, needs: needsMail, words: "add notify"}, access.Manager},
	{Item{Path: "/people/import", Label: "Import people", Icon: "people", whole: true, words: "names csv upload"}, access.Manager},
	{Item{Path: "/segments/new", Label: "New segment", Icon: "filter", words: "add"}, access.Manager},
	{Item{Path: "/annotations/new", Label: "New annotation", Icon: "note", words: "add note day"}, access.Manager},
	{Item{Path: "/rates/terms#import", Label: "Import agreed rates", Icon: "percent", whole: true, words: "terms csv upload"}, access.Manager},
	{Item{Path: "/account#tokens", Label: "Create an API token", Icon: "gear", words: "program key"}, access.Viewer},
	{Item{Path: "/settings/users", Label: "Users", Icon: "person", words: "add role invite"}, access.Admin},
	{Item{Path: "/settings/tokens", Label: "All tokens", Icon: "gear"}, access.Admin},
	{Item{Path: "/settings/sessions", Label: "All sessions", Icon: "gear"}, access.Admin},
	{Item{Path: "/settings/accounts", Label: "Exchange accounts", Icon: "database", words: "keys rotate"}, access.Admin},
	{Item{Path: "/settings/setup", Label: "Setup", Icon: "gear", words: "first start key mail"}, access.Admin},
	{Item{Path: "/settings/audit", Label: "Audit log", Icon: "list", words: "who did what"}, access.Admin},
	{Item{Path: "/settings/backups", Label: "Backups", Icon: "database", words: "restore"}, access.Admin},
}

// does reports whether a user may do an action.
func (u Reader) does(a action) bool {
	switch a.role {
	case access.Admin:
		return u.Settings
	case access.Manager:
		return u.Role != access.Viewer && u.opens(a.Item)
	}
	return u.opens(a.Item)
}

// PagesFor returns the pages that a user may open and whose name is close to a text; all of the
// navigation for an empty one.
func PagesFor(u Reader, text string) []Item {
	var list []Item
	for _, g := range For(u) {
		list = append(list, g.Items...)
	}
	if text != "" {
		for _, item := range furtherPages {
			if u.opens(item) {
				list = append(list, item)
			}
		}
	}
	return closestItems(list, text)
}

// ActionsFor returns the actions that a user may begin and whose name is close to a text.
func ActionsFor(u Reader, text string) []Item {
	var list []Item
	for _, a := range actions {
		if u.does(a) {
			list = append(list, a.Item)
		}
	}
	return closestItems(list, text)
}

// closestItems returns the entries whose label or further words are close to a text, the closest
// first.
func closestItems(list []Item, text string) []Item {
	type hit struct {
		Item
		closeness search.Closeness
	}
	var hits []hit
	for _, item := range list {
		closeness := search.Likeness(text, item.Label)
		if closeness < search.WordBegin && search.Likeness(text, item.words) >= search.WordBegin {
			closeness = search.Inside
		}
		if text == "" || closeness != search.NoMatch {
			hits = append(hits, hit{item, closeness})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.closeness, a.closeness) })
	if text != "" {
		hits = hits[:min(len(hits), search.MostFound)]
	}
	var items []Item
	for _, h := range hits {
		items = append(items, h.Item)
	}
	return items
}
