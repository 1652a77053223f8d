package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
)

// Settles is how long after its end a UTC day of commissions is given before
// a read of it counts as whole: commission trails the trade by about an hour,
// and the clocks of the exchange and of this machine differ.
const Settles = 3 * time.Hour

// dayRead is a UTC day of a stream and when all of it was known for the first
// time.
type dayRead struct {
	account int64
	name    affiliate.Account
	product affiliate.Product
	day     affiliate.Day
	whole   affiliate.Millis // the stamp of that read
}

func (d dayRead) settled() affiliate.Millis {
	return affiliate.MillisOf((d.day + 1).Start(time.UTC).Add(Settles))
}

// wholeReads lists the days of a stream that were read whole, by day.
// Coverage keeps only the first and the last read of a day. A day that was read
// while it ran has its first whole read in the log of slices: the first that
// began when the day had settled. Where none of its reads was logged, what was
// known when the day had settled stands for the first whole read.
//
// How long days of other streams take to settle is not documented; they are
// given as long as those of commissions.
func (r *Reader) wholeReads(ctx context.Context, kind affiliate.StreamKind, account affiliate.Account, product affiliate.Product, utc affiliate.Days) ([]dayRead, error) {
	rows, err := r.tx.QueryContext(ctx, `
		SELECT v.account_id, a.name, v.product, v.day, v.first_read_ms, iif(v.first_through_ms > 0, v.first_through_ms, v.first_read_ms), v.last_read_ms
		FROM coverage v JOIN accounts a ON a.id = v.account_id
		WHERE v.account_id IN (SELECT id FROM accounts) AND v.stream = ? AND v.day BETWEEN ? AND ? AND v.first_read_ms > 0
			AND (? = '' OR a.name = ?) AND (? = '' OR v.product = ?)`,
		kind, utc.First.String(), utc.Last.String(), account, account, product, product)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []dayRead
	var ran []dayRead // read while they ran
	for rows.Next() {
		var d dayRead
		var day string
		var written, first, last affiliate.Millis
		if err := rows.Scan(&d.account, &d.name, &d.product, &day, &written, &first, &last); err != nil {
			return nil, err
		}
		if d.day, err = affiliate.ParseDay(day); err != nil {
			return nil, err
		}
		if first < d.settled() {
			if last >= d.settled() {
				ran = append(ran, d)
			}
			continue
		}
		d.whole = written
		list = append(list, d)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	late, err := r.loggedReads(ctx, kind, ran, utc)
	if err != nil {
		return nil, err
	}
	list = append(list, late...)
	slices.SortFunc(list, func(a, b dayRead) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.name, b.name), cmp.Compare(a.product, b.product))
	})
	return list, nil
}

// readBegan is when the read of a logged slice (alias s) began: by the exchange's
// clock, or by that of this machine where the former was not kept.
const readBegan = `iif(s.through_ms > 0, s.through_ms, s.started_ms)`

// clocksApart is more than the clocks of the exchange and of this machine may
// be apart: beyond 36 hours nothing is collected.
const clocksApart = 48 * time.Hour

// loggedReads finds the first whole read of days that were read while they
// ran. Slices of the same days that began on the same day are as good as their
// first, so one of each is enough. No read of a day ends before it: the log
// from before all of them is not looked at.
func (r *Reader) loggedReads(ctx context.Context, kind affiliate.StreamKind, ran []dayRead, utc affiliate.Days) ([]dayRead, error) {
	if len(ran) == 0 {
		return nil, nil
	}
	const dayMillis = int64(24 * time.Hour / time.Millisecond)
	span := utc.Range(time.UTC)
	rows, err := r.tx.QueryContext(ctx, `
		SELECT u.account_id, a.name, s.product, s.from_ms, s.to_ms, `+readBegan+`, min(s.ended_ms)
		FROM slices s JOIN runs u ON u.id = s.run_id JOIN accounts a ON a.id = u.account_id
		WHERE s.stream = ? AND s.ended_ms > ? AND s.error = '' AND s.from_ms < ? AND s.to_ms > ?
		GROUP BY u.account_id, s.product, s.from_ms, s.to_ms, (`+readBegan+` - ?) / ?`,
		kind, affiliate.MillisOf(span.From.Add(-clocksApart)), affiliate.MillisOf(span.To), affiliate.MillisOf(span.From), Settles.Milliseconds(), dayMillis)
	if err != nil {
		return nil, fmt.Errorf("the log of slices: %w", err)
	}
	defer rows.Close()
	whole := map[dayRead]affiliate.Millis{} // unknown: logged, but never read whole
	for rows.Next() {
		var d dayRead
		var from, to, began, ended affiliate.Millis
		if err := rows.Scan(&d.account, &d.name, &d.product, &from, &to, &began, &ended); err != nil {
			return nil, fmt.Errorf("the log of slices: %w", err)
		}
		last := affiliate.DayOf((to - 1).Time(), time.UTC)
		for d.day = affiliate.DayOf(from.Time(), time.UTC); d.day <= last; d.day++ {
			switch known := whole[d]; {
			case d.settled() > began:
				whole[d] = known
			case !known.Known() || ended < known:
				whole[d] = ended
			}
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("the log of slices: %w", err)
	}
	list := make([]dayRead, 0, len(ran))
	for _, d := range ran {
		at, logged := whole[d]
		if !logged {
			at = d.settled()
		}
		if at.Known() {
			d.whole = at
			list = append(list, d)
		}
	}
	return list, nil
}
