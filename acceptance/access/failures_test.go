package access_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/collector"
)

// A collection that fails is told in one way everywhere: in the words of those who read figures. What
// exactly happened stands in the details of the page Collection alone. A run that was stopped with
// the program is no failure.
func TestFailuresInTheReadersWords(t *testing.T) {
	t.Parallel()
	s := site.OpenClosing(t)
	manager := s.As("mia", access.Manager)
	const exact = "code 40006 (HTTP 400): Invalid ACCESS_KEY"
	today := affiliate.DayOf(site.Now, time.UTC)
	collect := func(ctx context.Context, failing bool) {
		t.Helper()
		s.Pass(time.Hour)
		s.Exchange.Clock.Store(s.Now().UnixMilli())
		if _, err := s.Exchange.Collector.Collect(ctx, collector.RunRequest{Cause: "command", Since: today - affiliate.Day(s.Exchange.Days)}); (err != nil) != failing {
			t.Fatalf("the run ends with %v", err)
		}
		s.Pass(time.Minute)
		s.Exchange.Clock.Store(s.Now().UnixMilli())
	}
	well := s.Exchange.Exchange.Handler
	stopped, stop := context.WithCancel(t.Context())
	s.Exchange.Exchange.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stop()
		well.ServeHTTP(w, r)
	})
	collect(stopped, true)
	for _, path := range []string{"/attention", "/"} {
		if page := site.Words(manager.Get(path).Body); strings.Contains(page, "Collection fails") || strings.Contains(page, "stopped.") {
			t.Errorf("%s calls a run that was stopped a failure: %s", path, page)
		}
	}
	if page := site.Words(manager.Get("/collection").Body); !strings.Contains(page, "Stopped with the program") {
		t.Errorf("the page does not say that the run was stopped: %s", page)
	}

	s.Exchange.Exchange.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		if _, err := w.Write([]byte(`{"code":"40006","msg":"Invalid ACCESS_KEY","requestTime":1,"data":null}`)); err != nil {
			t.Log(err)
		}
	})
	collect(t.Context(), true)
	const told = "The exchange has refused the key. Check REBATEDESK_API_KEY."
	for _, path := range []string{"/attention", "/", "/commissions?range=today"} {
		page := site.Words(manager.Get(path).Body)
		if strings.Contains(page, "40006") || strings.Contains(page, "(4.17)") {
			t.Errorf("%s has the technical text: %s", path, page)
		}
		if path == "/attention" && !strings.Contains(page, told) {
			t.Errorf("%s does not say %q: %s", path, told, page)
		}
	}
	page := site.Words(manager.Get("/collection").Body)
	for _, text := range []string{told, exact} {
		if !strings.Contains(page, text) {
			t.Errorf("the page of the collection does not say %q: %s", text, page)
		}
	}
	s.Exchange.Exchange.Handler = well
	collect(t.Context(), false)
	if page := site.Words(manager.Get("/attention").Body); strings.Contains(page, told) {
		t.Errorf("it still fails: %s", page)
	}
}
