package records

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Settles is how long after its end a read of a UTC day of commissions counts as whole:
// commission arrives about an hour after the trade, and the clocks of the exchange and of
// this machine differ.
const Settles = 3 * time.Hour

// streamDay is a UTC day of one account and product of a stream.
type streamDay struct {
	account int64
	name    affiliate.Account
	product affiliate.Product
	day     affiliate.Day
}

func (d streamDay) settled() affiliate.Millis {
	return affiliate.MillisOf((d.day + 1).Start(time.UTC).Add(Settles))
}

// dayRead is a day of a stream with the time when all of it was first known.
type dayRead struct {
	streamDay
	whole  affiliate.Millis // the stamp of that read
	last   affiliate.Millis // the stamp of the last read
	steady bool             // certain that no later read found a difference
}

// wholeReads lists the days of a stream that were read whole, by day.
//
// How long days of other streams take to settle is not documented; they are given the same
// time as those of commissions.
func wholeReads(ctx context.Context, r *store.Tx, kind affiliate.StreamKind, account affiliate.Account, product affiliate.Product, utc affiliate.Days) ([]dayRead, error) {
	covered, err := coverageReads(ctx, r, kind, account, product, utc)
	if err != nil || len(covered) == 0 {
		return nil, err
	}
	log, err := readLog(ctx, r, kind, utc)
	if err != nil {
		return nil, err
	}
	list := make([]dayRead, 0, len(covered))
	for _, d := range covered {
		if whole := d.firstWhole(log[d.streamDay]); whole.Known() {
			list = append(list, dayRead{d.streamDay, whole, d.read, d.steadySince(whole, log[d.streamDay])})
		}
	}
	slices.SortFunc(list, func(a, b dayRead) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.name, b.name), cmp.Compare(a.product, b.product))
	})
	return list, nil
}

// dayCoverage is what coverage stores about a day that was read.
type dayCoverage struct {
	streamDay
	first, last affiliate.Millis // when these reads began, by the exchange's clock
	written     affiliate.Millis // the stamp of the first read
	read        affiliate.Millis // the stamp of the last read
	agreed      int              // consecutive reads that found the same
}

func coverageReads(ctx context.Context, r *store.Tx, kind affiliate.StreamKind, account affiliate.Account, product affiliate.Product, utc affiliate.Days) ([]dayCoverage, error) {
	products, args := store.Among(product)
	return store.Scanned(ctx, r, func(rows *sql.Rows) (d dayCoverage, err error) {
		err = rows.Scan(&d.account, &d.name, &d.product, (*store.DayText)(&d.day), &d.written, &d.first, &d.last, &d.read, &d.agreed)
		return d, err
	}, `
		SELECT v.account_id, a.name, v.product, v.day, v.first_read_ms,
			iif(v.first_through_ms > 0, v.first_through_ms, v.first_read_ms), v.last_read_ms, v.read_ms, v.agreed
		FROM coverage v JOIN accounts a ON a.id = v.account_id
		WHERE v.account_id IN (SELECT id FROM accounts) AND v.stream = ? AND v.day BETWEEN ? AND ? AND v.first_read_ms > 0
			AND (? = '' OR a.name = ?) AND (? = '' OR v.product IN `+products+`)`,
		append([]any{kind, utc.First.String(), utc.Last.String(), account, account, product}, args...)...)
}

// firstWhole returns the stamp of the first whole read, or unknown if there was none.
// Coverage keeps only the first and the last read of a day. For a day that was read while
// it ran, the log of slices has the first whole read: the first one that began when the day
// had settled. If none of its reads was logged, the state known when the day had settled
// takes the place of the first whole read.
func (d dayCoverage) firstWhole(log []loggedReads) affiliate.Millis {
	switch {
	case d.first >= d.settled():
		return d.written
	case d.last < d.settled():
		return 0
	case len(log) == 0:
		return d.settled()
	}
	var whole affiliate.Millis
	for _, reads := range log {
		if reads.began >= d.settled() && (!whole.Known() || reads.first < whole) {
			whole = reads.first
		}
	}
	return whole
}

// steadySince reports whether it is certain that no read after the one with that stamp
// opened or closed a row of the day. Neither source alone shows it: the log has the changes
// of a slice of several days, but not the day of each change, and coverage counts the
// agreeing reads, but not all reads. If the agreeing reads are as many as the reads since,
// none of them differed.
//
// The collector logs all its slices. A day whose first whole read or last read is not in
// the log was written by other means, and is certain only if it was not read since.
func (d dayCoverage) steadySince(whole affiliate.Millis, log []loggedReads) bool {
	var since int // that read and later ones; a few earlier ones do no harm
	var logged bool
	var last affiliate.Millis
	for _, reads := range log {
		if reads.last >= whole {
			since += reads.count
			logged = logged || reads.first == whole
			last = max(last, reads.last)
		}
	}
	if since == 0 {
		return d.read <= whole
	}
	return logged && last >= d.read && d.agreed >= since
}

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
