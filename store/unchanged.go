package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrForeign is returned for a file that is not a database of this program.
var ErrForeign = errors.New("is no database of Rebatedesk")

// OpenUnchanged opens the database at path unchanged: it does not create it, migrate it or
// write to it. The store can only be read and backed up. A database written by a newer
// program returns an *ErrNewer.
func OpenUnchanged(ctx context.Context, path string, o Options) (*Store, error) {
	return openUnchanged(ctx, path, "rw", o)
}

// OpenReadOnly is [OpenUnchanged] without a trace: it does not even copy the write-ahead
// log into the file when it closes.
func OpenReadOnly(ctx context.Context, path string, o Options) (*Store, error) {
	return openUnchanged(ctx, path, "ro", o)
}

// openUnchanged opens the database with a mode of SQLite. "ro" never changes the file,
// whereas the last connection of "rw" copies the write-ahead log into it when it closes.
func openUnchanged(ctx context.Context, path, mode string, o Options) (*Store, error) {
	path, err := filepath.EvalSymlinks(path) // the locks are named after the resolved file
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
	if s.read, err = connect(path, pragmas); err != nil {
		return nil, err
	}
	s.read.SetMaxOpenConns(maxReaders)
	if err := s.openBeside(pragmas); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.ours(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, s.Close()))
	}
	return s, nil
}

// ours refuses a file that this program did not write or would not understand.
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
