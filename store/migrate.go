package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"sync"
)

//go:embed migrations/*.sql
var Migrations embed.FS

// schema creates what all migrations together create, at a tenth of the cost. TestSchema
// writes the file.
//
//go:embed schema.sql
var schema string

// ErrNewer is returned if the database was written by a newer program, which this program
// would not understand.
type ErrNewer struct{ Database, Program int }

func (e *ErrNewer) Error() string {
	return fmt.Sprintf("the database has schema version %d, this program knows up to %d: use the newer program, or restore a backup made before it ran", e.Database, e.Program)
}

// migrate brings the schema up to date. The version is the number of applied files. Each
// file is applied in one transaction together with the version, so an interrupted migration
// leaves no trace. A new database gets the schema of the last version at once. Several
// processes may open a new database at the same moment: each file is applied by the first
// process to reach it.
func migrate(ctx context.Context, e engine, db *sql.DB) error {
	return migrateTo(ctx, e, db, KnownSchema())
}

// migrateTo is [migrate] up to a version. A new database of an earlier version is made file
// by file.
func migrateTo(ctx context.Context, e engine, db *sql.DB, known int) error {
	names := migrationNames()[:known]
	version, err := e.version(ctx, db)
	if err != nil {
		return fmt.Errorf("reading the schema version: %w", err)
	}
	if version > len(names) {
		return &ErrNewer{Database: version, Program: len(names)}
	}
	if version == 0 && known == KnownSchema() {
		if err := apply(ctx, e, db, schema, 0, len(names)); err != nil {
			return fmt.Errorf("creating the schema: %w", err)
		}
		if version, err = e.version(ctx, db); err != nil {
			return fmt.Errorf("reading the schema version: %w", err)
		}
	}
	for i := version; i < len(names); i++ {
		if err := applyMigration(ctx, e, db, names[i], i+1); err != nil {
			return fmt.Errorf("migration %s: %w", names[i], err)
		}
	}
	return nil
}

// KnownSchema is the schema version after all migrations of this program.
func KnownSchema() int { return len(migrationNames()) }

// migrationNames are the files of the migrations in their order.
var migrationNames = sync.OnceValue(func() []string {
	names, err := fs.Glob(Migrations, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	slices.Sort(names)
	return names
})

func applyMigration(ctx context.Context, e engine, db *sql.DB, name string, version int) error {
	text, err := Migrations.ReadFile(name)
	if err != nil {
		return err
	}
	return apply(ctx, e, db, string(text), version-1, version)
}

// apply runs statements that lead from one version to another, unless the database has a
// later version by now.
func apply(ctx context.Context, e engine, db *sql.DB, statements string, from, to int) error {
	err := applyOnce(ctx, e, db, statements, from, to)
	if e.again(err) {
		err = applyOnce(ctx, e, db, statements, from, to)
	}
	return err
}

func applyOnce(ctx context.Context, e engine, db *sql.DB, statements string, from, to int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	version, err := e.lockSchema(ctx, tx)
	if err != nil || version > from {
		return err
	}
	for _, statement := range e.schema(statements) {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	if err := e.setVersion(ctx, tx, to); err != nil {
		return err
	}
	return tx.Commit()
}
