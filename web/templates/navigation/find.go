package navigation

import (
	"cmp"
	"slices"

	"rebatedesk/reports/search"
)

// PagesFor returns the pages that a user may open and whose name is close to a text; all of the
// navigation for an empty one.
func PagesFor(u Reader, text string) []Item {
	var list []Item
	for _, e := range For(u) {
		list = append(list, e.Tabs...)
	}
	if text != "" {
		list = append(list, u.at(Elsewhere)...)
	}
	return closestItems(list, text)
}

// ActionsFor returns the actions that a user may begin and whose name is close to a text. They
// lead to a form or a page, and change nothing by themselves.
func ActionsFor(u Reader, text string) []Item { return closestItems(u.at(Actions), text) }

// closestItems returns the entries whose label or further words are close to a text, the closest
// first.
func closestItems(list []Item, text string) []Item {
	type hit struct {
		Item
		closeness search.Closeness
	}
	var hits []hit
	for _, item := range list {
		closeness := search.Likeness(text, item.Name())
		if closeness < search.WordBegin {
			switch further := search.Likeness(text, item.Words); {
			case further >= search.WordBegin:
				closeness = search.Inside
			case further == search.Mistyped:
				closeness = max(closeness, further)
			}
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
