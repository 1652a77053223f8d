package metrics_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/internal/outside"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// ofServers are metrics of a program that serves, and of databases on servers.
var ofServers = map[string]bool{"rebatedesk_lease_holder": true, "rebatedesk_database_worker_up": true, "rebatedesk_database_clock_ahead_seconds": true, "rebatedesk_lease_number": true}

// The alarms read only metrics that there are.
func TestAlarmsReadMetrics(t *testing.T) {
	st := opened(t)
	storetest.Replace(t, st, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1.5"))
	run, err := records.StartRun(t.Context(), st, "main", "command")
	storetest.Done(t, err)
	storetest.Done(t, records.FinishRun(t.Context(), st, run, 7, 140, ""))
	m := withFigures(t, st)
	m.Watch().Request("/commissions", 200, time.Millisecond)
	m.CountPanics(func() int64 { return 0 })
	rules, err := os.ReadFile("../../deploy/grafana/rules.yml")
	storetest.Done(t, err)
	page, named := scraped(t, m), map[string]bool{}
	for _, name := range regexp.MustCompile(`\brebatedesk_\w+`).FindAllString(string(rules), -1) {
		named[name] = true
		if !strings.Contains(page, "# TYPE "+name+" ") && !ofServers[name] {
			t.Errorf("an alarm reads %s, which is no metric", name)
		}
	}
	if len(named) < 12 {
		t.Errorf("the alarms name %d metrics", len(named))
	}
}

// Prometheus takes the alarms and its own settings, and the alarms ring when they should.
func TestOutsidePromtool(t *testing.T) {
	t.Parallel()
	promtool := outside.Program(t, "promtool")
	for _, arguments := range [][]string{
		{"check", "rules", "rules.yml"}, {"test", "rules", "rules_test.yml"}, {"check", "config", "--syntax-only", "prometheus.yml"},
	} {
		command := exec.Command(promtool, arguments...)
		command.Dir = "../../deploy/grafana"
		if said, err := command.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(arguments, " "), err, said)
		}
	}
}
