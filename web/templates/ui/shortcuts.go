package ui

import (
	"github.com/a-h/templ"

	"rebatedesk/reports/query"
)

// rangeKeys are the keys of ranges. Rows of lists and the ticket have other keys.
var rangeKeys = map[query.RangeName]string{query.Last7: "w", query.Last30: "t", query.MonthTo: "m", query.LastMonth: "l", query.YearTo: "y"}

// compareKey is the key of a comparison: one key turns the comparison off, or on again as the
// previous period. A page that always compares has none.
func (l Links) compareKey(c query.Compare) string {
	comparing := l.Query.Compare != query.CompareNone
	if l.Compared == "" && (comparing && c == query.CompareNone || !comparing && c == query.ComparePrevious) {
		return "c"
	}
	return ""
}

// shortcut marks the link that a key follows.
func shortcut(key string) templ.Attributes {
	if key == "" {
		return nil
	}
	return templ.Attributes{"data-shortcut": key, "aria-keyshortcuts": key}
}
