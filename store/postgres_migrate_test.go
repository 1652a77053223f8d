package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// oldestPostgres is the schema version of the first program that knew PostgreSQL.
const oldestPostgres = 24

// oldPostgres returns a new database as the first program for PostgreSQL left it, and runs
// statements on it.
func oldPostgres(t *testing.T, statements string) (place string) {
	t.Helper()
	place, _ = storetest.NewDatabase(t, postgresClauses)
	path := filepath.Join(t.TempDir(), "old.db")
	storetest.Done(t, store.MakeOld(t.Context(), path, oldestPostgres, ``))
	functions, err := os.ReadFile("testdata/postgres_24.sql")
	storetest.Done(t, err)
	storetest.Done(t, store.MakeOldPostgres(t.Context(), place, oldestPostgres, schemaOf(t, path), string(functions)))
	if statements != "" {
		storetest.Run(t, place, statements)
	}
	return place
}

// catalogues are what makes the schema of a PostgreSQL database. Names that the server gave
// are left out, and so is the number of a column: they tell its history.
var catalogues = []string{
	`SELECT concat_ws(' ', table_name, row_number() OVER (PARTITION BY table_name ORDER BY ordinal_position), column_name, data_type, collation_name, is_nullable, column_default, is_identity, identity_generation)
		FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1`,
	`SELECT concat_ws(' ', conrelid::regclass, contype, pg_get_constraintdef(oid)) FROM pg_constraint WHERE connamespace = current_schema()::regnamespace ORDER BY 1`,
	`SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND indexname NOT LIKE '%_pkey' AND indexname NOT LIKE '%_key' ORDER BY 1`,
	`SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1`,
	`SELECT CASE prokind WHEN 'a' THEN concat_ws(' ', oid::regprocedure, proparallel, (SELECT concat_ws(' ', aggtransfn, aggfinalfn, aggcombinefn, agginitval) FROM pg_aggregate WHERE aggfnoid = pg_proc.oid))
		ELSE pg_get_functiondef(oid) END FROM pg_proc WHERE pronamespace = current_schema()::regnamespace ORDER BY 1`,
	`SELECT concat_ws(' ', collname, collprovider, collisdeterministic, colliculocale) FROM pg_collation WHERE collnamespace = current_schema()::regnamespace ORDER BY 1`,
	`SELECT m::text FROM meta m`,
	`SELECT concat_ws(' ', id, version) FROM schema_version`,
}

// What the migrations leave of the oldest database on PostgreSQL is what a new one has.
func TestPostgresSchema(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	fresh, _ := storetest.NewDatabase(t, postgresClauses)
	created := storetest.OpenAt(t, fresh, store.Options{})
	migrated := storetest.OpenAt(t, oldPostgres(t, ``), store.Options{})
	for _, catalogue := range catalogues {
		want, err := storetest.Lines(created, catalogue)
		storetest.Done(t, err)
		got, err := storetest.Lines(migrated, catalogue)
		storetest.Done(t, err)
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%.60s: migrated\n%s\nnew\n%s", catalogue, strings.Join(without(got, want), "\n"), strings.Join(without(want, got), "\n"))
		}
	}
	storetest.Replace(t, migrated, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1"))
	if faults := unsound(verify(t, migrated)); len(faults) > 0 {
		t.Errorf("%q", faults)
	}
}

// without returns the lines that others lack.
func without(lines, others []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(others, line) })
}

// Several nodes may open a database of an older program at the same moment: each migration
// is applied once, and nothing is lost.
func TestPostgresMigratingTogether(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	place := oldPostgres(t, `INSERT INTO accounts (name) VALUES ('main'), ('asia')`)
	failures := make([]error, 8)
	var nodes sync.WaitGroup
	for i := range failures {
		nodes.Go(func() {
			s, err := store.Open(context.Background(), place, store.Options{})
			if err == nil {
				err = errors.Join(upkeep.CheckIntegrity(context.Background(), s), s.Close())
			}
			failures[i] = err
		})
	}
	nodes.Wait()
	storetest.Done(t, errors.Join(failures...))
	s := storetest.OpenAt(t, place, store.Options{})
	if schema, err := s.Schema(t.Context()); err != nil || schema != store.KnownSchema() {
		t.Errorf("schema version %d (%v)", schema, err)
	}
	if names, err := storetest.Lines(s, `SELECT name FROM accounts ORDER BY id`); err != nil || !slices.Equal(names, []string{"main", "asia"}) {
		t.Errorf("accounts %q (%v)", names, err)
	}
}

// A backup of a database with an older schema has that schema, and the database stays as it
// is. What is restored from it is up to date.
func TestPostgresBackupOfAnOlderSchema(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	// Backups take a lease, which came with the version after the oldest.
	place := oldPostgres(t, `
		CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, number BIGINT NOT NULL, since_ms BIGINT NOT NULL, until_ms BIGINT NOT NULL, busy BIGINT NOT NULL, requests BIGINT NOT NULL DEFAULT 0);
		INSERT INTO accounts (name) VALUES ('main')`)
	s, err := store.OpenUnchanged(t.Context(), place, store.Options{})
	storetest.Done(t, err)
	defer func() { storetest.Done(t, s.Close()) }()
	file := filepath.Join(t.TempDir(), "backup.db")
	made, err := upkeep.Backup(t.Context(), s, file)
	storetest.Done(t, err)
	if schema, err := s.Schema(t.Context()); made.Contents.Schema != oldestPostgres || err != nil || schema != oldestPostgres {
		t.Errorf("the backup has schema version %d, the database %d (%v)", made.Contents.Schema, schema, err)
	}
	restored := filepath.Join(t.TempDir(), "restored.db")
	done, err := upkeep.Restore(t.Context(), file, restored, upkeep.RestoreOptions{})
	storetest.Done(t, err)
	if done.Schema != store.KnownSchema() || done.Contents.Tables["accounts"] != 1 {
		t.Errorf("%+v", done)
	}
}

// A node that is running goes on while a newer program changes the schema as the rules of
// rolling updates allow: new tables, and columns with a default. Nodes that start refuse
// that schema.
func TestPostgresRollingUpdate(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	place := storetest.Empty(t)
	running := storetest.OpenAt(t, place, store.Options{})
	write := func(n int) {
		t.Helper()
		for range 2 { // statements that the connections have prepared, and new ones
			storetest.Replace(t, running, storetest.DaySlice(storetest.OneDay), storetest.Record(n, "1"))
			if got := stored(t, running, records.CommissionFilter{Days: storetest.AnyDays}); len(got) != 1 || got[storetest.Record(n, "1").Key()] != 1 {
				t.Errorf("stored %v", got)
			}
			_ = storetest.Invitees(t, running, records.InviteeFilter{})
		}
	}
	write(1)
	changes := []string{`CREATE TABLE newer (id BIGINT PRIMARY KEY)`}
	tables, err := storetest.Lines(running, `SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name <> 'schema_version'`)
	storetest.Done(t, err)
	for _, table := range tables {
		changes = append(changes, `ALTER TABLE `+table+` ADD COLUMN newer BIGINT NOT NULL DEFAULT 0`)
	}
	storetest.Run(t, place, strings.Join(append(changes, `UPDATE schema_version SET version = version + 1`), "; "))
	write(2)
	if faults := unsound(verify(t, running)); len(faults) > 0 {
		t.Errorf("%q", faults)
	}
	_, err = store.Open(t.Context(), place, store.Options{})
	if newer := new(store.ErrNewer); !errors.As(err, &newer) || newer.Database != store.KnownSchema()+1 {
		t.Errorf("a node that starts: %v", err)
	}
}
