package collector

import (
	"context"
	"fmt"

	"rebatedesk/store/records"
)

// totalsCoin is the coin of figures that only grow.
const totalsCoin = "USDT"

// writeTotals stores a reading of figures that only grow, at once: what comes next is counted from it. A
// reading that broke off counts for those it got.
func (r *run) writeTotals(ctx context.Context, got *fetched, complete bool) (err error) {
	if !complete && len(got.Totals.Records) == 0 {
		return nil
	}
	slice := records.TotalsSlice{Slice: got.slice, Coin: totalsCoin, Totals: got.Totals.Records, Complete: complete}
	if complete {
		r.outages, r.read = 0, true
		if slice.Answers, err = r.recorder.Answers(); err != nil {
			return fmt.Errorf("keeping the answers of %s: %w", got.window.stream, err)
		}
	}
	ctx, cancel := lingering(ctx, writingGrace)
	defer cancel()
	written, falls, err := records.WriteTotals(ctx, r.options.Store, slice)
	if err != nil {
		return err
	}
	for _, f := range falls {
		r.log.Warn("a figure that only grows fell; the exchange corrected it, and no record is taken back",
			"account", r.account.Name, "uid", f.UID, "figure", f.Figure, "before", f.Before, "after", f.After)
	}
	r.report.add(written)
	r.progress.wrote(written)
	r.quarantined(settledWindow{window: got.window, quarantine: got.quarantine})
	return nil
}
