package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Delivery says which export is delivered where, and when. Package delivery defines the valid
// values.
type Delivery struct {
	ID           int64
	Name         string // unique, ignoring letter case
	Kind         string // of the export
	Format       string
	Every        string // day, week or month: the length of its periods
	Hour, Minute int    // of the reporting zone
	Content      string // period, whole or incremental
	Filters      string // a query string; empty: everything
	To           string // URL of the destination, without secrets
	Deadline     int    // hours after it is due, in which it waits for coverage
	After        affiliate.Day
	Failures     int              // tries that failed since the last one that did not
	Next         affiliate.Millis // when it is tried again after a failure; unknown: at once
	Paused       affiliate.Millis // unknown: active
	Created      affiliate.Millis
	Updated      affiliate.Millis // identifies the version
}

// object names a delivery in the audit log.
func (d Delivery) object() string { return d.Name }

// detail says for the audit log what is delivered where.
func (d Delivery) detail() string {
	return audit.CutText(strings.TrimSpace(fmt.Sprintf("%s of each %s as %s to %s %s", d.Kind, d.Every, d.Format, d.To, d.Filters)), 500)
}

// fields are the columns that users fill in, in the order of [deliveryColumns].
func (d *Delivery) fields() []any {
	return []any{&d.Name, &d.Kind, &d.Format, &d.Every, &d.Hour, &d.Minute, &d.Content, &d.Filters, &d.To, &d.Deadline}
}

const deliveryColumns = `name, kind, format, every, hour, minute, content, filters, destination, deadline_hours`

// Deliveries lists the deliveries by name.
func Deliveries(ctx context.Context, r *store.Tx) ([]Delivery, error) {
	list, err := deliveries(ctx, r, ``)
	if err != nil {
		return nil, fmt.Errorf("reading the scheduled deliveries: %w", err)
	}
	return list, nil
}

// ReadDelivery reads one. One that does not exist is a *[store.RuleError].
func ReadDelivery(ctx context.Context, r *store.Tx, id int64) (Delivery, error) {
	list, err := deliveries(ctx, r, ` AND id = ?`, id)
	switch {
	case err != nil:
		return Delivery{}, fmt.Errorf("reading a scheduled delivery: %w", err)
	case len(list) == 0:
		return Delivery{}, missingDelivery()
	}
	return list[0], nil
}

func missingDelivery() error {
	return &store.RuleError{Problem: "There is no such scheduled delivery.", Missing: true}
}

func deliveries(ctx context.Context, r *store.Tx, where string, args ...any) ([]Delivery, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (d Delivery, err error) {
		return d, rows.Scan(append([]any{&d.ID, (*store.DayText)(&d.After), &d.Failures, store.Opt(&d.Next), store.Opt(&d.Paused), &d.Created, &d.Updated}, d.fields()...)...)
	}, `SELECT id, after_day, failures, next_ms, paused_ms, created_ms, updated_ms, `+deliveryColumns+`
		FROM dispatches WHERE removed_ms IS NULL`+where+` ORDER BY name, id`, args...)
}

// MostDeliveries is the maximum number of deliveries.
const MostDeliveries = 200

