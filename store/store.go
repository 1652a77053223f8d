package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
)

// Options configures a store.
type Options struct {
	Zone *time.Location   // of the reporting day; nil is UTC
	Now  func() time.Time // stamps writes; nil is time.Now

	// AuditKey is the key of the audit log, see [Store.UseAuditKey]. Without it audited
	// writes are refused.
	AuditKey []byte
}

// Store is an open database. It is safe for concurrent use.
type Store struct {
	path  string
	zone  *time.Location
	now   func() time.Time
	write *sql.DB // one connection: SQLite has one writer at a time
	read  *sql.DB // refuses to write
	// beside is for long readings next to one of read. They pass each page once, so that
	// memory for pages would be wasted on them.
	beside *sql.DB
	codes  inviteCodes

	auditKey []byte // nil: audited writes are refused
}

// Open opens the database at path, creates it if it does not exist, and brings its schema
// up to date.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	s := &Store{path: path, zone: o.Zone, now: o.Now}
	if s.zone == nil {
		s.zone = time.UTC
	}
	if s.now == nil {
		s.now = time.Now
	}
	err := s.open(ctx)
	if err == nil && o.AuditKey != nil {
		err = s.UseAuditKey(ctx, o.AuditKey)
	}
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", path, errors.Join(err, s.Close()))
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) error {
	if err := RegisterOnce(); err != nil {
		return err
	}
	if err := LockSafely(); err != nil {
		return err
	}
	var err error
	if s.path, err = createPrivate(s.path); err != nil {
		return err
	}
	if s.write, err = connect(s.path, writerPragmas); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	if err := migrate(ctx, s.write); err != nil {
		return err
	}
	if s.read, err = connect(s.path, ReaderPragmas); err != nil {
		return err
	}
	s.read.SetMaxOpenConns(maxReaders)
	s.read.SetMaxIdleConns(maxReaders)
	// Each connection keeps pages in memory, which would be wasted once a burst of readers
	// is over.
	s.read.SetConnMaxIdleTime(time.Minute)
	if err := s.openBeside(ReaderPragmas); err != nil {
		return err
	}
	if err := s.Ping(ctx); err != nil {
		return err
	}
	// The connection that migrated is closed; the first write opens another one. The engine
	// lets all connections of the process share what they may keep in memory together, so
	// that an export would fill the share of a writer that has nothing to do.
	s.write.SetMaxIdleConns(0)
	s.write.SetMaxIdleConns(1)
	return nil
}

func (s *Store) openBeside(pragmas url.Values) (err error) {
	pragmas = maps.Clone(pragmas)
	pragmas["_pragma"] = []string{"cache_size(-1024)", "temp_store(MEMORY)"}
	if s.beside, err = connect(s.path, pragmas); err != nil {
		return err
	}
	s.beside.SetConnMaxIdleTime(time.Minute)
	return nil
}

// FULL has no measurable cost at one commit per slice, and NORMAL may lose acknowledged
// commits in a power failure.
var writerPragmas = url.Values{
	"_busy_timeout": {"10000"},
	"_journal_mode": {"WAL"},
	"_synchronous":  {"FULL"},
	"_foreign_keys": {"1"},
	"_txlock":       {"immediate"},
	"_dqs":          {"0"},
	"_defensive":    {"1"},
	"_pragma":       {"cache_size(-32768)", "temp_store(MEMORY)", "wal_autocheckpoint(16000)", "journal_size_limit(67108864)"},
}

var ReaderPragmas = url.Values{
	"_busy_timeout": {"10000"},
	"_query_only":   {"1"},
	"_dqs":          {"0"},
	"_defensive":    {"1"},
	"_pragma":       {"cache_size(-16384)", "temp_store(MEMORY)"},
}

func Dsn(path string, pragmas url.Values) string {
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: pragmas.Encode()}).String()
}

// maxReaders is how many states can be read at once. An export holds one for as long as its
// recipient reads; a caller that serves exports must allow fewer than this, so that a page
// always finds one. Those of [Tx.Beside] do not count.
const maxReaders = 16

// LockSafely makes SQLite use locks that survive when other code in this process opens and
// closes the database file. It works on Linux only; elsewhere the store uses ordinary locks
// and never touches its file by path.
func LockSafely() error {
	_, err := sqlite.OFDLocking(true)
	if errors.Is(err, sqlite.ErrOFDLockingUnavailable) {
		return nil
	}
	return err
}

// createPrivate creates a missing database file with permissions for its owner only, and
// returns its path without symbolic links. SQLite gives its side files the permissions of
// the file, and it follows links: a dangling link would become a file that every user can
// read.
func createPrivate(path string) (string, error) {
	if target, err := os.Readlink(path); err == nil {
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		if again, err := os.Readlink(target); err == nil {
			return "", fmt.Errorf("is a link to a link (%s): set REBATEDESK_DB to the file itself", again)
		}
		path = target
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	switch {
	case err == nil:
		return path, f.Close()
	case errors.Is(err, fs.ErrExist):
		return path, nil
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the folder %s does not exist: make it, or set REBATEDESK_DB to another place", filepath.Dir(path))
	}
	return "", fmt.Errorf("cannot be made there: %w", err)
}

// Close ends all connections. A nil or half-opened store closes too.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.beside, s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// Zone returns the zone of the reporting day.
func (s *Store) Zone() *time.Location { return s.zone }

// Ping reports whether the database can be read.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return s.read.QueryRowContext(ctx, `SELECT id FROM meta`).Scan(&one)
}

// Path returns the path of the database.
func (s *Store) Path() string { return s.path }

// Now returns the time of the store's clock.
func (s *Store) Now() time.Time { return s.now() }

// Readers returns the connections that read. Use them for a single query and for operations
// of the engine: a copy of the file, a pragma.
func (s *Store) Readers() *sql.DB { return s.read }

// Writer returns the only connection that writes.
func (s *Store) Writer() *sql.DB { return s.write }
