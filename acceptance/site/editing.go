package site

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"rebatedesk/reports"
	"rebatedesk/web"
)

// ServeEditable serves the usual programme to users who can write and start a collection.
func ServeEditable(t *testing.T) (address string, service *reports.Service) {
	t.Helper()
	service = OpenKnown(t).Service
	address, _ = Serve(t, web.Options{Reports: service, Desk: service, Collect: Nothing})
	return address, service
}

var TokenField = regexp.MustCompile(`name="token" value="([^"]+)"`)

// TokenOf reads the form token from a page with the menu of views.
func TokenOf(t *testing.T, address string, headers ...string) string {
	t.Helper()
	found := TokenField.FindStringSubmatch(Get(t, address+"/commissions?range=7d", headers...).Body)
	if found == nil {
		t.Fatal("the page has no form token")
	}
	return found[1]
}

// Post sends a form; fields alternate names and values.
func Post(t *testing.T, address string, headers []string, fields ...string) Answer {
	t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return PostRaw(t, address, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

func PostRaw(t *testing.T, address, body string, headers ...string) Answer {
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
