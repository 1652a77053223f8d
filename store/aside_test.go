package store_test

import (
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
)

// A write beside the reports gets a stamp that reports do not see, and can change nothing that they
// show. They in turn read nothing that it can change.
func TestUpdateAside(t *testing.T) {
	t.Parallel()
	s := storetest.Audited(t)
	stamps := func() (all, reported affiliate.Millis) {
		t.Helper()
		all, err := s.LastWrite(t.Context())
		storetest.Done(t, err)
		reported, err = s.LastReported(t.Context())
		storetest.Done(t, err)
		return all, reported
	}
	write := func(update func(f func(*store.Tx, affiliate.Millis) error) error, statement string) error {
		return update(func(tx *store.Tx, _ affiliate.Millis) error {
			_, err := tx.ExecContext(t.Context(), statement)
			return err
		})
	}
	plain := func(f func(*store.Tx, affiliate.Millis) error) error { return s.Update(t.Context(), f) }
	aside := func(f func(*store.Tx, affiliate.Millis) error) error { return s.UpdateAside(t.Context(), f) }
	storetest.Done(t, write(plain, `INSERT INTO accounts (name) VALUES ('main')`))
	if all, reported := stamps(); all != reported || !all.Known() {
		t.Errorf("after a write: %d and %d", all, reported)
	}
	_, before := stamps()
	for range 3 {
		storetest.Done(t, audit.Write(t.Context(), s, audit.Line{Action: "export"}))
	}
	if all, reported := stamps(); reported != before || all <= before {
		t.Errorf("after lines of the audit log: %d and %d, before %d", all, reported, before)
	}
	storetest.Done(t, write(plain, `UPDATE accounts SET wanted_from = '2026-11-01'`))
	if all, reported := stamps(); all != reported || reported <= before {
		t.Errorf("after another write: %d and %d, before %d", all, reported, before)
	}
	storetest.Done(t, write(aside, `DELETE FROM sessions`))
	for _, statement := range []string{`UPDATE accounts SET wanted_from = NULL`, `INSERT INTO accounts (name) VALUES ('second')`, `DELETE FROM accounts`,
		`INSERT INTO accounts (name) VALUES ('main') ON CONFLICT (name) DO UPDATE SET wanted_from = NULL`} {
		if write(aside, statement) == nil {
			t.Errorf("a write beside the reports runs %s", statement)
		}
	}
	r, err := s.Read(t.Context())
	storetest.Done(t, err)
	defer r.Close()
	if _, err := r.Reported().QueryContext(t.Context(), `SELECT id FROM audit`); err != store.ErrAside {
		t.Errorf("a report reads the audit log: %v", err)
	}
}
