package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"slices"
)

//go:embed migrations/*.sql
var migrations embed.FS

// ErrNewer is returned when the database was written by a newer program than
// this one, which would not understand it.
type ErrNewer struct{ Database, Program int }

func (e *ErrNewer) Error() string {
	return fmt.Sprintf("the database has schema version %d, this program knows up to %d: use the newer program, or restore a backup made before it ran", e.Database, e.Program)
}

// migrate brings the schema up to date. The version is the number of applied
// files; each file is applied in a transaction together with the version, so
// an interrupted migration leaves no trace.
func migrate(ctx context.Context, db *sql.DB) error {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	slices.Sort(names)
	var version int
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return fmt.Errorf("reading the schema version: %w", err)
	}
	if version > len(names) {
		return &ErrNewer{Database: version, Program: len(names)}
	}
	for i := version; i < len(names); i++ {
		if err := applyMigration(ctx, db, names[i], i+1); err != nil {
			return fmt.Errorf("migration %s: %w", names[i], err)
		}
	}
	return nil
}

func applyMigration(ctx context.Context, db *sql.DB, name string, version int) error {
	text, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, string(text)); err != nil {
		return err
	}
	// A pragma takes no parameters; version is a number of our own.
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, version)); err != nil {
		return err
	}
	return tx.Commit()
}
