package records

import (
	"context"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// CoverageAt lists, like [Coverage], how far the days of the streams of a kind had been
// read at an earlier instant. For a day that was read again since, the log of slices is
// used. If none of its reads was logged, the day counts as read up to the instant. LastRead is
// that of the log too. FirstRead and Agreed are current values: for a day without Through,
// FirstRead may say when it was read after the instant.
func CoverageAt(ctx context.Context, r *store.Tx, kind affiliate.StreamKind, account affiliate.Account, days affiliate.Days, asOf affiliate.Millis) ([]CoverageDay, error) {
	all, err := coverageDays(ctx, r, account, days)
	if err != nil {
		return nil, err
	}
	logged, err := loggedCoverage(ctx, r, kind, days, asOf)
	if err != nil {
		return nil, fmt.Errorf("reading coverage as of %s: %w", asOf, err)
	}
	var list []CoverageDay
	for _, c := range all {
		if c.Stream.Kind != kind {
			continue
		}
		if c.read > asOf {
			begun, found := logged[loggedDay{c.Account, c.Stream.Product, c.Day}]
			if !found {
				begun = asOf
			}
			c.Through, c.LastRead = min(c.Through, begun), min(c.LastRead, begun)
		}
		if c.FirstRead > asOf || c.Through <= affiliate.MillisOf(c.Day.Start(time.UTC)) {
			c.Through = 0
		}
		if c.Failed > asOf {
			c.Failed, c.Error = 0, ""
		}
		list = append(list, c)
	}
	return list, withQuarantine(ctx, r, list, account, days, asOf)
}

type loggedDay struct {
	account affiliate.Account
	product affiliate.Product
	day     affiliate.Day
}

// loggedCoverage returns, for each day, when its newest read that was written by an instant
// began.
func loggedCoverage(ctx context.Context, r *store.Tx, kind affiliate.StreamKind, days affiliate.Days, asOf affiliate.Millis) (map[loggedDay]affiliate.Millis, error) {
	span := days.Range(time.UTC)
	rows, err := r.QueryContext(ctx, `
		SELECT a.name, s.product, s.from_ms, s.to_ms, max(`+readBegan+`)
		FROM slices s JOIN runs u ON u.id = s.run_id JOIN accounts a ON a.id = u.account_id
		WHERE s.stream = ? AND s.ended_ms <= ? AND s.error = '' AND s.from_ms < ? AND s.to_ms > ?
		GROUP BY a.name, s.product, s.from_ms, s.to_ms`,
		kind, int64(asOf), affiliate.MillisOf(span.To), affiliate.MillisOf(span.From))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	newest := map[loggedDay]affiliate.Millis{}
	for rows.Next() {
		var of loggedDay
		var from, to, began affiliate.Millis
		if err := rows.Scan(&of.account, &of.product, &from, &to, &began); err != nil {
			return nil, err
		}
		last := affiliate.DayOf((to - 1).Time(), time.UTC)
		for of.day = affiliate.DayOf(from.Time(), time.UTC); of.day <= last; of.day++ {
			newest[of] = max(newest[of], began)
		}
	}
	return newest, rows.Err()
}
