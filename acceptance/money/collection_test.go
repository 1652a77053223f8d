package money_test

import (
	"html"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/web"
)

// A page refuses parameters that have no effect on it.
func TestCollectionParameters(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t)})
	for path, want := range map[string]string{
		"/collection?colour=red":                       "there is no such parameter; this page takes range, from",
		"/collection?coin=BTC":                         "cannot be used here; this page takes range, from",
		"/collection?sort=-started":                    "cannot be used here",
		"/collection?page=0":                           "whole number from 1",
		"/collection?per=501":                          "whole number from 1 to 500",
		"/collection?page=1&page=2":                    "more than once",
		"/collection?account=nobody":                   "there is no such account; the accounts are main",
		"/collection/restatements?q=x":                 "cannot be used here",
		"/collection/restatements?as_of=x":             "cannot be used here",
		"/collection/restatements?compare=year":        "cannot be used here",
		"/collection/restatements?range=x":             "is none of",
		"/collection/restatements?colour=":             "there is no such parameter",
		"/collection/restatements?from=2026-11-30&to=": "lies after today",
	} {
		if a := site.Get(t, address+path); a.StatusCode != 400 || !strings.Contains(a.Body, want) {
			t.Errorf("%s: status %d, and the page does not say %q", path, a.StatusCode, want)
		}
	}
	for _, path := range []string{
		"/collection?range=7d&compare=previous&account=main", "/collection?q=", "/collection?page=3&per=50", "/collection?page=99",
		"/collection/restatements?range=90d&account=main&product=SPOT&coin=USDT&uid=1&symbol=x&source=sub&code=vip&page=1&per=100",
	} {
		a := site.Get(t, address+path)
		if a.StatusCode != 200 {
			t.Errorf("%s: status %d", path, a.StatusCode)
		}
		site.CheckPolicy(t, a)
		if strings.Contains(a.Body, " style=") {
			t.Errorf("%s: the page has an inline style", path)
		}
	}
}

func TestRunPages(t *testing.T) {
	t.Parallel()
	address := site.LookedAt(t)
	page := html.UnescapeString(site.Get(t, address+"/collection?page=2&account=main").Body)
	for _, want := range []string{
		"26–50 of 120 runs", "Page 2 of 5", `href="/collection?account=main"`, `href="/collection?account=main&page=3"`,
		`hx-get="/collection?account=main&page=2"`, `href="/collection/restatements?account=main&range=90d"`, `href="/collection?account=main&per=100"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if page := site.Get(t, address+"/collection?page=6").Body; !strings.Contains(page, "page 6 is beyond the last one") {
		t.Error("a page number beyond the last page of runs is not reported")
	}
}

// A filter by one account narrows the whole page.
func TestCollectionOfOneAccount(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.TwoSeasons(t)})
	for path, want := range map[string]int{"/collection": 16, "/collection?account=second": 8} {
		if got := strings.Count(site.Get(t, address+path).Body, `class="calendar"`); got != want {
			t.Errorf("%s: %d calendars, want %d", path, got, want)
		}
	}
	page := site.Get(t, address+"/collection?account=second").Body
	if !strings.Contains(page, "Remove the filter Account") || !strings.Contains(page, "60 runs") {
		t.Error("the page does not say that it shows one account, or shows another")
	}
}

// The page shows restatements exactly, and explains why it is empty if none exist.
func TestRestatementPages(t *testing.T) {
	t.Parallel()
	address := site.LookedAt(t)
	body := site.Get(t, address+"/collection/restatements?range=90d").Body
	for _, want := range []string{">late<", ">changed<", ">removed<", ">zeroed to nothing<", "there was no such record", "the record is gone", "Together"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for path, want := range map[string]string{
		"?code=nobody":                   "No restatement matches the filters",
		"?from=2026-01-01&to=2026-01-31": "Nothing was restated",
	} {
		if a := site.Get(t, address+"/collection/restatements"+path); a.StatusCode != 200 || !strings.Contains(a.Body, want) {
			t.Errorf("%s: status %d, and the page does not say %q", path, a.StatusCode, want)
		}
	}
	if body := site.Get(t, site.OpenSharedSite(t).Address+"/collection").Body; !strings.Contains(body, "No changes found.") {
		t.Error("the page does not say that no record was restated")
	}
}
