package acceptance_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/web"
)

var (
	formToken = regexp.MustCompile(`name="token" value="[^"]+"`)
	requestID = regexp.MustCompile(`id=[0-9a-f]{12}`)
)

// Parts of a page are drawn once for all readers, and each reader sees what the page would
// show if nobody had opened it before. No page carries the form token of another reader.
func TestDrawingsAreForEveryReader(t *testing.T) {
	t.Parallel()
	shared := openSharedSite(t)
	address, _ := serve(t, web.Options{Reports: reports.New(shared.store, clockAtNow), Desk: shared.service, Collect: nothing})
	body := func(address string, role access.Role) string {
		t.Helper()
		a := get(t, address, "Cookie", signedIn(t, role))
		if a.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d", address, a.StatusCode)
		}
		return a.body
	}
	for _, p := range everyPage {
		path := strings.TrimPrefix(shared.at(p.route), shared.address) + p.query()
		for _, order := range [][2]access.Role{{access.Admin, access.Viewer}, {access.Viewer, access.Manager}} {
			alone, _ := serve(t, web.Options{Reports: reports.New(shared.store, clockAtNow), Desk: shared.service, Collect: nothing})
			first := body(address+path, order[0])
			got, want := body(address+path, order[1]), body(alone+path, order[1])
			for _, token := range formToken.FindAllString(got, -1) {
				if strings.Contains(first, token) {
					t.Errorf("%s: the %s has a form token of the %s", path, order[1], order[0])
				}
			}
			clean := func(page string) string {
				return requestID.ReplaceAllString(formToken.ReplaceAllString(page, ""), "")
			}
			if clean(got) != clean(want) {
				t.Errorf("%s: the %s sees another page after the %s", path, order[1], order[0])
			}
		}
	}
}
