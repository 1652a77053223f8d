package pages_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
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
	service := reports.New(st, func() time.Time { return site.Now })
	address, server := site.Serve(t, web.Options{Reports: service, Collect: site.Nothing})
	for _, path := range []string{"/", "/commissions", "/?range=all&compare=year", "/commissions?sort=-commission&q=x"} {
		a := site.Get(t, address+path)
		if a.StatusCode != 200 || !strings.Contains(a.Body, "Not collected yet") || !strings.Contains(a.Body, "Collect now") {
			t.Errorf("%s: status %d, and the page does not say that nothing is collected", path, a.StatusCode)
		}
	}
	if a := site.Get(t, address+"/collection"); a.StatusCode != 200 || !strings.Contains(a.Body, "None yet") {
		t.Errorf("the collection: status %d, and the page does not say that there was no run", a.StatusCode)
	}
	if a := site.Get(t, address+"/collection/restatements"); a.StatusCode != 200 || !strings.Contains(a.Body, "Nothing has been read from the exchange so far") {
		t.Errorf("the restatements: status %d, and the page does not say that nothing was read", a.StatusCode)
	}
	if a := site.Get(t, address+"/?account=nobody"); a.StatusCode != 400 || !strings.Contains(a.Body, "there is no such account") {
		t.Errorf("an unknown account: status %d", a.StatusCode)
	}
	a := site.Get(t, address+"/commissions.csv")
	if !strings.HasPrefix(a.Body, "deal_time_utc,deal_time_ms,account,uid,") || strings.Count(a.Body, "\n") != 1 {
		t.Errorf("the export holds %q", a.Body)
	}
	if got := a.Header.Get("Content-Disposition"); !strings.Contains(got, `"incomplete-commissions`) {
		t.Errorf("the export is named %s", got)
	}
	if a := site.Get(t, address+"/overview.json"); !strings.HasSuffix(a.Body, `"row_count":0,"sums":[]}`+"\n") {
		t.Errorf("the daily export holds %q", a.Body)
	}
	site.Shutdown(t, server)
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}
