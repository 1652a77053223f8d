package pages_test

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
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
	for _, path := range []string{"/", "/commissions", "/payments", "/rates", "/months", "/changes", "/worklist", "/invitees", "/codes", "/returns", "/cohorts", "/sub-affiliates", "/collection", "/console"} {
		if !paths[path] {
			t.Errorf("%s is not in the navigation", path)
		}
	}
}
