package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrForeign is returned for a file that is no database of this program.
var ErrForeign = errors.New("is no database of Rebatedesk")

// OpenUnchanged opens the database at path as it is: it is not made, not
// brought up to date and not written to. All that can be done with it is to
// read and to back up. One that a newer program wrote is an *ErrNewer.
func OpenUnchanged(ctx context.Context, path string, o Options) (*Store, error) {
	return openUnchanged(ctx, path, "rw", o)
}

// OpenReadOnly is [OpenUnchanged] without a trace: not even what lies in the
// write-ahead log is taken over into the file at the end.
func OpenReadOnly(ctx context.Context, path string, o Options) (*Store, error) {
	return openUnchanged(ctx, path, "ro", o)
}

// openUnchanged opens with a mode of SQLite. With "ro" nothing is done to the
// file even at the end, where the last connection of "rw" takes what lies in
// the write-ahead log over into it.
func openUnchanged(ctx context.Context, path, mode string, o Options) (*Store, error) {
	path, err := filepath.EvalSymlinks(path) // the locks are named after the file itself
	if err != nil {
		return nil, err
	}
	if err := errors.Join(RegisterOnce(), LockSafely()); err != nil {
		return nil, err
	}
	s := &Store{path: path, zone: o.Zone, now: o.Now}
	if s.zone == nil {
		s.zone = time.UTC
	}
	pragmas := maps.Clone(ReaderPragmas)
	pragmas["mode"] = []string{mode}
	if s.read, err = sql.Open("sqlite", Dsn(path, pragmas)); err != nil {
		return nil, err
	}
	s.read.SetMaxOpenConns(maxReaders)
	if err := s.ours(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, s.Close()))
	}
	return s, nil
}

// ours refuses what this program did not write, or would not understand.
func (s *Store) ours(ctx context.Context) error {
	version, err := SchemaVersion(ctx, s.read)
	if failure, ok := errors.AsType[*sqlite.Error](err); ok && failure.Code()&0xff == sqlite3.SQLITE_NOTADB {
		return ErrForeign
	}
	if err != nil {
		return err
	}
	var tables int
	err = s.read.QueryRowContext(ctx,
		`SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('meta', 'commissions', 'coverage')`).Scan(&tables)
	if err != nil {
		return err
	}
	if version == 0 || tables != 3 {
		return ErrForeign
	}
	names, err := fs.Glob(Migrations, "migrations/*.sql")
	if err == nil && version > len(names) {
		return &ErrNewer{Database: version, Program: len(names)}
	}
	return err
}
