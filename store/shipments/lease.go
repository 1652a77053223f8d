package shipments

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

// ErrTaken means that another worker has the shipment, or had it meanwhile.
var ErrTaken = errors.New("another worker has taken this delivery")

// Take gives a waiting shipment to the caller until the lease ends or is renewed. It
// returns [ErrTaken] if another worker has it.
func Take(ctx context.Context, s *store.Store, id int64, now time.Time, lease time.Duration) (taken Shipment, err error) {
	err = s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		if taken, err = Read(ctx, tx, id); err != nil {
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
		return Shipment{}, fmt.Errorf("taking up a delivery: %w", err)
	}
	return taken, nil
}

// Renew prolongs the lease of a taken shipment. It returns [ErrTaken] if it was
// lost.
func Renew(ctx context.Context, s *store.Store, taken Shipment, until time.Time) error {
	return underLease(ctx, s, taken, `leased_ms = ?`, affiliate.MillisOf(until))
}

// Pin stores which state the file has, before anything of it is sent: a later try then
// sends the same bytes. It returns [ErrTaken] if the lease was lost.
func Pin(ctx context.Context, s *store.Store, taken Shipment) error {
	return underLease(ctx, s, taken, `as_of_ms = ?, since_ms = ?, complete = ?`, store.Opt(&taken.AsOf), store.Opt(&taken.Since), taken.Complete)
}

// underLease changes a shipment whose lease the caller still has.
func underLease(ctx context.Context, s *store.Store, taken Shipment, set string, args ...any) error {
	err := s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error { return setUnderLease(ctx, tx, taken, set, args...) })
	if err != nil {
		return fmt.Errorf("noting a delivery: %w", err)
	}
	return nil
}

func setUnderLease(ctx context.Context, tx *store.Tx, taken Shipment, set string, args ...any) error {
	changed, err := store.Changed(tx.ExecContext(ctx, `UPDATE shipments SET `+set+` WHERE id = ? AND lease = ? AND state = 'waiting'`, append(args, taken.ID, taken.Lease)...))
	if err == nil && !changed {
		err = ErrTaken
	}
	return err
}

// End records that a taken shipment is at its destination, with the facts about its
// file, and that its dispatch works again. It returns [ErrTaken] if the lease was lost.
func End(ctx context.Context, s *store.Store, taken Shipment) error {
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
		_, err = tx.ExecContext(ctx, `UPDATE dispatches SET failures = 0, next_ms = NULL WHERE id = ?`, taken.Dispatch)
		return err
	})
	if err != nil {
		return fmt.Errorf("noting a delivery: %w", err)
	}
	return nil
}

// Fail records why a try failed, gives the shipment back, and delays its dispatch by a
// pause that depends on the number of failures in a row.
func Fail(ctx context.Context, s *store.Store, taken Shipment, now time.Time, pause func(failures int) time.Duration, answer string) error {
	err := s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		if err := setUnderLease(ctx, tx, taken, `leased_ms = NULL, answer = ?`, audit.CutText(answer, 1000)); err != nil {
			return err
		}
		var failures int
		if err := tx.QueryRowContext(ctx, `UPDATE dispatches SET failures = failures + 1 WHERE id = ? RETURNING failures`, taken.Dispatch).Scan(&failures); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE dispatches SET next_ms = ? WHERE id = ?`, affiliate.MillisOf(now.Add(pause(failures))), taken.Dispatch)
		return err
	})
	if err != nil {
		return fmt.Errorf("noting a failed delivery: %w", err)
	}
	return nil
}

// ShippingState summarizes the dispatches that fail.
type ShippingState struct {
	Failing int              // dispatches whose last try failed
	Name    string           // of the one that has failed longest
	Waiting int              // files that these have to deliver
	Since   affiliate.Millis // when the oldest of these files was queued
	Answer  string           // the newest error of that dispatch
}

// patientFailures is how many tries in a row may fail before that is reported: a destination
// may be away for a moment.
const patientFailures = 2

// Sick reports whether files do not reach their destination.
func (s ShippingState) Sick() bool { return s.Failing > 0 }

// ReadShippingState reads the state of the dispatches.
func ReadShippingState(ctx context.Context, r *store.Tx) (state ShippingState, err error) {
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (d Dispatch, err error) {
		return d, rows.Scan(&d.ID, &d.Name)
	}, `SELECT id, name FROM dispatches WHERE removed_ms IS NULL AND paused_ms IS NULL AND failures >= ?`, patientFailures)
	for _, d := range list {
		waiting, err := ListWaiting(ctx, r, d.ID)
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
