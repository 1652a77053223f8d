// Package guide has what the program says about its own pages: the help of each page, the hint
// that a user sees on the first visit, and the stops of the tour. All these texts are here and
// at the routes of the pages; the words of terms are those of docs/glossary.md.
package guide

import (
	"regexp"
	"strings"
	"sync"

	"rebatedesk"
)

// PageHelp is the help of one page.
type PageHelp struct {
	Route   string // path of the page, as Fiber matches it
	Name    string
	Answers string // the question that the page answers
	Try     string // the one thing to try first; pages that have it show a hint
	Terms   []string
	Keys    []KeyHelp
	Files   string // address of its files, without the ending; empty: none
	Console bool   // its file has no .json
	Admin   bool   // only administrators open it
}

// KeyHelp says what a key does.
type KeyHelp struct{ Key, Does string }

// GeneralKeys work on every page.
var GeneralKeys = []KeyHelp{
	{"/", "Search, also Ctrl K"},
	{"←", "Previous period"},
	{"→", "Next period"},
	{"w", "Last 7 days, where the page has a range"},
	{"t", "Last 30 days"},
	{"m", "Month to date"},
	{"l", "Last month"},
	{"y", "Year to date"},
	{"c", "Comparison on or off"},
	{"e", "Exact values and meanings of figures, then arrows"},
	{"Ctrl Enter", "Save what you write, from a field of several lines"},
	{"?", "This help"},
	{"Esc", "Close, or leave a field"},
}

// Hint returns the text of the first visit, empty if the page has none.
func (p PageHelp) Hint() string {
	if p.Try == "" {
		return ""
	}
	return p.Answers + " " + p.Try
}

// TermWords is a term with its words in the glossary.
type TermWords struct{ Term, Words string }

// Definitions returns the terms of a page with their words.
func (p PageHelp) Definitions() (list []TermWords) {
	for _, term := range p.Terms {
		list = append(list, TermWords{term, glossary()[term]})
	}
	return list
}

// Book is the help of all pages, in the order of the routes. Of two routes that fit a path, the first
// counts.
type Book []PageHelp

// At returns the help of the page at a path or a route. A path below a page without help of its
// own gets that of the page above it.
func (b Book) At(path string) (PageHelp, bool) {
	for strings.HasPrefix(path, "/") {
		for _, p := range b {
			if p.Route == path || fits(p.Route, path) {
				return p, true
			}
		}
		path = path[:strings.LastIndex(path, "/")]
	}
	return PageHelp{}, false
}

// fits reports whether a path is one of a route with parameters. Routes without parameters come
// before those with some.
func fits(route, path string) bool {
	parts, of := strings.Split(path, "/"), strings.Split(route, "/")
	if len(parts) != len(of) {
		return false
	}
	for i, part := range of {
		if !strings.HasPrefix(part, ":") && part != parts[i] {
			return false
		}
	}
	return true
}

// Hints returns the routes of the pages that have a hint.
func (b Book) Hints() (routes []string) {
	for _, p := range b {
		if p.Try != "" {
			routes = append(routes, p.Route)
		}
	}
	return routes
}

// In links of the glossary the text is kept, and names of the code are left out.
var (
	codeName = regexp.MustCompile("\\s*\\(`[^`]*`\\)")
	docLink  = regexp.MustCompile(`\s*\(\[[^\]]*\]\([^)]*\)\)|\[([^\]]*)\]\([^)]*\)`)
	markup   = strings.NewReplacer("`", "", "*", "")
)

// glossary returns the words of each noun, without markup.
var glossary = sync.OnceValue(func() map[string]string {
	words := map[string]string{}
	for line := range strings.Lines(rebatedesk.Glossary) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 2 {
			continue
		}
		noun := strings.TrimSpace(codeName.ReplaceAllString(cells[0], ""))
		meaning := markup.Replace(docLink.ReplaceAllString(cells[1], "$1"))
		words[noun] = strings.TrimSpace(meaning)
	}
	return words
})
