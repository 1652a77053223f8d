package records

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// CoverageDay says how far one UTC day of one stream has been read. Through and LastRead
// use the exchange's clock, which the planning follows; FirstRead and Failed use the clock
// of this machine, as all stamps of writes do. The two clocks may be minutes apart, or
// hours if one is wrong.
type CoverageDay struct {
	Account   affiliate.Account
	Stream    affiliate.Stream
	Day       affiliate.Day
	Through   affiliate.Millis // read up to this instant; unknown = never
	FirstRead affiliate.Millis // stamp of the write, as in rows
	LastRead  affiliate.Millis // the exchange's clock when the last read began
	Agreed    int              // consecutive reads that reached as far as the day was ever read and found the same
	Failed    affiliate.Millis // when the last attempt failed; unknown = it did not
	Error     string           // why, or what could not be read of the quarantined records

	Quarantined int // records that the last read could not read

	read affiliate.Millis // stamp of the last read's write
}

// Whole reports whether the day was read up to its end, and all of it could be read.
func (c CoverageDay) Whole() bool {
	return c.Quarantined == 0 && c.Through >= affiliate.MillisOf((c.Day+1).Start(time.UTC))
}

// ReadOnce reports whether a single reading has covered the day, so that none could find it
// changed.
func (c CoverageDay) ReadOnce() bool { return c.FirstRead == c.read }

// coverSlice records that the days of a slice were read. The last read is dated by the
// exchange's clock: it decides what is due, and a clock of this machine that is hours off
// must not change that. The count of agreeing reads restarts for every day that this read
// changed.
func coverSlice(ctx context.Context, tx *store.Tx, account int64, slice Slice, changed touched, stamp affiliate.Millis) error {
	agreeing, anew := coverageBatch(ctx, tx, account, agreesOnce), coverageBatch(ctx, tx, account, `1`)
	for day := slice.Days.First; day <= slice.Days.Last; day++ {
		span := day.Range(time.UTC)
		if slice.Through <= affiliate.MillisOf(span.From) {
			break // has not begun
		}
		rows := agreeing
		if changed[day] {
			rows = anew
		}
		through := min(slice.Through, affiliate.MillisOf(span.To))
		err := rows.Add(string(slice.Stream.Kind), string(slice.Stream.Product), day.String(),
			int64(through), int64(stamp), int64(slice.Through), int64(cmp.Or(slice.Read, slice.Through)), int64(stamp), 1, 0, "")
		if err != nil {
			return fmt.Errorf("coverage: %w", err)
		}
	}
	if err := errors.Join(agreeing.Flush(), anew.Flush()); err != nil {
		return fmt.Errorf("coverage: %w", err)
	}
	return nil
}

// agreesOnce counts a read that found what was known. A read that reached further than all
// earlier ones saw hours for the first time, and no earlier read can agree about those.
const agreesOnce = `iif(coverage.through_ms < excluded.through_ms, 1, coverage.agreed + 1)`

// coverageBatch writes days that were read; agreed is the new count of agreeing reads of a
// day that has one.
func coverageBatch(ctx context.Context, tx *store.Tx, account int64, agreed string) *store.Batch {
	return store.NewBatch(ctx, tx, "coverage",
		"account_id, stream, product, day, through_ms, first_read_ms, first_through_ms, last_read_ms, read_ms, agreed, failed_ms, error", `
		ON CONFLICT (account_id, stream, product, day) DO UPDATE SET
			through_ms       = max(coverage.through_ms, excluded.through_ms),
			first_through_ms = iif(coverage.first_read_ms = 0, excluded.first_through_ms, coverage.first_through_ms),
			first_read_ms    = iif(coverage.first_read_ms = 0, excluded.first_read_ms, coverage.first_read_ms),
			last_read_ms     = excluded.last_read_ms,
			read_ms          = excluded.read_ms,
			agreed           = `+agreed+`,
			failed_ms        = 0,
			error            = ''`, account)
}

// failCoverage records that the days of a slice could not be read. What is known about them
// stays.
func failCoverage(ctx context.Context, tx *store.Tx, account int64, slice Slice, cause string, stamp affiliate.Millis) error {
	rows := store.NewBatch(ctx, tx, "coverage",
		"account_id, stream, product, day, through_ms, first_read_ms, last_read_ms, agreed, failed_ms, error", `
		ON CONFLICT (account_id, stream, product, day) DO UPDATE SET
			failed_ms = excluded.failed_ms,
			error     = excluded.error`, account)
	for day := slice.Days.First; day <= slice.Days.Last; day++ {
		err := rows.Add(string(slice.Stream.Kind), string(slice.Stream.Product), day.String(),
			0, 0, 0, 0, int64(stamp), cause)
		if err != nil {
			return fmt.Errorf("coverage: %w", err)
		}
	}
	if err := rows.Flush(); err != nil {
		return fmt.Errorf("coverage: %w", err)
	}
	return nil
}

