package money_test

import (
	"slices"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/web"
)

// Nothing answers that is not a route, and each page of the navigation is one of them.
func TestEveryRouteIsStated(t *testing.T) {
	t.Parallel()
	server := web.New(web.Options{Reports: site.SharedReports(t), Access: site.SharedAccess(t), Desk: site.SharedReports(t), Collect: site.Nothing})
	var stated, listed []string
	for _, r := range server.Routes() {
		stated = append(stated, r.Method+" "+r.Path)
		for _, item := range r.Listing() {
			path, _, _ := strings.Cut(item.Path, "#")
			listed = append(listed, "GET "+path)
		}
	}
	for _, r := range server.App().GetRoutes(true) {
		if r.Method != "HEAD" && !slices.Contains(stated, r.Method+" "+r.Path) {
			t.Errorf("%s %s answers and is no route", r.Method, r.Path)
		}
	}
	for _, address := range listed {
		if !slices.Contains(stated, address) {
			t.Errorf("%s is in the navigation or the search, and is no route", address)
		}
	}
	if len(site.EveryPage) < 25 || len(listed) < 40 {
		t.Errorf("%d pages of figures and %d entries", len(site.EveryPage), len(listed))
	}
}
