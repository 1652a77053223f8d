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

// MakeOldPostgres creates a PostgreSQL database as an older program left it, given its schema
// in the words of SQLite and its functions.
func MakeOldPostgres(ctx context.Context, place string, version int, schema, functions string) (err error) {
	e, err := newPostgres(place, "rwc", "old")
	if err != nil {
		return err
	}
	db, err := e.connect(forWriting)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := e.lockSchema(ctx, tx); err != nil {
		return err
	}
	for _, statement := range splitStatements(functions + postgresSchema(schema)) {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	if err := e.setVersion(ctx, tx, version); err != nil {
		return err
	}
	return tx.Commit()
}

// TooOld refuses the version of a PostgreSQL server.
var TooOld = tooOld

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
