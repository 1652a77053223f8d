package outbox

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// File is what a delivery sends of one period. A period that is delivered again has several,
// with different numbers.
type File struct {
	ID       int64
	Delivery int64
	Days     affiliate.Days // the period
	Number   int            // from 1
	State    State
	Forced   bool // a user asked for it: it waits for no coverage
	Queued   affiliate.Millis
	Lease    int64            // grows with each worker that takes it
	Leased   affiliate.Millis // until when its worker has it; unknown: nobody has
	Tries    int
	AsOf     affiliate.Millis // the state that the file has, the same for every try; unknown before the first
	Since    affiliate.Millis // of changes since the last delivery: their beginning
	Complete bool             // that state has the whole range
	Ended    affiliate.Millis
	File     string // its name at the destination
	Bytes    int64
	Rows     int64
	Sums     string // JSON, as in the manifest; empty: none
	SHA256   string // hexadecimal
	Answer   string // the last error, or why it was skipped
}

// Held reports whether a worker has the file.
func (s File) Held(now affiliate.Millis) bool {
	return s.Leased > now && s.Leased <= now+affiliate.Millis(files.most.Milliseconds())
}

const fileColumns = `id, dispatch_id, first_day, last_day, number, state, forced, queued_ms, lease, leased_ms, tries,
	as_of_ms, since_ms, complete, ended_ms, file, bytes, row_count, sums, sha256, answer`

func scanFile(rows *sql.Rows) (s File, err error) {
	return s, rows.Scan(s.fields()...)
}

func (s *File) fields() []any {
	return []any{&s.ID, &s.Delivery, (*store.DayText)(&s.Days.First), (*store.DayText)(&s.Days.Last), &s.Number, &s.State, &s.Forced, &s.Queued,
		&s.Lease, store.Opt(&s.Leased), &s.Tries, store.Opt(&s.AsOf), store.Opt(&s.Since), &s.Complete, store.Opt(&s.Ended), store.Opt(&s.File),
		store.Opt(&s.Bytes), store.Opt(&s.Rows), store.Opt(&s.Sums), store.Opt(&s.SHA256), store.Opt(&s.Answer)}
}

