package shipments

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

// Dispatch says which export is delivered where, and when. Package shipping defines the valid
// values.
type Dispatch struct {
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

// object names a dispatch in the audit log.
func (d Dispatch) object() string { return d.Name }

// detail says for the audit log what is delivered where.
func (d Dispatch) detail() string {
	return audit.CutText(strings.TrimSpace(fmt.Sprintf("%s of each %s as %s to %s %s", d.Kind, d.Every, d.Format, d.To, d.Filters)), 500)
}

// fields are the columns that users fill in, in the order of [fieldColumns].
func (d *Dispatch) fields() []any {
	return []any{&d.Name, &d.Kind, &d.Format, &d.Every, &d.Hour, &d.Minute, &d.Content, &d.Filters, &d.To, &d.Deadline}
}

const fieldColumns = `name, kind, format, every, hour, minute, content, filters, destination, deadline_hours`

// Dispatches lists the dispatches by name.
func Dispatches(ctx context.Context, r *store.Tx) ([]Dispatch, error) {
	list, err := dispatches(ctx, r, ``)
	if err != nil {
		return nil, fmt.Errorf("reading the scheduled deliveries: %w", err)
	}
	return list, nil
}

// ReadDispatch reads one. One that does not exist is a *[store.RuleError].
func ReadDispatch(ctx context.Context, r *store.Tx, id int64) (Dispatch, error) {
	list, err := dispatches(ctx, r, ` AND id = ?`, id)
	switch {
	case err != nil:
		return Dispatch{}, fmt.Errorf("reading a scheduled delivery: %w", err)
	case len(list) == 0:
		return Dispatch{}, missing()
	}
	return list[0], nil
}

func missing() error {
	return &store.RuleError{Problem: "There is no such scheduled delivery.", Missing: true}
}

func dispatches(ctx context.Context, r *store.Tx, where string, args ...any) ([]Dispatch, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (d Dispatch, err error) {
		return d, rows.Scan(append([]any{&d.ID, (*store.DayText)(&d.After), &d.Failures, store.Opt(&d.Next), store.Opt(&d.Paused), &d.Created, &d.Updated}, d.fields()...)...)
	}, `SELECT id, after_day, failures, next_ms, paused_ms, created_ms, updated_ms, `+fieldColumns+`
		FROM dispatches WHERE removed_ms IS NULL`+where+` ORDER BY name, id`, args...)
}

// MostDispatches is the maximum number of dispatches.
const MostDispatches = 200

// SaveDispatch stores a dispatch, a new one if its ID is 0, together with its line of the audit
// log. Periods that end by the day After are never delivered; a stored dispatch keeps its own
// day unless its periods changed. A failure before the change no longer delays it. A name that
// is taken is a *[store.RuleError], and so is a dispatch that changed since it was read: Updated
// says which version was read; if it is unknown, any version is replaced.
func SaveDispatch(ctx context.Context, s *store.Store, d Dispatch, by audit.Line) (id int64, err error) {
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
			id, err = insert(ctx, tx, d, stamp)
		} else {
			id, err = d.ID, replace(ctx, tx, d, stamp)
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

// checkOthers refuses a taken name, and a dispatch too many.
func checkOthers(ctx context.Context, tx *store.Tx, d Dispatch) error {
	list, err := dispatches(ctx, tx, ` AND id <> ?`, d.ID)
	if err != nil {
		return err
	}
	if d.ID == 0 && len(list) >= MostDispatches {
		return store.Refuse("There are at most %d scheduled deliveries: remove one first.", MostDispatches)
	}
	for _, other := range list {
		if strings.EqualFold(other.Name, d.Name) {
			return &store.RuleError{Problem: fmt.Sprintf("There is a scheduled delivery called “%s” already: choose another name.", other.Name), Field: "name"}
		}
	}
	return nil
}

func insert(ctx context.Context, tx *store.Tx, d Dispatch, stamp affiliate.Millis) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `
		INSERT INTO dispatches (after_day, failures, created_ms, updated_ms, `+fieldColumns+`) VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		append([]any{store.DayText(d.After), stamp, stamp}, values(d.fields())...)...).Scan(&id)
	return id, err
}

func replace(ctx context.Context, tx *store.Tx, d Dispatch, stamp affiliate.Millis) error {
	before, err := stored(ctx, tx, d)
	if err != nil {
		return err
	}
	if d.After = max(d.After, before.After); d.Every == before.Every {
		d.After = before.After
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE dispatches SET (after_day, failures, next_ms, updated_ms, `+fieldColumns+`) = (?, 0, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?`,
		append(append([]any{store.DayText(d.After), stamp}, values(d.fields())...), d.ID)...)
	return err
}

// values returns what pointers to columns point to.
func values(fields []any) []any {
	for i, field := range fields {
		switch at := field.(type) {
		case *string:
			fields[i] = *at
		case *int:
			fields[i] = *at
		}
	}
	return fields
}

// stored returns the stored version of a dispatch, if it is the one that the caller has read.
func stored(ctx context.Context, tx *store.Tx, d Dispatch) (Dispatch, error) {
	before, err := ReadDispatch(ctx, tx, d.ID)
	if err != nil {
		return before, err
	}
	return before, store.SameVersion("scheduled delivery", d.Updated, before.Updated)
}

// errUnchanged ends a change that has no effect.
var errUnchanged = errors.New("nothing to change")

// PauseDispatch pauses or resumes a dispatch, in the version that Updated names, as with
// [SaveDispatch]; one that already is in that state is left unchanged. A resumed one continues
// after the day After: what was due meanwhile is not delivered.
func PauseDispatch(ctx context.Context, s *store.Store, d Dispatch, paused bool, by audit.Line) error {
	verb := map[bool]string{true: "paused", false: "resumed"}[paused]
	return change(ctx, s, d, verb, by, func(tx *store.Tx, before Dispatch, stamp affiliate.Millis) error {
		if before.Paused.Known() == paused {
			return errUnchanged
		}
		since := store.OptIf(paused, &stamp)
		_, err := tx.ExecContext(ctx, `UPDATE dispatches SET paused_ms = ?, after_day = ?, failures = 0, next_ms = NULL, updated_ms = ? WHERE id = ?`,
			since, store.DayText(max(d.After, before.After)), stamp, d.ID)
		return err
	})
}

// RemoveDispatch ends a dispatch for good, in the version that Updated names, as with
// [SaveDispatch]. Its log stays.
func RemoveDispatch(ctx context.Context, s *store.Store, d Dispatch, by audit.Line) error {
	return change(ctx, s, d, "removed", by, func(tx *store.Tx, _ Dispatch, stamp affiliate.Millis) error {
		_, err := tx.ExecContext(ctx, `UPDATE dispatches SET removed_ms = ?, updated_ms = ? WHERE id = ?`, stamp, stamp, d.ID)
		return err
	})
}

// change runs a change of a stored dispatch, together with its line of the audit log.
func change(ctx context.Context, s *store.Store, d Dispatch, verb string, by audit.Line, f func(*store.Tx, Dispatch, affiliate.Millis) error) error {
	by.Action = "scheduled delivery " + verb
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		before, err := stored(ctx, tx, d)
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
