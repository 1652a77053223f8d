package acceptance_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"rebatedesk/reports"
	"rebatedesk/web"
)

// serveEditable serves the usual programme to users who can write and start a collection.
func serveEditable(t *testing.T) (address string, service *reports.Service) {
	t.Helper()
	service = openKnown(t).service
	address, _ = serve(t, web.Options{Reports: service, Desk: service, Collect: nothing})
	return address, service
}

var tokenField = regexp.MustCompile(`name="token" value="([^"]+)"`)

// tokenOf reads the form token from a page with the menu of views.
func tokenOf(t *testing.T, address string, headers ...string) string {
	t.Helper()
	found := tokenField.FindStringSubmatch(get(t, address+"/commissions?range=7d", headers...).body)
	if found == nil {
		t.Fatal("the page has no form token")
	}
	return found[1]
}

// collect posts the form that starts a collection.
func collect(t *testing.T, address string, headers ...string) answer {
	t.Helper()
	found := tokenField.FindStringSubmatch(get(t, address+"/collection").body)
	if found == nil {
		t.Fatal("the page has no form token")
	}
	return post(t, address+"/collection/collect", headers, "token", found[1])
}

// post sends a form; fields alternate names and values.
func post(t *testing.T, address string, headers []string, fields ...string) answer {
	t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return postRaw(t, address, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

func postRaw(t *testing.T, address, body string, headers ...string) answer {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return received(t, request)
}
