// Package help has the pages of the help and of the tour.
package help

import "rebatedesk/web/templates/guide"

// HelpView is the help about one page or all.
type HelpView struct {
	One   guide.FrameView // without a name: about all
	All   []guide.PageHelp
	Admin bool            // the reader opens the settings
	Opens map[string]bool // further pages that the reader opens
	Demo  bool            // there is a tour
}

// main reports whether the list of all pages names a page: not those below others.
func (v HelpView) main(p guide.PageHelp) bool {
	settings := p.Admin && v.Admin && !hasParameter(p.Route) && p.Route != "/deliveries/new"
	return settings || v.Opens[p.Route]
}

func hasParameter(route string) bool {
	for _, r := range route {
		if r == ':' {
			return true
		}
	}
	return false
}
