package records

import (
	"context"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/received"
)

// Slice is what one coherent read of the exchange covers and what it cost. Its days are UTC
// days, in which windows are requested.
type Slice struct {
	Account affiliate.Account
	Stream  affiliate.Stream
	Days    affiliate.Days
	// Through is how far the read is reliable. Records that begin later are not collected yet.
	Through affiliate.Millis
	// Read is the exchange's clock when the read began; unknown = Through. It is later than Through
	// where an exchange lists records only when their day is over.
	Read     affiliate.Millis
	Run      int64 // the run it belongs to; 0 = none
	Started  time.Time
	Requests int
	Answers  received.Answers // of the exchange, on which it is based
	// Quarantine has what could not be read. Its days count as incomplete, and the rows that are
	// the last good state of its records stay.
	Quarantine []QuarantineRow
	// Partial means that the read may leave out records that are still there, see [affiliate.StreamSheet].
	Partial bool
}

// Range returns the time range of the records that the read returned.
func (s Slice) Range() affiliate.Range { return s.Days.Range(time.UTC) }

// Written says what a slice changed.
type Written struct {
	Records int // in the read
	Opened  int // rows that did not exist before
	Closed  int // rows that the exchange no longer returns
	Changed int // invitees with another value than before

	Quarantined int // records in the read that could not be read, not among Records
}

// touched holds the UTC days on which a slice changed something.
type touched map[affiliate.Day]bool

// at adds the day of a record. If the exchange gave no time, it may be any day of the
// slice.
func (t touched) at(slice Slice, when affiliate.Millis) {
	if when.Known() {
		t[affiliate.DayOf(when.Time(), time.UTC)] = true
		return
	}
	for day := slice.Days.First; day <= slice.Days.Last; day++ {
		t[day] = true
	}
}

// replacing writes the rows of a slice and adds the days that it changed.
type replacing func(tx *store.Tx, account int64, stamp affiliate.Millis, days touched) (Written, error)

// writeSlice runs replace, then writes coverage and log, all in one transaction.
func writeSlice(ctx context.Context, s *store.Store, slice Slice, records int, replace replacing) (written Written, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		written, err = putSlice(ctx, tx, stamp, slice, records, replace)
		return err
	})
	if err != nil {
		return Written{}, err
	}
	return written, nil
}

// putSlice is writeSlice within a transaction.
func putSlice(ctx context.Context, tx *store.Tx, stamp affiliate.Millis, slice Slice, records int, replace replacing) (written Written, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s %s of %s: %w", slice.Stream, slice.Range(), slice.Account, err)
		}
	}()
	account, err := store.AccountID(ctx, tx, slice.Account)
	if err != nil {
		return Written{}, err
	}
	days := touched{}
	if written, err = replace(tx, account, stamp, days); err != nil {
		return Written{}, err
	}
	written.Records = records
	if err := quarantine(ctx, tx, account, slice, stamp, days); err != nil {
		return Written{}, err
	}
	if err := coverSlice(ctx, tx, account, slice, days, stamp); err != nil {
		return Written{}, err
	}
	written.Quarantined, _ = notice(slice.Quarantine)
	return written, logSlice(ctx, tx, slice, written, "", stamp)
}

// FailSlice records that a slice could not be read, and why. Its known records stay
// unchanged.
func FailSlice(ctx context.Context, s *store.Store, slice Slice, cause string) error {
	return s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		account, err := store.AccountID(ctx, tx, slice.Account)
		if err != nil {
			return err
		}
		if err := failCoverage(ctx, tx, account, slice, cause, stamp); err != nil {
			return err
		}
		return logSlice(ctx, tx, slice, Written{}, cause, stamp)
	})
}

// logSlice adds the line of a slice to the log of its run.
func logSlice(ctx context.Context, tx *store.Tx, slice Slice, w Written, cause string, stamp affiliate.Millis) error {
	if slice.Run == 0 {
		return nil
	}
	span := slice.Range()
	_, words := notice(slice.Quarantine)
	var id int64
	err := tx.QueryRowContext(ctx, `
		INSERT INTO slices (run_id, stream, product, from_ms, to_ms, started_ms, through_ms, ended_ms, requests, records, opened, closed, error, quarantined, notice)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		slice.Run, slice.Stream.Kind, slice.Stream.Product, affiliate.MillisOf(span.From), affiliate.MillisOf(span.To),
		affiliate.MillisOf(slice.Started), slice.Through, stamp, slice.Requests, w.Records, w.Opened, w.Closed, cause, w.Quarantined, words).Scan(&id)
	if err != nil {
		return fmt.Errorf("log of the slice: %w", err)
	}
	if cause == "" {
		if err := received.SaveAnswers(ctx, tx, id, slice.Answers, stamp); err != nil {
			return err
		}
	}
	failed := 0
	if cause != "" {
		failed = 1
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE runs SET slices = slices + ?, failed = failed + ?, records = records + ?, opened = opened + ?, closed = closed + ?, quarantined = quarantined + ?
		WHERE id = ?`, 1-failed, failed, w.Records, w.Opened, w.Closed, w.Quarantined, slice.Run)
	if err != nil {
		return fmt.Errorf("log of the run: %w", err)
	}
	return nil
}

// difference compares the result of a read with the open rows as multisets: a row that
// occurs twice must be read twice. It returns the records to open, and those to close with
// the ids of their rows, by their key. protect, which may be nil, removes rows that are not to be
// closed. It consumes open.
func difference[K comparable](read []K, open map[K][]int64, key func(K) K, protect func(open map[K][]int64)) (add, gone []K, ids []int64) {
	if len(open) == 0 {
		return read, nil, nil
	}
	for _, record := range read {
		k := key(record)
		if rows := open[k]; len(rows) > 0 {
			if open[k] = rows[:len(rows)-1]; len(open[k]) == 0 {
				delete(open, k)
			}
			continue
		}
		add = append(add, record)
	}
	if protect != nil {
		protect(open)
	}
	for k, rows := range open {
		for range rows {
			gone = append(gone, k)
		}
		ids = append(ids, rows...)
	}
	return add, gone, ids
}

// closeRows ends the given rows of a table of opened and closed rows.
func closeRows(ctx context.Context, tx *store.Tx, table string, ids []int64, stamp affiliate.Millis) error {
	statement := `UPDATE ` + table + ` SET closed_ms = ? WHERE id = ? AND closed_ms IS NULL`
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, statement, stamp, id); err != nil {
			return err
		}
	}
	return nil
}
