package web_test

import (
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/web"
)

// desk is a real desk on an empty database in which one invitee is known.
func desk(t *testing.T) *reports.Service {
	t.Helper()
	st, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "desk.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	day := affiliate.NewDay(2026, 11, 1)
	slice := records.Slice{Account: "main", Stream: affiliate.Stream{Kind: affiliate.Invitees}, Days: affiliate.Days{First: day, Last: day},
		Through: affiliate.MillisOf((day + 1).Start(time.UTC)), Started: now}
	known := []affiliate.Invitee{{UID: "4667776811", RegisterTime: affiliate.MillisOf(day.Start(time.UTC))}}
	if _, err := records.ReplaceInvitees(context.Background(), st, slice, known); err != nil {
		t.Fatal(err)
	}
	return reports.New(st, func() time.Time { return now })
}

// withDesk serves the fixture with a desk, and offers to collect.
func withDesk(t *testing.T) (address string, service *reports.Service) {
	t.Helper()
	service = desk(t)
	address, _ = serve(t, web.Options{Reports: newProgramme(), Desk: service, Collect: nothing})
	return address, service
}

var tokenField = regexp.MustCompile(`name="token" value="([^"]+)"`)

// tokenOf takes the token out of a page with the menu of views.
func tokenOf(t *testing.T, address string, headers ...string) string {
	t.Helper()
	found := tokenField.FindStringSubmatch(get(t, address+"/commissions?range=7d", headers...).body)
	if found == nil {
		t.Fatal("the page carries no token")
	}
	return found[1]
}

// collect presses the button that starts a collection.
func collect(t *testing.T, address string, headers ...string) answer {
	t.Helper()
	found := tokenField.FindStringSubmatch(get(t, address+"/collection").body)
	if found == nil {
		t.Fatal("the page carries no token")
	}
	return post(t, address+"/collection/collect", headers, "token", found[1])
}

// post sends a form; fields are names and values in turn.
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
