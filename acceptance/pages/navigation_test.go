package pages_test

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
)

// On a page with a range, every entry of the navigation leads to a page. Entries of
// reports keep the range, the others have none.
func TestNavigationKeepsTheRange(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	page := f.Theo.Get("/?range=7d&compare=weekday")
	_, nav, _ := strings.Cut(page.Body, `id="nav"`)
	nav, _, _ = strings.Cut(nav, "</nav>")
	paths := map[string]bool{}
	for _, found := range regexp.MustCompile(`href="(/[^"#]*)"`).FindAllStringSubmatch(nav, -1) {
		at := html.UnescapeString(found[1])
		path, query, _ := strings.Cut(at, "?")
		paths[path] = true
		if a := f.Theo.Get(at); a.StatusCode != 200 {
			t.Errorf("%s: status %d", at, a.StatusCode)
		}
		const both = "compare=weekday&range=7d"
		if slices.Contains([]string{"/", "/commissions", "/drivers", "/invitees", "/codes", "/cohorts", "/pivot"}, path) && query != both { // others compare no periods
			t.Errorf("%s is linked with %q", path, query)
		}
		if ranged := query == both || query == "range=7d"; ranged != (path != "/console" && path != "/summaries" && path != "/deliveries" && path != "/channels" && path != "/months" && path != "/forecast" && path != "/worklist" && path != "/returns" && path != "/segments" && path != "/search" && path != "/help") {
			t.Errorf("%s is linked with %q", path, query)
		}
	}
	for _, path := range []string{"/", "/commissions", "/payments", "/months", "/worklist", "/invitees", "/codes", "/summaries", "/console"} {
		if !paths[path] {
			t.Errorf("%s is not in the navigation", path)
		}
	}
}

// entriesOf lists the addresses of the entries of the side bar, and of the tabs of a page.
func entriesOf(body string) (entries, tabs []string) {
	href := regexp.MustCompile(`href="(/[^"#]*)"`)
	between := func(text, from, to string) (list []string) {
		_, text, _ = strings.Cut(text, from)
		text, _, _ = strings.Cut(text, to)
		for _, found := range href.FindAllStringSubmatch(text, -1) {
			list = append(list, html.UnescapeString(found[1]))
		}
		return list
	}
	_, nav, _ := strings.Cut(body, `id="nav"`)
	_, row, _ := strings.Cut(body, `id="tabs"`)
	return between(nav, "<ul", "</ul>"), between(row, "<nav", "</nav>")
}

// The navigation has at most nine entries for every role. The tabs of an entry keep the range, the
// comparison and the filters that a page takes.
func TestNineEntriesWithTabs(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	callers := map[access.Role]*site.Visitor{access.Trader: f.Theo}
	for _, role := range []access.Role{access.Viewer, access.Manager} {
		f.AddUser(string(role), role)
		callers[role] = f.SignedInAs(string(role))
	}
	for name, caller := range callers {
		entries, _ := entriesOf(caller.Get("/").Body)
		if len(entries) == 0 || len(entries) > 9 {
			t.Errorf("%s has %d entries: %q", name, len(entries), entries)
		}
		for _, entry := range entries {
			path, _, _ := strings.Cut(entry, "?")
			_, tabs := entriesOf(caller.Get(path).Body)
			for _, tab := range tabs {
				if a := caller.Get(tab); a.StatusCode != 200 {
					t.Errorf("%s: status %d", tab, a.StatusCode)
				}
			}
		}
	}
	_, tabs := entriesOf(f.Theo.Get("/drivers?range=7d&compare=weekday&product=SPOT&uid=1").Body)
	want := []string{"/commissions?compare=weekday&product=SPOT&range=7d&uid=1", "/drivers?compare=weekday&product=SPOT&range=7d&uid=1",
		"/pivot?compare=weekday&product=SPOT&range=7d&uid=1", "/forecast?product=SPOT&uid=1"}
	if !slices.Equal(tabs, want) {
		t.Errorf("the tabs lead to %q, want %q", tabs, want)
	}
}
