package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"slices"
)

// MakeOld creates a database as an older program with the given number of migrations left
// it, and runs a statement on it.
func MakeOld(ctx context.Context, path string, version int, statement string) (err error) {
	if err := errors.Join(RegisterOnce(), LockSafely()); err != nil {
		return err // a program does both before its first migration
	}
	db, err := sql.Open("sqlite", Dsn(path, writerPragmas))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	names, err := fs.Glob(Migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	slices.Sort(names)
	for i, name := range names[:version] {
		if err := applyMigration(ctx, &sqliteEngine{path: path, mode: "rwc"}, db, name, i+1); err != nil {
			return err
		}
	}
	_, err = db.ExecContext(ctx, statement)
	return err
}

// MigrateBeside migrates the database of an older program on a connection that read its
// schema before another connection migrated it to a later version.
func MigrateBeside(ctx context.Context, path string, version, later int) (err error) {
	if err := MakeOld(ctx, path, version, ``); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", Dsn(path, writerPragmas))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	var tables int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil {
		return err
	}
	if err := MakeOld(ctx, path, later, ``); err != nil {
		return err
	}
	return migrate(ctx, &sqliteEngine{path: path, mode: "rwc"}, db)
}
