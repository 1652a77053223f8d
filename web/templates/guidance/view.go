// Package guidance has the pages of the help and of the tour.
package guidance

import "rebatedesk/web/templates/guide"

// HelpView is the help about one page or all.
type HelpView struct {
	One            guide.FrameView // without a name: about all
	All            []guide.PageHelp
	Admin, Console bool // what the reader may open
	Demo           bool // there is a tour
}

// main reports whether the list of all pages names a page: not those below others.
func (v HelpView) main(p guide.PageHelp) bool {
	settings := p.Admin && v.Admin && !hasParameter(p.Route) && p.Route != "/deliveries/new"
	return p.Try != "" && (p.Route != "/console" || v.Console) || settings || p.Route == "/account" || p.Route == "/docs/api"
}

func hasParameter(route string) bool {
	for _, r := range route {
		if r == ':' {
			return true
		}
	}
	return false
}
