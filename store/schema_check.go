package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// SchemaFaults compares the tables, indexes, views and triggers of a file with those that the
// migrations make, and returns what is foreign, lacking or different, as phrases. A trigger of
// someone else would run with the rights of the program. Those of a server are its owner's matter.
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

// made are the results of [madeBySchema] by version: the migrations of a program never change.
var made sync.Map

// madeBySchema returns what the migrations make up to a version. It must not be changed.
func madeBySchema(ctx context.Context, version int) (objects map[string]string, err error) {
	if known, ok := made.Load(version); ok {
		return known.(map[string]string), nil
	}
	db, err := sql.Open("sqlite", "file::memory:?_dqs=0")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1) // each connection has a memory of its own
	if err := migrateTo(ctx, &sqliteEngine{draft: true}, db, version); err != nil {
		return nil, err
	}
	if objects, err = schemaObjects(ctx, db); err == nil {
		made.Store(version, objects)
	}
	return objects, err
}

// token is a part of a statement as SQLite divides it: a comment, a text, a quoted name, a word, or a
// single character.
var token = regexp.MustCompile("(?s)--[^\n]*|/\\*.*?(?:\\*/|$)|[xX]?'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|\\[[^\\]]*\\]|[0-9A-Za-z_]+|\\S")

// renamed is a name of ours as SQLite quotes it when it renames a table. Words of the language are in
// capital letters in our statements, so none of them can pass for a name.
var renamed = regexp.MustCompile(`^"([a-z][a-z0-9_]*)"$`)

// plainly returns the parts of a statement. Versions of SQLite write different spaces and quotes when
// they alter a table. Comments are no part; where one ends decides what runs.
func plainly(statement string) string {
	var parts []string
	for _, part := range token.FindAllString(statement, -1) {
		if !strings.HasPrefix(part, "--") && !strings.HasPrefix(part, "/*") {
			parts = append(parts, renamed.ReplaceAllString(part, "$1"))
		}
	}
	return strings.Join(parts, "\n")
}

// ownOfSQLite are the statements of the tables that SQLite makes for itself.
var ownOfSQLite = map[string]string{
	"the table sqlite_sequence": "CREATE TABLE sqlite_sequence(name,seq)",
	"the table sqlite_stat1":    "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
	"the table sqlite_stat4":    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}

// schemaObjects returns the statements of what a schema has, by its kind and name. Tables that SQLite
// makes for itself are left out. Who writes the schema itself can give anything such a name, and two
// objects the same one.
func schemaObjects(ctx context.Context, r Asker) (map[string]string, error) {
	type object struct{ name, table, text string }
	list, err := Scanned(ctx, r, func(rows *sql.Rows) (o object, err error) {
		err = rows.Scan(&o.name, &o.table, &o.text)
		return o, err
	}, `SELECT 'the ' || coalesce(type, '') || ' ' || coalesce(name, ''), coalesce(tbl_name, ''), coalesce(sql, '') FROM sqlite_schema`)
	objects := map[string]string{}
	for _, o := range list {
		if own, ok := ownOfSQLite[o.name]; !ok || own != o.text {
			objects[o.name] += o.table + ":\n" + plainly(o.text) + ";\n"
		}
	}
	return objects, err
}

// ForeignTriggerError is the error for a trigger or a rule that would run within a write that this
// program signs: it could have the program sign what someone else wrote.
type ForeignTriggerError struct{ Table string }

func (e *ForeignTriggerError) Error() string {
	return fmt.Sprintf("the table %.60q has a trigger or a rule that this program did not make, so nothing that signs in is written: remove it, and run webapp verify", e.Table)
}

// RefuseTriggers refuses triggers and rules on tables that have none of ours, as a
// *[ForeignTriggerError]. Those on tables with guards of ours run after everything is signed.
func (t *Tx) RefuseTriggers(ctx context.Context) error {
	tables, err := Scanned(ctx, t, func(rows *sql.Rows) (table string, err error) {
		err = rows.Scan(&table)
		return table, err
	}, t.store.engine.triggered())
	if err != nil {
		return fmt.Errorf("reading triggers: %w", err)
	}
	for _, table := range tables {
		if !guarded()[table] {
			return &ForeignTriggerError{table}
		}
	}
	return nil
}

// guarded are the tables with triggers of ours, which refuse changes.
var guarded = sync.OnceValue(func() map[string]bool {
	tables := map[string]bool{}
	for _, g := range postgresGuards(schema) {
		tables[g.table] = true
	}
	return tables
})

// triggered selects the tables with triggers.
func (e *sqliteEngine) triggered() string {
	return `SELECT DISTINCT tbl_name FROM sqlite_schema WHERE type = 'trigger'`
}

// triggered selects the tables with triggers of rows that are written, and with rules. Views have a
// rule of their own.
func (e *postgresEngine) triggered() string {
	return `SELECT DISTINCT c.relname::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
		WHERE NOT t.tgisinternal AND t.tgtype & 28 <> 0 AND c.relnamespace = current_schema()::regnamespace
		UNION SELECT tablename::text FROM pg_rules WHERE schemaname = current_schema()`
}
