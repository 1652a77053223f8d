package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// longestLease is longer than any lease lasts.
const longestLease = time.Hour

// ErrTaken means that another worker has the file, or had it meanwhile.
var ErrTaken = errors.New("another worker has taken this delivery")

// TakeFile gives a waiting file to the caller until the lease ends or is renewed. It
// returns [ErrTaken] if another worker has it.
func TakeFile(ctx context.Context, s *store.Store, id int64, now time.Time, lease time.Duration) (taken File, err error) {
	err = s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		if taken, err = ReadFile(ctx, tx, id); err != nil {
			return err
		}
		if taken.State != Waiting || taken.Held(affiliate.MillisOf(now)) {
			return ErrTaken
		}
		taken.Lease++
		taken.Tries++
		taken.Leased = affiliate.MillisOf(now.Add(lease))
		_, err := tx.ExecContext(ctx, `UPDATE shipments SET lease = ?, tries = ?, leased_ms = ? WHERE id = ?`, taken.Lease, taken.Tries, taken.Leased, id)
		return err
	})
	if err != nil {
		return File{}, fmt.Errorf("taking up a delivery: %w", err)
	}
	return taken, nil
}

// RenewFile prolongs the lease of a taken file. It returns [ErrTaken] if it was
// lost.
func RenewFile(ctx context.Context, s *store.Store, taken File, until time.Time) error {
	return underLease(ctx, s, taken, `leased_ms = ?`, affiliate.MillisOf(until))
}

// PinFile stores which state the file has, before anything of it is sent: a later try then
// sends the same bytes. It returns [ErrTaken] if the lease was lost.
func PinFile(ctx context.Context, s *store.Store, taken File) error {
	return underLease(ctx, s, taken, `as_of_ms = ?, since_ms = ?, complete = ?`, store.Opt(&taken.AsOf), store.Opt(&taken.Since), taken.Complete)
}

// underLease changes a file whose lease the caller still has.
func underLease(ctx context.Context, s *store.Store, taken File, set string, args ...any) error {
	err := s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error { return setUnderLease(ctx, tx, taken, set, args...) })
	if err != nil {
		return fmt.Errorf("noting a delivery: %w", err)
	}
	return nil
}

func setUnderLease(ctx context.Context, tx *store.Tx, taken File, set string, args ...any) error {
	changed, err := store.Changed(tx.ExecContext(ctx, `UPDATE shipments SET `+set+` WHERE id = ? AND lease = ? AND state = 'waiting'`, append(args, taken.ID, taken.Lease)...))
	if err == nil && !changed {
		err = ErrTaken
	}
	return err
}

// EndFile records that a taken file is at its destination, with the facts about its
// file, and that its delivery works again. It returns [ErrTaken] if the lease was lost.
func EndFile(ctx context.Context, s *store.Store, taken File) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		state := Incomplete
		if taken.Complete {
			state = Sent
		}
		err := setUnderLease(ctx, tx, taken, `state = ?, leased_ms = NULL, ended_ms = ?, file = ?, bytes = ?, row_count = ?, sums = ?, sha256 = ?, answer = NULL`,
			state, stamp, taken.File, taken.Bytes, taken.Rows, store.Opt(&taken.Sums), taken.SHA256)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE dispatches SET failures = 0, next_ms = NULL WHERE id = ?`, taken.Delivery)
		return err
	})
	if err != nil {
		return fmt.Errorf("noting a delivery: %w", err)
	}
	return nil
}

// FailFile records why a try failed, gives the file back, and delays its delivery by a
// pause that depends on the number of failures in a row.
func FailFile(ctx context.Context, s *store.Store, taken File, now time.Time, pause func(failures int) time.Duration, answer string) error {
	err := s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		if err := setUnderLease(ctx, tx, taken, `leased_ms = NULL, answer = ?`, audit.CutText(answer, 1000)); err != nil {
			return err
		}
		var failures int
		if err := tx.QueryRowContext(ctx, `UPDATE dispatches SET failures = failures + 1 WHERE id = ? RETURNING failures`, taken.Delivery).Scan(&failures); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE dispatches SET next_ms = ? WHERE id = ?`, affiliate.MillisOf(now.Add(pause(failures))), taken.Delivery)
		return err
	})
	if err != nil {
		return fmt.Errorf("noting a failed delivery: %w", err)
	}
	return nil
}

// DeliveryHealth summarizes the deliveries that fail.
type DeliveryHealth struct {
	Failing int              // deliveries whose last try failed
	Name    string           // of the one that has failed longest
	Waiting int              // files that these have to deliver
	Since   affiliate.Millis // when the oldest of these files was queued
	Answer  string           // the newest error of that delivery
}

// patientFailures is how many tries in a row may fail before that is reported: a destination
// may be away for a moment.
const patientFailures = 2

// Sick reports whether files do not reach their destination.
func (s DeliveryHealth) Sick() bool { return s.Failing > 0 }

// ReadDeliveryHealth reads the state of the deliveries.
func ReadDeliveryHealth(ctx context.Context, r *store.Tx) (state DeliveryHealth, err error) {
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (d Delivery, err error) {
		return d, rows.Scan(&d.ID, &d.Name)
	}, `SELECT id, name FROM dispatches WHERE removed_ms IS NULL AND paused_ms IS NULL AND failures >= ?`, patientFailures)
	for _, d := range list {
		waiting, err := WaitingFiles(ctx, r, d.ID)
		if err != nil {
			return state, err
		}
		if len(waiting) == 0 {
			continue
		}
		state.Failing++
		state.Waiting += len(waiting)
		for _, one := range waiting {
			if one.Answer != "" && (!state.Since.Known() || one.Queued < state.Since) {
				state.Since, state.Name, state.Answer = one.Queued, d.Name, one.Answer
			}
		}
	}
	if err != nil {
		return state, fmt.Errorf("reading the state of the scheduled deliveries: %w", err)
	}
	return state, nil
}
