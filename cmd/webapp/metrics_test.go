package main

import (
	"net"
	"net/http"
	"strings"
	"testing"
)

// Metrics have a separate address and are available nowhere else.
func TestServeMetrics(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	s := serving(t, nil, "--metrics-listen", address)
	fetch(t, s.url+"/healthz")
	page := fetch(t, "http://"+address+"/metrics")
	for _, line := range []string{`rebatedesk_http_requests_total{route="/healthz",status="200"} 1`, "rebatedesk_panics_total 0", "rebatedesk_exchange_budget_limit 400"} {
		if !strings.Contains(page, line) {
			t.Errorf("no %s", line)
		}
	}
	answer, err := http.Get(s.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close() // nothing of it was read
	if answer.StatusCode == http.StatusOK && answer.Request.URL.Path == "/metrics" {
		t.Errorf("the pages show metrics: %s", answer.Status)
	}
	if _, err := s.terminated(); err != nil {
		t.Errorf("ended with %v: %s", err, s.stderr)
	}
}
