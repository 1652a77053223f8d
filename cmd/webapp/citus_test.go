package main

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// While a worker of Citus is away, pages of records say so with status 503. Pages of totals go
// on, and people can sign in.
func TestServeWithoutACitusWorker(t *testing.T) {
	place := storetest.Citus(t)
	const password = "seven lanterns uphill"
	env := []string{"REBATEDESK_DB=" + place, "REBATEDESK_MASTER_KEY=" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))), "REBATEDESK_BACKUPS=0", "REBATEDESK_PUBLIC_URL=http://127.0.0.1"}
	add := process(t, env, "user", "add", "--name", "reader", "--role", "manager", "--password-stdin")
	add.Stdin = strings.NewReader(password)
	if said, err := add.CombinedOutput(); err != nil {
		t.Fatal(err, string(said))
	}
	today := affiliate.DayOf(time.Now(), time.UTC)
	slice := storetest.DaySlice(affiliate.Days{First: today, Last: today})
	var rows []affiliate.Commission
	for n := range 42 {
		c := storetest.Record(n, "1.5")
		c.DealTime = storetest.At(today) + affiliate.Millis(n)
		rows = append(rows, c)
	}
	st := storetest.OpenAt(t, place, store.Options{})
	if _, err := records.ReplaceCommissions(t.Context(), st, slice, rows); err != nil {
		t.Fatal(err)
	}

	address := serving(t, env).url
	browser := signedInAt(t, address, "reader", password)
	// check opens pages that nobody has opened, so none of them is in memory.
	check := func(browser *http.Client, range_ string, status int) {
		t.Helper()
		for page, want := range map[string]int{"/": http.StatusOK, "/invitees": http.StatusOK, "/collection": http.StatusOK, "/commissions": status} {
			answer, err := browser.Get(address + page + "?range=" + range_)
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(answer.Body)
			_ = answer.Body.Close() // it was read
			if err != nil || answer.StatusCode != want || want == http.StatusServiceUnavailable && !strings.Contains(string(content), "does not answer") {
				t.Errorf("%s: status %d, want %d: %.600s", page, answer.StatusCode, want, content)
			}
		}
	}
	check(browser, "7d", http.StatusOK)
	back := storetest.StopWorker(t, place, 0)
	check(browser, "30d", http.StatusServiceUnavailable)
	check(signedInAt(t, address, "reader", password), "90d", http.StatusServiceUnavailable)
	back()
	check(browser, "30d", http.StatusOK)
}
