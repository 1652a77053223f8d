package pages_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
)

var wayOutLink = regexp.MustCompile(`href="([^"]+)"[^>]*>\s*Open the page without`)

// A page with an invalid default view, such as that of a deleted account, can still be
// opened, because the offered link does not lead back into the view.
func TestBrokenDefaultViewHasAWayOut(t *testing.T) {
	t.Parallel()
	address, _ := site.ServeEditable(t)
	for _, query := range []string{"range=forever", "coin=no%01coin", "per=0"} {
		site.Post(t, address+"/views", nil, "name", query, "path", "/commissions", "query", query, "default", "yes", "token", site.TokenOf(t, address))
		broken := site.Get(t, address+site.Get(t, address+"/commissions").Header.Get("Location"))
		link := wayOutLink.FindStringSubmatch(broken.Body)
		if broken.StatusCode != 400 || link == nil {
			t.Fatalf("%s: status %d, and the way out is %v", query, broken.StatusCode, link)
		}
		if out := site.Get(t, address+link[1]); out.StatusCode != 200 || !strings.Contains(out.Body, "Commissions") {
			t.Errorf("%s: %s leads to status %d", query, link[1], out.StatusCode)
		}
	}
}

// The longest view that can be saved can also be opened, renamed and used, although its
// address appears in the request and, for a form, again as the referrer.
func TestLongestViewCanBeUsed(t *testing.T) {
	t.Parallel()
	address, _ := site.ServeEditable(t)
	wide := url.QueryEscape(strings.Repeat("漢", 100))
	query := "code=" + wide + "&q=" + wide + "&range=7d&symbol=" + wide + "&account=main"
	if a := site.Get(t, address+"/commissions?"+query, "Cookie", site.SignedIn(t, access.Manager)+"; others="+strings.Repeat("c", 900)); a.StatusCode != 200 {
		t.Fatalf("a page asked in %d bytes: status %d", len(query), a.StatusCode)
	}
	query = "code=" + wide + "&q=" + wide + "&range=7d&symbol=" + wide + "&tag=" + wide
	saved := site.Post(t, address+"/views", []string{"Referer", address + "/commissions?" + query}, "name", "long", "path", "/commissions", "query", query, "token", site.TokenOf(t, address))
	if saved.StatusCode != 303 {
		t.Errorf("a view of %d bytes: status %d", len(query), saved.StatusCode)
	}
	opened := site.Get(t, address+saved.Header.Get("Location"), "Referer", address+saved.Header.Get("Location"))
	if opened.StatusCode == 431 {
		t.Error("the view that was saved is too long to be opened")
	}
}
