package records

import (
	"context"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// loggedReads are reads of one window that began on the same day, counted from [Settles]
// after midnight: a UTC day had settled before all of them or before none.
type loggedReads struct {
	began       affiliate.Millis // the earliest of them
	first, last affiliate.Millis // their stamps
	count       int
}

// readBegan is when the read of a logged slice (alias s) began: by the exchange's clock, or
// by the clock of this machine if the former was not stored.
const readBegan = `iif(s.through_ms > 0, s.through_ms, s.started_ms)`

// clocksApart is more than the clocks of the exchange and of this machine can differ:
// beyond 36 hours nothing is collected.
const clocksApart = 48 * time.Hour

// readLog returns the logged reads of each day. No read of a day ends before it, so earlier
// parts of the log are skipped.
func readLog(ctx context.Context, r *store.Tx, kind affiliate.StreamKind, utc affiliate.Days) (map[streamDay][]loggedReads, error) {
	const dayMillis = int64(24 * time.Hour / time.Millisecond)
	span := utc.Range(time.UTC)
	rows, err := r.QueryContext(ctx, `
		SELECT u.account_id, a.name, s.product, s.from_ms, s.to_ms, min(`+readBegan+`), min(s.ended_ms), max(s.ended_ms), count(*)
		FROM slices s JOIN runs u ON u.id = s.run_id JOIN accounts a ON a.id = u.account_id
		WHERE s.stream = ? AND s.ended_ms > ? AND s.error = '' AND s.from_ms < ? AND s.to_ms > ?
		GROUP BY u.account_id, a.name, s.product, s.from_ms, s.to_ms, (`+readBegan+` - ?) / ?`,
		kind, affiliate.MillisOf(span.From.Add(-clocksApart)), affiliate.MillisOf(span.To), affiliate.MillisOf(span.From), Settles.Milliseconds(), dayMillis)
	if err != nil {
		return nil, fmt.Errorf("the log of slices: %w", err)
	}
	defer rows.Close()
	log := map[streamDay][]loggedReads{}
	for rows.Next() {
		var d streamDay
		var reads loggedReads
		var from, to affiliate.Millis
		if err := rows.Scan(&d.account, &d.name, &d.product, &from, &to, &reads.began, &reads.first, &reads.last, &reads.count); err != nil {
			return nil, fmt.Errorf("the log of slices: %w", err)
		}
		last := min(utc.Last, affiliate.DayOf((to-1).Time(), time.UTC))
		for d.day = max(utc.First, affiliate.DayOf(from.Time(), time.UTC)); d.day <= last; d.day++ {
			log[d] = append(log[d], reads)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("the log of slices: %w", err)
	}
	return log, nil
}
