package pages_test

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/web"
)

// Pages share finished reports and may not change them: each page is the same after all
// others were requested, in any order.
func TestPagesLeaveSharedReportsAsTheyAre(t *testing.T) {
	t.Parallel()
	clock := func() time.Time { return site.Now }
	st, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "rebatedesk.db"), store.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	today := affiliate.DayOf(site.Now, time.UTC)
	span := affiliate.Days{First: today - 364, Last: today}
	for _, account := range []affiliate.Account{"main", "asia", "europe"} {
		if err := st.WantFrom(t.Context(), account, span.First); err != nil {
			t.Fatal(err)
		}
		slice := func(stream affiliate.Stream) records.Slice {
			return records.Slice{Account: account, Stream: stream, Days: span, Started: site.Now, Through: affiliate.MillisOf(site.Now)}
		}
		people, byProduct := site.People12(today)
		for product, rows := range byProduct {
			if _, err := records.ReplaceCommissions(t.Context(), st, slice(affiliate.Stream{Kind: affiliate.Commissions, Product: product}), rows); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := records.ReplaceInvitees(t.Context(), st, slice(affiliate.Stream{Kind: affiliate.Invitees}), people); err != nil {
			t.Fatal(err)
		}
	}
	address, _ := site.Serve(t, web.Options{Reports: reports.New(st, clock), Collect: site.Nothing})
	var paths []string
	for _, page := range []string{
		"/", "/attention", "/commissions", "/commissions?sort=-commission", "/invitees", "/invitees?sort=uid&per=5&page=2", "/invitees/4667776800",
		"/codes", "/codes?sort=code", "/cohorts", "/cohorts?metric=commission", "/sub-affiliates", "/collection", "/collection/restatements",
	} {
		joint := "?"
		if slices.Contains([]byte(page), '?') {
			joint = "&"
		}
		paths = append(paths, page)
		for _, account := range []string{"asia", "europe", "main"} {
			paths = append(paths, page+joint+"account="+account)
		}
	}
	ofRequest := regexp.MustCompile(`(value|content|nonce|hx-headers|href)="[^"]*"`) // form tokens are in value attributes
	body := func(path string) string {
		a := site.Get(t, address+path)
		if a.StatusCode != 200 {
			t.Fatalf("%s: status %d", path, a.StatusCode)
		}
		return ofRequest.ReplaceAllString(a.Body, "")
	}
	for _, path := range paths { // the overview has the findings if they were asked for before
		body(path)
	}
	first := map[string]string{}
	for _, path := range paths {
		first[path] = body(path)
	}
	slices.Reverse(paths)
	for range 2 {
		for _, path := range paths {
			if body(path) != first[path] {
				t.Errorf("%s changed after the other pages were requested", path)
				first[path] = body(path)
			}
		}
	}
}
