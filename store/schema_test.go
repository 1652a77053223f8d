package store_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rebatedesk/store"
	"rebatedesk/store/storetest"
)

var update = flag.Bool("update", false, "write schema.sql anew")

// The schema of a new database equals what the migrations leave, and so do its rows.
//
// After a new migration: go test ./store -run TestSchema -update
func TestSchema(t *testing.T) {
	files, err := store.Migrations.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "migrated.db")
	if err := store.MakeOld(t.Context(), path, len(files), ``); err != nil {
		t.Fatal(err)
	}
	migrated := schemaOf(t, path)
	if *update {
		if err := os.WriteFile("schema.sql", []byte(migrated), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("schema.sql is written; the next run compares")
	}
	written, err := os.ReadFile("schema.sql")
	if err != nil || string(written) != migrated {
		t.Errorf("schema.sql is not what the migrations leave: go test ./store -run TestSchema -update (%v)", err)
	}
	created := filepath.Join(t.TempDir(), "created.db")
	if s, err := store.Open(t.Context(), created, store.Options{}); err != nil || s.Close() != nil {
		t.Fatal(err)
	}
	if got := schemaOf(t, created); got != migrated {
		t.Errorf("a new database has another schema:\n%s", got)
	}
}

// schemaOf returns the statements that create the schema of a database and the rows that
// every new database has.
func schemaOf(t *testing.T, path string) string {
	t.Helper()
	s, err := store.OpenUnchanged(t.Context(), path, store.Options{})
	storetest.Done(t, err)
	defer func() { storetest.Done(t, s.Close()) }()
	// A table that was built anew comes before those that refer to it.
	statements, err := store.ReadColumn[string](t.Context(), s.Readers(), `
		SELECT sql FROM sqlite_schema AS s WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
		ORDER BY type <> 'table', coalesce((SELECT min(c.rowid) - 0.5 FROM sqlite_schema c, pragma_foreign_key_list(c.name) f WHERE f."table" = s.name AND c.rowid < s.rowid), rowid)`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := store.ReadColumn[string](t.Context(), s.Readers(), `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY rowid`)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		columns, err := store.ReadColumn[string](t.Context(), s.Readers(), `SELECT name FROM pragma_table_info(?)`, table)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := store.ReadColumn[string](t.Context(), s.Readers(), `SELECT concat_ws(', ', quote(`+strings.Join(columns, `), quote(`)+`)) FROM `+table)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			statements = append(statements, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(columns, ", "), row))
		}
	}
	return "-- What all migrations together leave. Written by TestSchema.\n\n" + strings.Join(slices.Concat(statements, []string{""}), ";\n\n")
}