// Coverage lists what is known about the days, by account, stream and day. Days that were
// never attempted have no line. An empty account means all.
func Coverage(ctx context.Context, r *store.Tx, account affiliate.Account, days affiliate.Days) ([]CoverageDay, error) {
	list, err := coverageDays(ctx, r, account, days)
	if err != nil {
		return nil, err
	}
	return list, withQuarantine(ctx, r, list, account, days, 0)
}

// coverageDays is [Coverage] without the quarantine.
func coverageDays(ctx context.Context, r *store.Tx, account affiliate.Account, days affiliate.Days) ([]CoverageDay, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT a.name, v.stream, v.product, v.day, v.through_ms, v.first_read_ms, v.last_read_ms, v.read_ms, v.agreed, v.failed_ms, v.error
		FROM coverage v JOIN accounts a ON a.id = v.account_id
		WHERE v.day BETWEEN ? AND ? AND (? = '' OR a.name = ?)
		ORDER BY a.name, v.stream, v.product, v.day`,
		days.First.String(), days.Last.String(), account, account)
	if err != nil {
		return nil, fmt.Errorf("reading coverage: %w", err)
	}
	defer rows.Close()
	var list []CoverageDay
	for rows.Next() {
		var c CoverageDay
		var day string
		err := rows.Scan(&c.Account, &c.Stream.Kind, &c.Stream.Product, &day, &c.Through, &c.FirstRead, &c.LastRead, &c.read, &c.Agreed, &c.Failed, &c.Error)
		if err != nil {
			return nil, fmt.Errorf("reading coverage: %w", err)
		}
		if c.Day, err = affiliate.ParseDay(day); err != nil {
			return nil, fmt.Errorf("reading coverage: %w", err)
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// withQuarantine adds what could not be read of the days, at present or as of an instant.
func withQuarantine(ctx context.Context, r *store.Tx, list []CoverageDay, account affiliate.Account, days affiliate.Days, asOf affiliate.Millis) error {
	unread, err := unreadDays(ctx, r, account, days, asOf)
	if err != nil || len(unread) == 0 {
		return err
	}
	for i := range list {
		c := &list[i]
		if u, found := unread[unreadDay{c.Account, c.Stream, c.Day}]; found {
			if c.Quarantined = u.n; !c.Failed.Known() {
				c.Error = QuarantineWords(u.n, u.list)
			}
		}
	}
	return nil
}

// FirstCollectedOf returns when the first collection of a kind of streams of an account was over: the
// stamp of the last first read of a day that had begun when its first day was read. Unknown means that
// nothing was ever read.
func FirstCollectedOf(ctx context.Context, r *store.Tx, kind affiliate.StreamKind, account affiliate.Account) (over affiliate.Millis, err error) {
	first, err := FirstReadOf(ctx, r, kind, account)
	if err != nil || !first.Known() {
		return 0, err
	}
	err = r.QueryRowContext(ctx, `
		SELECT coalesce(max(v.first_read_ms), 0) FROM coverage v JOIN accounts a ON a.id = v.account_id
		WHERE a.name = ? AND v.stream = ? AND v.day <= ?`, account, kind, affiliate.DayOf(first.Time(), time.UTC).String()).Scan(&over)
	if err != nil {
		return 0, fmt.Errorf("reading when the first collection was over: %w", err)
	}
	return over, nil
}

// NewestReadOf returns the instant, by the exchange's clock, up to which all streams of a kind of an
// account were read at their newest days; unknown if one was never read. Older days may have gaps.
func NewestReadOf(ctx context.Context, r *store.Tx, kind affiliate.StreamKind, account affiliate.Account) (at affiliate.Millis, err error) {
	err = r.QueryRowContext(ctx, `
		SELECT coalesce(min(newest.through_ms), 0) FROM (
			SELECT max(v.through_ms) AS through_ms FROM coverage v JOIN accounts a ON a.id = v.account_id
			WHERE v.stream = ? AND a.name = ? GROUP BY v.product) newest`, kind, account).Scan(&at)
	if err != nil {
		return 0, fmt.Errorf("reading how far the newest day was read: %w", err)
	}
	return at, nil
}

// FirstReadOf returns the stamp of the first read of any day of the streams of a kind; unknown
// means that there was none. An empty account means all.
func FirstReadOf(ctx context.Context, r *store.Tx, kind affiliate.StreamKind, account affiliate.Account) (first affiliate.Millis, err error) {
	err = r.QueryRowContext(ctx, `
		SELECT coalesce(min(v.first_read_ms), 0) FROM coverage v JOIN accounts a ON a.id = v.account_id
		WHERE v.stream = ? AND v.first_read_ms > 0 AND (? = '' OR a.name = ?)`, kind, account, account).Scan(&first)
	if err != nil {
		return 0, fmt.Errorf("reading when the first day was read: %w", err)
	}
	return first, nil
}
