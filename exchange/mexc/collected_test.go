package mexc_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rebatedesk/collector"
	"rebatedesk/collector/collectortest"
	"rebatedesk/exchange/mexc"
	"rebatedesk/exchange/mexc/simulator"
	"rebatedesk/exchange/simulated"
)

var start = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// Every row of a day is stored once, in each form, while lists move and with faults between, and after
// days that passed the days are as the exchange lists them now.
func TestCollectedIsTheLedger(t *testing.T) {
	for name, o := range map[string]simulator.Options{
		"numbers":        {},
		"texts":          {Texts: true, Empty: 1},
		"nothing absent": {Empty: 2},
		"faults":         {Faults: 4},
		"moving":         {Moving: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := collectortest.NewClock(start)
			o.Options = simulated.Options{Seed: 3, Days: 12, Now: clock.Now, Begin: start.AddDate(0, 0, -12).Truncate(24 * time.Hour)}
			d := collectortest.New(t, clock, simulator.New(o), mexc.New)
			d.Collected()
			d.SameAsLedger()
			if len(d.Rows()) < 200 {
				t.Errorf("%d rows are stored", len(d.Rows()))
			}
			clock.Advance(5 * 24 * time.Hour)
			d.Collected()
			d.SameAsLedger()
			d.Verified()
			if got := strings.Join(d.Invitees(), "\n"); strings.Count(got, "\n") != 11 || !strings.Contains(got, ",vip,20") {
				t.Errorf("the invitees are\n%s", got)
			}
		})
	}
}

// A list that never holds still is incomplete, and nothing of it is stored.
func TestRestlessList(t *testing.T) {
	clock := collectortest.NewClock(start)
	d := collectortest.New(t, clock, simulator.New(simulator.Options{Moving: 1000, Options: simulated.Options{Seed: 3, Days: 6, Invitees: 30, Now: clock.Now}}), mexc.New)
	report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test"})
	if err != nil || report.Complete || len(report.Incomplete) == 0 {
		t.Fatalf("%v, %+v", err, report)
	}
}

// No query begins before what the exchange serves, whatever is asked for.
func TestReach(t *testing.T) {
	clock := collectortest.NewClock(start)
	sim := simulator.New(simulator.Options{Options: simulated.Options{Seed: 3, Days: 220, Invitees: 3, Now: clock.Now}})
	d := collectortest.New(t, clock, sim, mexc.New)
	report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test", Since: collectortest.Day(2025, 10, 1)})
	if err != nil || !report.Complete {
		t.Fatalf("%v, %+v", err, report)
	}
	for _, request := range sim.Requests() {
		var from int64
		if _, err := fmt.Sscanf(request[strings.Index(request, "startTime="):], "startTime=%d", &from); err != nil || from < start.AddDate(0, 0, -180).UnixMilli() {
			t.Errorf("asked for too much: %s", request)
		}
	}
	if rows := d.Rows(); len(rows) == 0 || !strings.HasPrefix(rows[0], "2026-01-02T16") {
		t.Errorf("the oldest row is %v", rows[:min(1, len(rows))])
	}
}