// Files lists the newest files of a delivery, newest period first. A Before that is not
// 0 asks only for those that were queued earlier than the file of that ID.
func Files(ctx context.Context, r *store.Tx, delivery, before int64, limit int) ([]File, error) {
	var w store.Where
	w.Add(`dispatch_id = ?`, delivery)
	if before != 0 {
		w.Add(`id < ?`, before)
	}
	list, err := store.Scanned(ctx, r, scanFile, `SELECT `+fileColumns+` FROM shipments
		WHERE `+w.String()+` ORDER BY id DESC LIMIT ?`, append(w.Args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("reading the log of a scheduled delivery: %w", err)
	}
	return list, nil
}

// FilesQueued lists the newest files of all deliveries that were queued after an instant and up to another
// one, of a state if one is given.
func FilesQueued(ctx context.Context, r *store.Tx, after, until affiliate.Millis, state State, limit int) ([]File, error) {
	var w store.Where
	w.Add(`queued_ms > ?`, after)
	w.Add(`queued_ms <= ?`, until)
	if state != "" {
		w.Add(`state = ?`, state)
	}
	list, err := store.Scanned(ctx, r, scanFile, `SELECT `+fileColumns+` FROM shipments
		WHERE `+w.String()+` ORDER BY queued_ms DESC, id DESC LIMIT ?`, append(w.Args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("reading the log of files: %w", err)
	}
	return list, nil
}

// FilesBetween lists the files of the periods of a delivery that end in a range of days,
// oldest first; of one period by number.
func FilesBetween(ctx context.Context, r *store.Tx, delivery int64, ends affiliate.Days) ([]File, error) {
	list, err := store.Scanned(ctx, r, scanFile, `SELECT `+fileColumns+` FROM shipments
		WHERE dispatch_id = ? AND last_day >= ? AND last_day <= ? ORDER BY last_day, number`, delivery, store.DayText(ends.First), store.DayText(ends.Last))
	if err != nil {
		return nil, fmt.Errorf("reading the deliveries of some periods: %w", err)
	}
	return list, nil
}

// WaitingFiles lists what a delivery has yet to deliver: what was tried least first, then
// the oldest period.
func WaitingFiles(ctx context.Context, r *store.Tx, delivery int64) ([]File, error) {
	list, err := store.Scanned(ctx, r, scanFile, `SELECT `+fileColumns+` FROM shipments
		WHERE dispatch_id = ? AND state = 'waiting' ORDER BY forced DESC, tries, last_day, number`, delivery)
	if err != nil {
		return nil, fmt.Errorf("reading what is to be delivered: %w", err)
	}
	return list, nil
}

// LastDelivered returns the newest file of a delivery that reached its destination.
func LastDelivered(ctx context.Context, r *store.Tx, delivery int64) (s File, found bool, err error) {
	list, err := store.Scanned(ctx, r, scanFile, `SELECT `+fileColumns+` FROM shipments
		WHERE dispatch_id = ? AND state IN ('sent', 'incomplete') ORDER BY as_of_ms DESC, id DESC LIMIT 1`, delivery)
	if err != nil || len(list) == 0 {
		return s, false, err
	}
	return list[0], true, nil
}

// ReadFile reads one file. One that does not exist is a *[store.RuleError].
func ReadFile(ctx context.Context, r *store.Tx, id int64) (File, error) {
	list, err := store.Scanned(ctx, r, scanFile, `SELECT `+fileColumns+` FROM shipments WHERE id = ?`, id)
	switch {
	case err != nil:
		return File{}, fmt.Errorf("reading a delivery: %w", err)
	case len(list) == 0:
		return File{}, &store.RuleError{Problem: "There is no such delivery in the log.", Missing: true}
	}
	return list[0], nil
}

// QueueFiles stores the first files of periods. A period that has one already is left
// alone, so each period is queued once, by whichever process and clock. It returns how many
// were stored.
func QueueFiles(ctx context.Context, s *store.Store, delivery int64, list []File) (queued int64, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		queued = 0
		if _, err := ReadDelivery(ctx, tx, delivery); err != nil {
			return err
		}
		for _, one := range list {
			var ended affiliate.Millis
			if one.State == Skipped {
				ended = stamp
			}
			done, err := tx.ExecContext(ctx, `
				INSERT INTO shipments (dispatch_id, first_day, last_day, number, state, forced, queued_ms, lease, tries, complete, ended_ms, answer)
				VALUES (?, ?, ?, 1, ?, 0, ?, 0, 0, 0, ?, ?) ON CONFLICT DO NOTHING`,
				delivery, store.DayText(one.Days.First), store.DayText(one.Days.Last), one.State, stamp, store.Opt(&ended), store.Opt(&one.Answer))
			if err != nil {
				return err
			}
			n, err := done.RowsAffected()
			if err != nil {
				return err
			}
			queued += n
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("queueing deliveries: %w", err)
	}
	return queued, nil
}

// QueueAgain queues another file of a period, or speeds up the one that waits, and returns
// its ID. With a line of the audit log a user asked for it: it waits for no coverage, and has the
// state of now, whatever state an earlier try chose. A
// nil line is that of the program, which delivers a period again that is complete now.
func QueueAgain(ctx context.Context, s *store.Store, delivery int64, days affiliate.Days, by *audit.Line) (id int64, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		d, err := ReadDelivery(ctx, tx, delivery)
		if err != nil {
			return err
		}
		list, err := FilesBetween(ctx, tx, delivery, affiliate.Days{First: days.Last, Last: days.Last})
		if err != nil {
			return err
		}
		number, held := 1, false
		for _, one := range list {
			if number = one.Number + 1; one.State == Waiting {
				id, held = one.ID, one.Held(stamp)
			}
		}
		switch {
		case id != 0 && by != nil:
			// The state that an earlier try chose is given up, unless a try with it is on its way.
			change := `UPDATE shipments SET forced = 1, as_of_ms = NULL, since_ms = NULL, complete = 0 WHERE id = ?`
			if held {
				change = `UPDATE shipments SET forced = 1 WHERE id = ?`
			}
			if _, err := tx.ExecContext(ctx, change, id); err != nil {
				return err
			}
		case id == 0:
			err = tx.QueryRowContext(ctx, `
				INSERT INTO shipments (dispatch_id, first_day, last_day, number, state, forced, queued_ms, lease, tries, complete)
				VALUES (?, ?, ?, ?, 'waiting', ?, ?, 0, 0, 0) RETURNING id`,
				delivery, store.DayText(days.First), store.DayText(days.Last), number, by != nil, stamp).Scan(&id)
			if err != nil {
				return err
			}
		}
		if by == nil {
			return nil
		}
		if _, err := tx.ExecContext(ctx, `UPDATE dispatches SET next_ms = NULL WHERE id = ?`, delivery); err != nil {
			return err
		}
		line := *by
		line.Action, line.Object, line.Detail = "scheduled delivery run", d.object(), fmt.Sprintf("%s to %s", days.First, days.Last)
		return audit.Append(ctx, s, tx, stamp, line)
	})
	if err != nil {
		return 0, fmt.Errorf("delivering a period again: %w", err)
	}
	return id, nil
}

