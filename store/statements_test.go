package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"

	"rebatedesk/store"
	"rebatedesk/store/storetest"
)

const countTo = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n`

// A connection keeps parsed statements. A statement whose rows are still being read is not
// disturbed by the same statement with other parameters.
func TestStatementWithinItself(t *testing.T) {
	storetest.Engines(t, "parsed statements", testStatementWithinItself)
}

func testStatementWithinItself(t *testing.T) {
	r := storetest.Reader(t, storetest.Open(t, store.Options{}))
	for range 3 {
		sum := 0
		outer, err := r.QueryContext(t.Context(), countTo, 10)
		storetest.Done(t, err)
		for outer.Next() {
			var n, m int
			storetest.Done(t, outer.Scan(&n))
			inner, err := r.QueryContext(t.Context(), countTo, n)
			storetest.Done(t, err)
			for inner.Next() {
				storetest.Done(t, inner.Scan(&m))
				sum += m
			}
			storetest.Done(t, errors.Join(inner.Err(), inner.Close()))
		}
		storetest.Done(t, errors.Join(outer.Err(), outer.Close()))
		if sum != 220 {
			t.Errorf("the sum of the sums up to 1…10 is %d, want 220", sum)
		}
	}
}

// A statement that was interrupted or refused works the next time, and its parameters do
// not remain.
func TestStatementAfterAFailure(t *testing.T) {
	storetest.Engines(t, "parsed statements", testStatementAfterAFailure)
}

func testStatementAfterAFailure(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	r := storetest.Reader(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	rows, err := r.QueryContext(ctx, countTo, 1_000_000_000)
	storetest.Done(t, err)
	for range 10 {
		rows.Next()
	}
	cancel()
	for rows.Next() {
	}
	if err := errors.Join(rows.Err(), rows.Close()); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled query ended with %v", err)
	}
	const insert = `INSERT INTO accounts (name) VALUES (?)`
	for i, name := range []any{"a", "a", nil, "b"} {
		err := s.UpdateQuietly(t.Context(), func(tx *store.Tx) error {
			_, err := tx.ExecContext(t.Context(), insert, name)
			return err
		})
		if refused := i == 1 || i == 2; refused != (err != nil) {
			t.Errorf("insert of %v: %v", name, err)
		}
		ofSQLite, ok := errors.AsType[*sqlite.Error](err)
		violated := ok && ofSQLite.Code()&0xff == 19
		if ofPostgres, ok := errors.AsType[*pgconn.PgError](err); ok {
			violated = strings.HasPrefix(ofPostgres.Code, "23")
		}
		if err != nil && !violated {
			t.Errorf("insert of %v: %v is not a violated constraint", name, err)
		}
	}
	if lines, err := storetest.Lines(s, `SELECT name FROM accounts ORDER BY id`); err != nil || fmt.Sprint(lines) != "[a b]" {
		t.Errorf("%q (%v)", lines, err)
	}
}

// A change of the schema shows in statements that were parsed before it, and a pragma acts
// each time: [storetest.Corrupt] runs two.
func TestStatementAfterAChangeOfTheSchema(t *testing.T) {
	storetest.Engines(t, "parsed statements", testStatementAfterAChangeOfTheSchema)
}

func testStatementAfterAChangeOfTheSchema(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	storetest.Done(t, storetest.Corrupt(s, `CREATE TABLE changing (a TEXT); INSERT INTO changing VALUES ('1')`))
	for i, want := range []string{"1", "1 2", "2"} {
		if storetest.Postgres(t) && i > 0 { // it refuses a parsed statement that gives other columns, once
			if lines, err := storetest.Lines(s, `SELECT * FROM changing`); err == nil {
				t.Errorf("%q, parsed before the change", lines)
			}
		}
		for range 2 {
			if lines, err := storetest.Lines(s, `SELECT * FROM changing`); err != nil || !slices.Equal(lines, []string{want}) {
				t.Errorf("%q, want %q (%v)", lines, want, err)
			}
		}
		changes := []string{`ALTER TABLE changing ADD COLUMN b TEXT NOT NULL DEFAULT '2'`, `ALTER TABLE changing DROP COLUMN a`, `SELECT 1`}
		storetest.Done(t, storetest.Corrupt(s, changes[i]))
		if lines, err := storetest.Lines(s, `INSERT INTO runs (account_id, cause, started_ms) VALUES (99, '', 0) RETURNING id`); err == nil {
			t.Errorf("references are not checked: %q", lines)
		}
	}
}

// A connection forgets statements when it has parsed many.
func TestManyStatements(t *testing.T) { storetest.Engines(t, "parsed statements", testManyStatements) }

func testManyStatements(t *testing.T) {
	r := storetest.Reader(t, storetest.Open(t, store.Options{}))
	for i := range 1000 {
		var got int
		storetest.Done(t, r.QueryRowContext(t.Context(), fmt.Sprintf(`SELECT %d + ?`, i), 1).Scan(&got))
		if got != i+1 {
			t.Errorf("%d + 1 = %d", i, got)
		}
	}
}
