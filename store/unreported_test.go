package store_test

import (
	"fmt"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
)

// A write beside the reports gets a stamp that reports do not see.
func TestUpdateAside(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "the stamp of a write", testUpdateAside)
}

func testUpdateAside(t *testing.T) {
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
}

// Statements that change what files of reports show, and those that read anything else, are told from
// others.
func TestReportedTables(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]string{
		`UPDATE accounts SET wanted_from = NULL`:                                  "accounts",
		`INSERT INTO accounts (name) VALUES ('second')`:                           "accounts",
		`INSERT OR IGNORE INTO Accounts (name) VALUES (1)`:                        "accounts",
		`DELETE FROM accounts`:                                                    "accounts",
		`INSERT INTO audit (at) VALUES (1) ON CONFLICT (at) DO UPDATE SET at = 2`: "",
		`DELETE FROM sessions WHERE user IN (SELECT id FROM accounts)`:            "",
		`SELECT name FROM accounts`:                                               "",
	} {
		if got := storetest.ChangedReported(statement); got != want {
			t.Errorf("%s changes %q, want %q", statement, got, want)
		}
	}
	for statement, want := range map[string]string{
		`SELECT a.name FROM accounts a JOIN audit ON TRUE`: "audit",
		`WITH u AS (SELECT id FROM Users) SELECT 1`:        "users",
		`SELECT users FROM accounts`:                       "",
	} {
		if got := storetest.ReadUnreported(statement); got != want {
			t.Errorf("%s reads %q, want %q", statement, got, want)
		}
	}
}

// A write aside that changes a table of the reports stops the test that made it.
func TestUpdateAsideIsWatched(t *testing.T) {
	t.Parallel()
	s := storetest.Audited(t)
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, "UpdateAside changes accounts") {
			t.Errorf("a wrong write: %s", said)
		}
	}()
	err := s.UpdateAside(t.Context(), func(tx *store.Tx, _ affiliate.Millis) error {
		_, err := tx.ExecContext(t.Context(), `DELETE FROM accounts`)
		return err
	})
	t.Errorf("a wrong write ran: %v", err)
}
