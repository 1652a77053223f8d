package ui

import "rebatedesk/web/templates/navigation"

// currentEntry says whether an entry of the navigation leads to the page itself, or to one that it is
// part of.
func currentEntry(e navigation.Entry, p Page) string {
	if !p.Below && e.Tabs[0].Path == p.Path {
		return "page"
	}
	return "true"
}

// waitingAt says how much waits at an entry.
func waitingAt(u Reader, at navigation.Place) (n int, words string) {
	if u.Waiting == nil {
		return 0, ""
	}
	return u.Waiting(at)
}

// currentTab is currentEntry of a tab.
func currentTab(p Page) string {
	if p.Below {
		return "true"
	}
	return "page"
}

// name is the title of the page in the browser.
func (p Page) name() string {
	if name := p.User.Map.NameOf(p.Path); name != "" && !p.Below {
		return name
	}
	return p.Title
}
