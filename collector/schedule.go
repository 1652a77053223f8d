package collector

import (
	"context"
	"errors"
	"sync"
	"time"

	"rebatedesk/store"
)

// Serve collects at once, then every Options.Every, and whenever Wake requests it, until
// ctx ends. A run that fails is logged and shown; the next one tries again. While the
// exchange is down it is called once at a time, first after 30 seconds and then ever less
// often, down to once in Options.Every; when it answers, the run continues. A long backfill
// is divided into runs of one period each, so that recent days stay up to date meanwhile.
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

// pause returns how long after a run the next one begins. An account whose exchange is down
// delays the backfill of another only as long as necessary.
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

// wait waits until the next run is due and returns its cause. Meanwhile progress shows when
// that will be.
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

// Wake requests a run now. If one is in progress, another follows it.
func (c *Collector) Wake() {
	select {
	case c.wake <- struct{}{}:
	default: // one is already requested
	}
}
