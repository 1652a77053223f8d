package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// SchemaFaults compares the tables, indexes, views and triggers of a file with those that the
// migrations make, and returns what is foreign, lacking or different, as phrases. A trigger of
// somebody else would run with the rights of the program. Those of a server are its owner's matter.
func (t *Tx) SchemaFaults(ctx context.Context) ([]string, error) {
	return t.store.engine.schemaFaults(ctx, t)
}

func (e *postgresEngine) schemaFaults(context.Context, Asker) ([]string, error) { return nil, nil }

func (e *sqliteEngine) schemaFaults(ctx context.Context, r Asker) ([]string, error) {
	version, err := e.version(ctx, r)
	if err != nil {
		return nil, err
	}
	if version > KnownSchema() {
		return nil, &ErrNewer{Database: version, Program: KnownSchema()}
	}
	want, err := madeBySchema(ctx, version)
	if err != nil {
		return nil, fmt.Errorf("making schema %d: %w", version, err)
	}
	got, err := schemaObjects(ctx, r)
	if err != nil {
		return nil, err
	}
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(got)) {
		switch should, ours := want[name]; {
		case !ours:
			faults = append(faults, fmt.Sprintf("%s was not made by this program", name))
		case should != got[name]:
			faults = append(faults, fmt.Sprintf("%s is not as this program makes it", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, there := got[name]; !there {
			faults = append(faults, fmt.Sprintf("%s is missing", name))
		}
	}
	return faults, nil
}

// madeBySchema returns what the migrations make up to a version.
func madeBySchema(ctx context.Context, version int) (objects map[string]string, err error) {
	db, err := sql.Open("sqlite", "file::memory:?_dqs=0")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1) // each connection has a memory of its own
	if err := migrateTo(ctx, &sqliteEngine{draft: true}, db, version); err != nil {
		return nil, err
	}
	return schemaObjects(ctx, db)
}

// plainly removes what versions of SQLite write in different ways when they alter a table.
var plainly = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "", `"`, "")

// schemaObjects returns the statements of what a schema has, by its kind and name. SQLite's own
// tables are left out: no other can have such a name.
func schemaObjects(ctx context.Context, r Asker) (map[string]string, error) {
	type object struct{ name, text string }
	list, err := Scanned(ctx, r, func(rows *sql.Rows) (o object, err error) {
		err = rows.Scan(&o.name, &o.text)
		return o, err
	}, `SELECT 'the ' || type || ' ' || name, tbl_name || ': ' || coalesce(sql, '') FROM sqlite_schema
		WHERE name NOT LIKE 'sqlite\_stat%' ESCAPE '\' AND name <> 'sqlite_sequence'`)
	objects := map[string]string{}
	for _, o := range list {
		objects[o.name] = plainly.Replace(o.text)
	}
	return objects, err
}