// SaveDelivery stores a delivery, a new one if its ID is 0, together with its line of the audit
// log. Periods that end by the day After are never delivered; a stored delivery keeps its own
// day unless its periods changed. A failure before the change no longer delays it. A name that
// is taken is a *[store.RuleError], and so is a delivery that changed since it was read: Updated
// says which version was read; if it is unknown, any version is replaced.
func SaveDelivery(ctx context.Context, s *store.Store, d Delivery, by audit.Line) (id int64, err error) {
	if d.Name, err = store.PlanName(d.Name); err != nil {
		return 0, err
	}
	by.Action, by.Object, by.Detail = "scheduled delivery added", d.object(), d.detail()
	if d.ID != 0 {
		by.Action = "scheduled delivery changed"
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if err := checkOthers(ctx, tx, d); err != nil {
			return err
		}
		if d.ID == 0 {
			id, err = insertDelivery(ctx, tx, d, stamp)
		} else {
			id, err = d.ID, replaceDelivery(ctx, tx, d, stamp)
		}
		if err != nil {
			return err
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", by.Action, err)
	}
	return id, nil
}

// checkOthers refuses a taken name, and a delivery too many.
func checkOthers(ctx context.Context, tx *store.Tx, d Delivery) error {
	list, err := deliveries(ctx, tx, ` AND id <> ?`, d.ID)
	if err != nil {
		return err
	}
	if d.ID == 0 && len(list) >= MostDeliveries {
		return store.Refuse("There are at most %d scheduled deliveries: remove one first.", MostDeliveries)
	}
	for _, other := range list {
		if strings.EqualFold(other.Name, d.Name) {
			return &store.RuleError{Problem: fmt.Sprintf("There is a scheduled delivery called “%s” already: choose another name.", other.Name), Field: "name"}
		}
	}
	return nil
}

func insertDelivery(ctx context.Context, tx *store.Tx, d Delivery, stamp affiliate.Millis) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `
		INSERT INTO dispatches (after_day, failures, created_ms, updated_ms, `+deliveryColumns+`) VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		append([]any{store.DayText(d.After), stamp, stamp}, d.fields()...)...).Scan(&id)
	return id, err
}

func replaceDelivery(ctx context.Context, tx *store.Tx, d Delivery, stamp affiliate.Millis) error {
	before, err := storedDelivery(ctx, tx, d)
	if err != nil {
		return err
	}
	if d.After = max(d.After, before.After); d.Every == before.Every {
		d.After = before.After
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE dispatches SET (after_day, failures, next_ms, updated_ms, `+deliveryColumns+`) = (?, 0, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?`,
		append(append([]any{store.DayText(d.After), stamp}, d.fields()...), d.ID)...)
	return err
}

// storedDelivery returns the stored version of a delivery, if it is the one that the caller has read.
func storedDelivery(ctx context.Context, tx *store.Tx, d Delivery) (Delivery, error) {
	before, err := ReadDelivery(ctx, tx, d.ID)
	if err != nil {
		return before, err
	}
	return before, store.SameVersion("scheduled delivery", d.Updated, before.Updated)
}

// PauseDelivery pauses or resumes a delivery, in the version that Updated names, as with
// [SaveDelivery]; one that already is in that state is left unchanged. A resumed one continues
// after the day After: what was due meanwhile is not delivered.
func PauseDelivery(ctx context.Context, s *store.Store, d Delivery, paused bool, by audit.Line) error {
	verb := map[bool]string{true: "paused", false: "resumed"}[paused]
	return changeDelivery(ctx, s, d, verb, by, func(tx *store.Tx, before Delivery, stamp affiliate.Millis) error {
		if before.Paused.Known() == paused {
			return errUnchanged
		}
		since := store.OptIf(paused, &stamp)
		_, err := tx.ExecContext(ctx, `UPDATE dispatches SET paused_ms = ?, after_day = ?, failures = 0, next_ms = NULL, updated_ms = ? WHERE id = ?`,
			since, store.DayText(max(d.After, before.After)), stamp, d.ID)
		return err
	})
}

// RemoveDelivery ends a delivery for good, in the version that Updated names, as with
// [SaveDelivery]. Its log stays.
func RemoveDelivery(ctx context.Context, s *store.Store, d Delivery, by audit.Line) error {
	return changeDelivery(ctx, s, d, "removed", by, func(tx *store.Tx, _ Delivery, stamp affiliate.Millis) error {
		_, err := tx.ExecContext(ctx, `UPDATE dispatches SET removed_ms = ?, updated_ms = ? WHERE id = ?`, stamp, stamp, d.ID)
		return err
	})
}

// changeDelivery runs a change of a stored delivery, together with its line of the audit log.
func changeDelivery(ctx context.Context, s *store.Store, d Delivery, verb string, by audit.Line, f func(*store.Tx, Delivery, affiliate.Millis) error) error {
	by.Action = "scheduled delivery " + verb
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		before, err := storedDelivery(ctx, tx, d)
		if err != nil {
			return err
		}
		if err := f(tx, before, stamp); err != nil {
			return err
		}
		by.Object, by.Detail = before.object(), before.detail()
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil && !errors.Is(err, errUnchanged) {
		return fmt.Errorf("%s: %w", by.Action, err)
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