// TakeFile gives a waiting file to the caller until the lease ends or is renewed. It
// returns [ErrLeaseLost] if another worker has it.
func TakeFile(ctx context.Context, s *store.Store, id int64, now time.Time, lease time.Duration) (taken File, err error) {
	err = s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		found, err := files.take(ctx, tx, now, lease, `SELECT id FROM shipments WHERE id = ? AND state = 'waiting' AND `+files.free(), append([]any{id}, files.at(now)...)...)
		if err == nil && found == 0 {
			err = ErrLeaseLost
		}
		if err == nil {
			taken, err = ReadFile(ctx, tx, id)
		}
		return err
	})
	return taken, err
}

// RenewFile prolongs the lease of a taken file. It returns [ErrLeaseLost] if it was lost.
func RenewFile(ctx context.Context, s *store.Store, taken File, until time.Time) error {
	return changeFile(ctx, s, taken, `leased_ms = ?`, affiliate.MillisOf(until))
}

// PinFile stores which state the file has, before anything of it is sent: a later try then
// sends the same bytes. It returns [ErrLeaseLost] if the lease was lost.
func PinFile(ctx context.Context, s *store.Store, taken File) error {
	return changeFile(ctx, s, taken, `as_of_ms = ?, since_ms = ?, complete = ?`, store.Opt(&taken.AsOf), store.Opt(&taken.Since), taken.Complete)
}

// changeFile changes a file whose lease the caller still has.
func changeFile(ctx context.Context, s *store.Store, taken File, set string, args ...any) error {
	return s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		return files.change(ctx, tx, taken.ID, taken.Lease, false, set, args...)
	})
}

// EndFile records that a taken file is at its destination, with the facts about it, and that its
// delivery works again. It returns [ErrLeaseLost] if the lease was lost.
func EndFile(ctx context.Context, s *store.Store, taken File) error {
	return s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		state := Incomplete
		if taken.Complete {
			state = Sent
		}
		err := files.change(ctx, tx, taken.ID, taken.Lease, false, `state = ?, leased_ms = NULL, ended_ms = ?, file = ?, bytes = ?, row_count = ?, sums = ?, sha256 = ?, answer = NULL`,
			state, stamp, taken.File, taken.Bytes, taken.Rows, store.Opt(&taken.Sums), taken.SHA256)
		if err == nil {
			_, err = tx.ExecContext(ctx, `UPDATE dispatches SET failures = 0, next_ms = NULL WHERE id = ?`, taken.Delivery)
		}
		return err
	})
}

// FailFile records why a try failed, gives the file back, and delays its delivery by a
// pause that depends on the number of failures in a row.
func FailFile(ctx context.Context, s *store.Store, taken File, now time.Time, pause func(failures int) time.Duration, answer string) error {
	return s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		if err := files.change(ctx, tx, taken.ID, taken.Lease, false, `leased_ms = NULL, lease = lease + 1, answer = ?`, audit.CutText(answer, 1000)); err != nil {
			return err
		}
		var failures int
		if err := tx.QueryRowContext(ctx, `UPDATE dispatches SET failures = failures + 1 WHERE id = ? RETURNING failures`, taken.Delivery).Scan(&failures); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE dispatches SET next_ms = ? WHERE id = ?`, affiliate.MillisOf(now.Add(pause(failures))), taken.Delivery)
		return err
	})
}
