package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
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
func migrate(ctx context.Context, db *sql.DB) error {
	names, err := fs.Glob(Migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	slices.Sort(names)
	version, err := SchemaVersion(ctx, db)
	if err != nil {
		return fmt.Errorf("reading the schema version: %w", err)
	}
	if version > len(names) {
		return &ErrNewer{Database: version, Program: len(names)}
	}
	if version == 0 {
		if err := apply(ctx, db, schema, 0, len(names)); err != nil {
			return fmt.Errorf("creating the schema: %w", err)
		}
		if version, err = SchemaVersion(ctx, db); err != nil {
			return fmt.Errorf("reading the schema version: %w", err)
		}
	}
	for i := version; i < len(names); i++ {
		if err := applyMigration(ctx, db, names[i], i+1); err != nil {
			return fmt.Errorf("migration %s: %w", names[i], err)
		}
	}
	return nil
}

func applyMigration(ctx context.Context, db *sql.DB, name string, version int) error {
	text, err := Migrations.ReadFile(name)
	if err != nil {
		return err
	}
	return apply(ctx, db, string(text), version-1, version)
}

// apply runs statements that lead from one version to another, unless the database has a
// later version by now.
func apply(ctx context.Context, db *sql.DB, statements string, from, to int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var version int
	if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil || version > from {
		return err
	}
	// Another process may have changed the schema since this connection read it. SQLite
	// notices that when it runs a query, but not when it parses an ALTER TABLE.
	var tables int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, statements); err != nil {
		return err
	}
	// A pragma takes no parameters; to is a number from this program.
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, to)); err != nil {
		return err
	}
	return tx.Commit()
}

// SchemaVersion is the first query on a connection. While another process creates the
// journal of a new database, SQLite refuses connections at once instead of waiting as
// usual.
func SchemaVersion(ctx context.Context, db *sql.DB) (version int, err error) {
	for range 100 {
		err = db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version)
		if failure, ok := errors.AsType[*sqlite.Error](err); !ok || failure.Code()&0xff != sqlite3.SQLITE_BUSY {
			return version, err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return 0, err
}
