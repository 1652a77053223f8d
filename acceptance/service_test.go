package acceptance_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/web"
)

// Over a database without any reading, every page says that nothing was collected, and
// every export is empty but well-formed.
func TestNothingCollectedYet(t *testing.T) {
	t.Parallel()
	st, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "rebatedesk.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service := reports.New(st, func() time.Time { return now })
	address, server := serve(t, web.Options{Reports: service, Collect: nothing})
	for _, path := range []string{"/", "/commissions", "/?range=all&compare=year", "/commissions?sort=-commission&q=x"} {
		a := get(t, address+path)
		if a.StatusCode != 200 || !strings.Contains(a.body, "Not collected yet") || !strings.Contains(a.body, "Collect now") {
			t.Errorf("%s: status %d, and the page does not say that nothing is collected", path, a.StatusCode)
		}
	}
	if a := get(t, address+"/collection"); a.StatusCode != 200 || !strings.Contains(a.body, "None yet") {
		t.Errorf("the collection: status %d, and the page does not say that there was no run", a.StatusCode)
	}
	if a := get(t, address+"/collection/restatements"); a.StatusCode != 200 || !strings.Contains(a.body, "Nothing has been read from the exchange so far") {
		t.Errorf("the restatements: status %d, and the page does not say that nothing was read", a.StatusCode)
	}
	if a := get(t, address+"/?account=nobody"); a.StatusCode != 400 || !strings.Contains(a.body, "there is no such account") {
		t.Errorf("an unknown account: status %d", a.StatusCode)
	}
	a := get(t, address+"/commissions.csv")
	if !strings.HasPrefix(a.body, "deal_time_utc,deal_time_ms,account,uid,") || strings.Count(a.body, "\n") != 1 {
		t.Errorf("the export holds %q", a.body)
	}
	if got := a.Header.Get("Content-Disposition"); !strings.Contains(got, `"incomplete-commissions`) {
		t.Errorf("the export is named %s", got)
	}
	if a := get(t, address+"/overview.json"); !strings.HasSuffix(a.body, `"row_count":0,"sums":[]}`+"\n") {
		t.Errorf("the daily export holds %q", a.body)
	}
	shutdown(t, server)
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}
