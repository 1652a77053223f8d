// Package storetest holds what the tests of the store and of the packages above it share.
// It is for tests only.
package storetest

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"rebatedesk/store"
)

// Empty returns the place of a new database on the engine of the test, see [Engines]: the path of
// a file, or the URL of a database. It is a copy: creating the tables again would take most of the
// time of many tests.
func Empty(t testing.TB) string {
	t.Helper()
	if Postgres(t) {
		return emptyPostgres(t)
	}
	path := filepath.Join(t.TempDir(), "rebatedesk.db")
	Place(t, path)
	return path
}

// Place creates a new database in a file, like Empty.
func Place(t testing.TB, path string) {
	t.Helper()
	content, err := empty()
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// empty is the content of a database that a store has opened and closed.
var empty = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "rebatedesk-empty-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "empty.db")
	st, err := store.Open(context.Background(), path, store.Options{})
	if err != nil {
		return nil, err
	}
	if err := st.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// InsertByDriver creates a database by a script and inserts rows with nothing but the driver:
// one statement, prepared once, in one transaction.
func InsertByDriver(t testing.TB, path, script, insert string, rows [][]any) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	Done(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.Exec(script)
	Done(t, err)
	tx, err := db.Begin()
	Done(t, err)
	defer tx.Rollback()
	statement, err := tx.Prepare(insert)
	Done(t, err)
	for _, row := range rows {
		_, err := statement.Exec(row...)
		Done(t, err)
	}
	Done(t, tx.Commit())
}
