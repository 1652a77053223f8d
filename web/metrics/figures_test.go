package metrics_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/exchange"
	"rebatedesk/reports"
	"rebatedesk/reports/findings"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/web/metrics"
)

// withFigures returns metrics that show figures, of a server that runs until the test ends.
func withFigures(t *testing.T, st *store.Store) *metrics.Metrics {
	t.Helper()
	service := reports.New(st, nil)
	service.SetPayoutRule("day+1h together rr_agent_reward")
	m := metrics.New(metrics.Options{Store: st, Budget: exchange.NewBudget(1).State, Reports: service, Figures: true})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { _ = m.Serve(ctx, listener, slog.New(slog.DiscardHandler)) }) // it is ended below
	t.Cleanup(func() { stop(); work.Wait() })
	return m
}

// Figures are shown only if they are asked for. Of an account without any, nothing is 0.
func TestFiguresAreASetting(t *testing.T) {
	st := opened(t)
	m := metrics.New(metrics.Options{Store: st, Budget: exchange.NewBudget(1).State, Reports: reports.New(st, nil)})
	if page := scraped(t, m); strings.Contains(page, "rebatedesk_commission") || strings.Contains(page, "rebatedesk_findings") {
		t.Error("figures are shown although the setting is off")
	}
	page := scraped(t, withFigures(t, st))
	if !strings.Contains(page, "\nrebatedesk_figures_timestamp_seconds 1.") || !strings.Contains(page, `rebatedesk_findings{kind="drop"} 0`) {
		t.Errorf("no figures: %s", page)
	}
	if strings.Contains(page, "\nrebatedesk_commission{") || strings.Contains(page, "\nrebatedesk_outstanding_payments{") {
		t.Error("there are amounts although nothing was collected")
	}
}

// The dashboard reads only metrics that there are.
func TestDashboard(t *testing.T) {
	st := opened(t)
	storetest.Replace(t, st, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1.5"))
	run, err := records.StartRun(t.Context(), st, "main", "command")
	storetest.Done(t, err)
	storetest.Done(t, records.FinishRun(t.Context(), st, run, 7, 140, ""))
	m := withFigures(t, st)
	m.Watch().Request("/commissions", 200, time.Millisecond)
	text, err := os.ReadFile("../../deploy/grafana/rebatedesk.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Targets []struct{ Expr string }
		}
		Templating struct{ List []struct{ Definition string } }
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	page, named := scraped(t, m), 0
	check := func(words string) {
		for _, name := range regexp.MustCompile(`\b(rebatedesk|process|go)_\w+`).FindAllString(words, -1) {
			named++
			family := strings.TrimSuffix(name, "_bucket")
			if absent := !strings.Contains(page, "# TYPE "+family+" "); absent && !valuesOfMoney[name] {
				t.Errorf("the dashboard reads %s, which is no metric", name)
			}
		}
	}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			check(target.Expr)
		}
	}
	for _, v := range board.Templating.List {
		check(v.Definition)
	}
	if named < 20 {
		t.Errorf("the dashboard names %d metrics", named)
	}
}

// valuesOfMoney have no series in a database whose newest commission is old.
var valuesOfMoney = map[string]bool{"rebatedesk_commission": true}

// A figure that is made once is shown until there is a newer one.
func TestFiguresAreMadeOnce(t *testing.T) {
	st, made := opened(t), 0
	f := metrics.NewFigures(st, func(context.Context) (findings.Measures, error) { made++; return findings.Measures{Now: 1000}, nil })
	for range 3 {
		if err := f.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if made != 1 {
		t.Errorf("made %d times without a write", made)
	}
}
