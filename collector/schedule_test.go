package collector_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"rebatedesk/collector"
	"rebatedesk/exchange/weex/simulator"
)

// While no run is in progress, progress shows when the next one begins; a collector without
// scheduled runs shows nothing.
func TestProgressTellsTheNextRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newTimedFixture(t, simulator.Options{Seed: 1, Days: 5, Invitees: 10, Records: 50}, realLatency())
		o.run(collector.RunRequest{Cause: "command"})
		if p := o.Progress(); p.Finished.IsZero() || !p.Next.IsZero() {
			t.Errorf("after a command: %+v", p)
		}
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan struct{})
		go func() {
			defer close(served)
			o.Serve(ctx)
		}()
		time.Sleep(time.Minute)
		p := o.Progress()
		if p.Running || !p.Next.Equal(p.Finished.Add(15*time.Minute)) {
			t.Errorf("between two runs: %+v", p)
		}
		time.Sleep(time.Until(p.Next) + time.Millisecond)
		if now := o.Progress(); !now.Running || !now.Started.Equal(p.Next) || !now.Next.IsZero() {
			t.Errorf("at the time of the next run: %+v", now)
		}
		cancel()
		<-served
	})
}
