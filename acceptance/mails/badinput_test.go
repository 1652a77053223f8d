package mails_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/reports/query"
)

// strange holds values that are invalid for every parameter.
var strange = []string{
	`</script><script>window.pwned=1</script>`, `"><img src=x onerror=window.pwned=1>`, "\u202egnp.exe\u200f", "🧿👩‍👩‍👧{{7*7}}",
	"a\x00b", "\xff\xfe", `'; DROP TABLE commissions; --`, strings.Repeat("9", 101), `../../etc/passwd`, "1e400",
}

// Every address is answered with a page, with a file, or with an error that names the
// invalid parameter. Nothing fails, and the given values remain text.
func TestEveryPageAnswersAnyParameter(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	for k, p := range site.EveryPage {
		for n, route := range p.Routes() {
			for j, name := range append(slices.Clone(query.Params), "colour") {
				for i, value := range strange {
					if n > 0 && i%len(site.FileEndings) != n-1 || (i+j+k)%4 > 0 {
						continue // all share one parser: each page tests a quarter of the values, and each file a twelfth
					}
					a := site.Get(t, h.At(route)+"?"+url.Values{name: {value}}.Encode())
					found := a.StatusCode == 200 && (slices.Contains(site.OpenForms, name) || name == "account" && p.Route == "/views")
					if a.StatusCode != 400 && !found {
						t.Errorf("%s: %s=%.40q: status %d", route, name, value, a.StatusCode)
					}
					site.CheckText(t, a, value)
				}
			}
		}
	}
}

func TestEveryPageAnswersAnyDays(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	for _, p := range site.EveryPage {
		for n, route := range p.Routes() {
			for query, want := range map[string]int{
				"from=2026-11-20&to=2026-11-01":    400,
				"from=2001-01-01&to=2001-02-01":    200, // before all records
				"from=2090-01-01&to=2090-02-01":    200, // after all records
				"from=1800-01-01":                  400,
				"range=all&compare=year":           200,
				"range=7d&from=2026-11-20":         400,
				"page=1000000000":                  400,
				"as_of=2001-01-01T00:00:00Z":       200, // before the first reading
				"q=" + strings.Repeat("x", 3400):   400,
				"q=" + strings.Repeat("x", 16<<10): 431,
				"symbol=%zz":                       400,
				strings.Repeat("from=x&", 200):     400,
				"colour=" + strings.Repeat("r", 9): 400,
			} {
				name, _, _ := strings.Cut(query, "=")
				switch {
				case want == 200 && (!p.TakesIt(name) || strings.Contains(query, "compare") && !p.TakesIt("compare")):
					want = 400
				case name == "page" && (n > 0 && (p.TakesIt("page") || p.Route == "/invitees/:uid") || p.Lasts): // files have no pages, but some pages have one only
					want = 200 // a file has no pages
				case name == "as_of" && p.Route == "/invitees/:uid" && n == 0, name == "as_of" && p.Route == "/sub-affiliates/:uid" && n == 0:
					want = 404 // no such user
				}
				if a := site.Get(t, h.At(route)+"?"+query); a.StatusCode != want {
					t.Errorf("%s?%.40s: status %d, want %d", route, query, a.StatusCode, want)
				}
			}
		}
	}
}

// A UID in an address may belong to no invitee, or may be invalid.
func TestUnknownUIDs(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	for _, list := range []string{"/invitees/", "/sub-affiliates/"} {
		for uid, want := range map[string]int{
			"999": 404, strings.Repeat("7", 32): 404, strings.Repeat("7", 33): 404, "%3Cscript%3Ealert(1)%3C%2Fscript%3E": 404,
			"%F0%9F%A7%BF": 404, "%E2%80%AEgnp": 404, "a%2Fb": 404, "%25%32%37": 404, strings.Repeat("7", 16<<10): 431,
		} {
			a := site.Get(t, h.Address+list+uid)
			if a.StatusCode != want {
				t.Errorf("%s%.40s: status %d, want %d", list, uid, a.StatusCode, want)
			}
			if text, err := url.PathUnescape(uid); err == nil {
				site.CheckText(t, a, text)
			}
			for _, ending := range site.FileEndings {
				want := want
				if query.IsUID(uid) {
					want = 200 // the file of an unknown invitee is empty
				}
				if a := site.Get(t, h.Address+list+uid+ending); a.StatusCode != want {
					t.Errorf("%s%.40s%s: status %d, want %d", list, uid, ending, a.StatusCode, want)
				}
			}
		}
		// Only the address says which invitee the file is about.
		if a := site.Get(t, h.Address+list+"999.csv?uid=7"); a.StatusCode != 400 || !strings.Contains(a.Body, "names a UID already") {
			t.Errorf("%s: two UIDs: status %d, %s", list, a.StatusCode, a.Body)
		}
	}
}

// No page takes control characters or broken text in its parameters, whatever their names; what
// was given is shown with visible marks. White space around a value is none of its business.
func TestControlCharactersAreRefused(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	for _, path := range []string{"/", "/commissions", "/commissions.csv", "/payments", "/search", "/summaries/new/preview", "/settings/audit", "/docs/api", "/annotations"} {
		for _, query := range []string{"q=a%07b", "q=a%0Ab", "q=%00x", "q=%C2%85x%C2%85y", "q=%FF%FE", "code=x%1B%5B31m", "a%08b=1"} {
			a := site.Get(t, h.Address+path+"?"+query)
			if a.StatusCode != 400 || !strings.Contains(a.Body, "cannot be shown") {
				t.Errorf("%s?%s: status %d, %.200s", path, query, a.StatusCode, a.Body)
			}
			if strings.ContainsAny(a.Body, "\x00\x07\x08\x1b") {
				t.Errorf("%s?%s is echoed as it is", path, query)
			}
		}
	}
	if a := site.Get(t, h.Address+"/commissions?uid=%20%09"); a.StatusCode != 200 {
		t.Errorf("an empty value: status %d", a.StatusCode)
	}
}
