package okx_test

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/collector"
	"rebatedesk/exchange/okx/simulator"
)

// A run reads the list once for the figures and once for the invitees, and scheduled runs do so once an hour.
func TestTheListIsReadOnce(t *testing.T) {
	sim, d := scene(t, simulator.Options{})
	lists := func() (n int) {
		for _, r := range sim.Requests() {
			if strings.Contains(r, "/invitee/list") {
				n++
			}
		}
		return n
	}
	for n, c := range []struct {
		after     time.Duration
		scheduled bool
		most      int
	}{
		{0, false, 2}, {time.Minute, false, 2}, {time.Minute, true, 0}, {time.Hour, true, 2}, {15 * time.Minute, true, 0},
		{24 * time.Hour, true, 3}, // and the older invitees once more
		{15 * time.Minute, true, 0}, {4 * 24 * time.Hour, true, 3}, {40 * 24 * time.Hour, true, 3},
	} {
		d.Clock.Advance(c.after)
		before := lists()
		report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test", Scheduled: c.scheduled})
		if err != nil || !report.Complete {
			t.Fatalf("run %d: %v, %+v", n, err, report)
		}
		if got := lists() - before; got > c.most {
			t.Errorf("run %d read the list %d times, not %d", n, got, c.most)
		}
	}
}
