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
//
// Of the nodes that share a database one collects, see [store.Store.Lead]; the others wait
// to take over.
func (c *Collector) Serve(ctx context.Context) {
	c.options.Store.Lead(ctx, store.CollectorLease, c.log, c.serve)
}

func (c *Collector) serve(ctx context.Context) {
	c.leads.Store(true)
	defer c.leads.Store(false)
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
		case errors.Is(err, store.ErrSuperseded):
			c.log.Warn("the run ended: another node collects now", "error", err)
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
	case <-store.Requested(ctx):
		return "button"
	case <-c.after(pause):
	}
	return "schedule"
}

// Ask requests a run now of the node that collects.
func (c *Collector) Ask(ctx context.Context) error {
	if c.options.Store.Shared() && !c.leads.Load() {
		return c.options.Store.Ask(ctx, store.CollectorLease)
	}
	c.Wake()
	return nil
}

// Wake requests a run of this process now. If one is in progress, another follows it.
func (c *Collector) Wake() {
	select {
	case c.wake <- struct{}{}:
	default: // one is already requested
	}
}
