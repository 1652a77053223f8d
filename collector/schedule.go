package collector

import (
	"context"
	"errors"
	"time"

	"rebatedesk/store"
)

// Serve collects at once, then every Options.Every, and whenever Wake asks for
// it, until ctx ends. A run that fails is logged and shown; the next one tries
// again. A long backfill is cut into runs of one period each, so that recent
// days stay fresh while it lasts.
func (c *Collector) Serve(ctx context.Context) {
	cause := "start"
	for ctx.Err() == nil {
		report, err := c.Collect(ctx, Request{Cause: cause, Within: c.options.Every})
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, store.ErrLocked):
			c.log.Info("collection left to another process")
		case err != nil:
			c.log.Error("collection ended early", "error", err)
		default:
			c.log.Info("collected", "records", report.Records, "opened", report.Opened, "closed", report.Closed,
				"requests", report.Requests, "incomplete", len(report.Incomplete))
		}
		pause := c.options.Every
		if report.Postponed && err == nil {
			pause = 0
		}
		cause = c.wait(ctx, pause)
	}
}

// wait pauses until the next run is due and says what caused it.
func (c *Collector) wait(ctx context.Context, pause time.Duration) string {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-c.wake:
		return "button"
	case <-timer.C:
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
