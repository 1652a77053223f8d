package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Open opens a new database and closes it when the test ends.
func Open(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	return OpenAt(t, Empty(t), o)
}

// OpenAt opens the database at a path and closes it when the test ends.
func OpenAt(t testing.TB, path string, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Reader returns a read transaction that ends with the test.
func Reader(t testing.TB, s *store.Store) *store.Tx {
	t.Helper()
	r, err := s.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// AuditKey is the key of [Audited].
var AuditKey = bytes.Repeat([]byte{7}, 32)

// Audited returns a store with a key and a clock that advances by a minute at each write.
func Audited(t testing.TB) *store.Store {
	t.Helper()
	now := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	return Open(t, store.Options{AuditKey: AuditKey, Now: func() time.Time { now = now.Add(time.Minute); return now }})
}

// AuditLines returns the lines of the audit log that match a query.
func AuditLines(t testing.TB, s *store.Store, q audit.LogQuery) []audit.Line {
	t.Helper()
	r := Reader(t, s)
	defer r.Close()
	var lines []audit.Line
	for line, err := range audit.Lines(context.Background(), r, q) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

// Done stops the test at an error.
func Done(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Broken returns the rule for which a write was refused.
func Broken(t testing.TB, err error) *store.RuleError {
	t.Helper()
	var rule *store.RuleError
	if !errors.As(err, &rule) {
		t.Fatalf("not refused by a rule: %v", err)
	}
	return rule
}

// Lines reads a query as lines of text, its columns separated by spaces.
func Lines(s *store.Store, query string, args ...any) ([]string, error) {
	rows, err := s.Writer().Query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	var lines []string
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = plainText(v)
		}
		lines = append(lines, strings.Join(texts, " "))
	}
	return lines, rows.Err()
}

// plainText writes a value as a text, and a truth as the number that SQLite has for it.
func plainText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case []byte:
		return string(v)
	case bool:
		if v {
			return "1"
		}
		return "0"
	}
	return fmt.Sprint(value)
}

// Corrupt runs a statement that no part of the program would run, without checking
// references. PostgreSQL checks them by triggers, so that no trigger acts there.
func Corrupt(s *store.Store, statement string) error {
	off, on := `PRAGMA foreign_keys = OFF; `, `; PRAGMA foreign_keys = ON`
	if store.IsURL(s.Path()) {
		off, on = `SET session_replication_role = replica; `, `; SET session_replication_role = origin`
	}
	_, err := s.Writer().Exec(off + statement + on)
	return err
}

// TextOf returns the expression for the text of bytes.
func TextOf(t Named, bytes string) string {
	if Postgres(t) {
		return `convert_from(` + bytes + `, 'UTF8')`
	}
	return `CAST(` + bytes + ` AS TEXT)`
}

// DropTrigger returns the statement that removes a trigger.
func DropTrigger(t Named, table, name string) string {
	if Postgres(t) {
		return fmt.Sprintf(`DROP TRIGGER %s ON %s`, name, table)
	}
	return `DROP TRIGGER ` + name
}

// Refuse makes a table refuse an event, INSERT or UPDATE, of rows for which a condition on
// NEW holds, with a message.
func Refuse(t testing.TB, s *store.Store, table, event, condition, message string) {
	t.Helper()
	name := "refuse_" + strings.ToLower(event) + "_" + table
	statement := fmt.Sprintf(`CREATE TRIGGER %s BEFORE %s ON %s WHEN %s BEGIN SELECT RAISE(ABORT, '%s'); END`, name, event, table, condition, message)
	if store.IsURL(s.Path()) {
		statement = fmt.Sprintf(`
			CREATE FUNCTION %[1]s() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''%[5]s''; END';
			CREATE TRIGGER %[1]s BEFORE %[2]s ON %[3]s FOR EACH ROW WHEN (%[4]s) EXECUTE FUNCTION %[1]s()`, name, event, table, condition, message)
	}
	if err := Corrupt(s, statement); err != nil {
		t.Fatal(err)
	}
}

// Names returns the names of the files in a directory.
func Names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
