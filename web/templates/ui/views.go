package ui

import (
	"net/url"
	"slices"
	"strings"

	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store/identity"
	"rebatedesk/web/templates/navigation"
)

// ViewMenu holds the saved views that a reader sees, with the token of the forms that
// change them. Without a token no views are offered.
type ViewMenu struct {
	List  []identity.View // by path and name
	Pages *navigation.Map // that have names
	Token string
	// Changed is the view that could not be changed; its form says why.
	Changed int64
	Form    Form
}

// FormOf returns the form of a view.
func (v ViewMenu) FormOf(view identity.View) Form {
	if view.ID == v.Changed {
		return v.Form
	}
	return Form{}
}

// Default returns the default view of a path. The reader's own takes precedence over a
// shared one.
func (v ViewMenu) Default(path string) (found identity.View, ok bool) {
	for _, view := range v.List {
		if view.Default && view.Path == path && (!ok || view.Owner != "") {
			found, ok = view, true
		}
	}
	return found, ok
}

// split divides the views into those of a page and the others.
func (v ViewMenu) split(path string) (here, others []identity.View) {
	for _, view := range v.List {
		if view.Path == path {
			here = append(here, view)
		} else {
			others = append(others, view)
		}
	}
	return here, others
}

// asked returns the query of the page in the form that a view stores: from the first
// page on, and with its range named, so that it is never the bare address.
func (l Links) asked() string {
	values := l.values(l.Query)
	values.Del("page")
	if l.Query.Range != query.Custom {
		values.Set("range", string(l.Query.Range))
	}
	return values.Encode()
}

// opened returns the saved view that the page shows, if it shows one.
func (l Links) opened() (identity.View, bool) {
	asked := l.asked()
	i := slices.IndexFunc(l.Views.List, func(v identity.View) bool { return v.Path == l.Path && v.Query == asked })
	if i < 0 {
		return identity.View{}, false
	}
	return l.Views.List[i], true
}

// bare returns the address of the page with only the default range, which is not that
// of its default view.
func (l Links) bare() string { return l.Path + "?range=" + string(l.Query.UsualRange()) }

func ViewAddress(v identity.View) string { return v.Path + "?" + v.Query }

// PageName names the page of a path: "Commissions", "Invitees › 4667776811".
func PageName(pages *navigation.Map, path string) string {
	if label := pages.NameOf(path); label != "" {
		return label
	}
	name := strings.ReplaceAll(strings.Trim(path, "/"), "/", " › ")
	return strings.ToUpper(name[:min(1, len(name))]) + name[min(1, len(name)):]
}

// QueryWords describes the query of a view: "Last 30 days · product FUTURES".
func QueryWords(asked string) string {
	values, err := url.ParseQuery(asked)
	if err != nil {
		return asked
	}
	var words []string
	for _, name := range query.Params {
		switch value := values.Get(name); {
		case value == "":
		case name == "range" && slices.Contains(query.RangeNames(), query.RangeName(value)):
			words = append(words, query.RangeName(value).Label())
		default:
			words = append(words, strings.ReplaceAll(name, "_", " ")+phrase.Space+value)
		}
	}
	return strings.Join(words, " · ")
}
