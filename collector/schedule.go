package collector

import (
	"context"
	"errors"
	"sync"
	"time"

	"rebatedesk/store"
)

// Serve collects at once, then every Options.Every, and whenever Wake asks for
// it, until ctx ends. A run that fails is logged and shown; the next one tries
// again. While the exchange is down it is asked once at a time, first after 30
// seconds and then ever less often, up to once in Options.Every; when it
// answers, the run goes on. A long backfill is cut into runs of one period
// each, so that recent days stay fresh while it lasts.
func (c *Collector) Serve(ctx context.Context) {
	var sampling sync.WaitGroup
	sampling.Go(func() { c.rates.keep(ctx) })
	defer sampling.Wait()
	cause := "start"
	for ctx.Err() == nil {
		report, err := c.Collect(ctx, RunRequest{Cause: cause, Within: c.options.Every, Scheduled: cause != "button"})
		pause := c.pause(report, err)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, store.ErrLocked):
			c.log.Info("collection left to another process")
		case err != nil:
			c.log.Error("collection ended early", "error", err, "next_try", clockTime(c.now().Add(pause)))
		default:
			c.log.Info("collected", "records", report.Records, "opened", report.Opened, "closed", report.Closed,
				"requests", report.Requests, "incomplete", len(report.Incomplete))
		}
		cause = c.wait(ctx, pause)
	}
}

// pause is how long after a run the next one begins. An account whose exchange
// is down holds up the backfill of another only as long as it must.
func (c *Collector) pause(report RunReport, err error) time.Duration {
	switch {
	case report.Postponed && err == nil:
		return 0
	case report.Postponed && report.outages > 0:
		return probeEvery
	case report.outages > 0:
		return backoff(report.outages, c.options.Every)
	}
	return c.options.Every
}

// wait pauses until the next run is due and says what caused it. Meanwhile
// progress tells when that will be.
func (c *Collector) wait(ctx context.Context, pause time.Duration) string {
	c.progress.pausing(c.now().Add(pause))
	select {
	case <-ctx.Done():
	case <-c.wake:
		return "button"
	case <-c.after(pause):
	}
	return "schedule"
}

// Wake asks for a run now. While one is at work, another follows it.
func (c *Collector) Wake() {
	select {
	case c.wake <- struct{}{}:
	default: // one is asked for already
	}
}
