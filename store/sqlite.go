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
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"rebatedesk/affiliate"
)

// sqliteEngine is a database in one file.
type sqliteEngine struct {
	path  string
	mode  string // of SQLite: rwc creates a missing file, ro never changes the file
	draft bool   // the file is worthless after an error
}

// newSQLite returns the engine of the file at path, and creates the file for mode rwc.
func newSQLite(path, mode string) (*sqliteEngine, error) {
	if err := errors.Join(RegisterOnce(), LockSafely()); err != nil {
		return nil, err
	}
	var err error
	if mode == "rwc" {
		path, err = createPrivate(path)
	} else {
		path, err = filepath.EvalSymlinks(path) // the locks are named after the resolved file
	}
	if err == nil {
		err = checkWriteLog(path)
	}
	if err != nil {
		return nil, err
	}
	return &sqliteEngine{path: path, mode: mode}, nil
}

func (e *sqliteEngine) place() string { return e.path }

func (e *sqliteEngine) connect(for_ purpose) (*sql.DB, error) {
	pragmas := maps.Clone(ReaderPragmas)
	switch for_ {
	case forWriting:
		pragmas = maps.Clone(writerPragmas)
	case forReadingBeside:
		pragmas["_pragma"] = []string{"cache_size(-1024)", "temp_store(MEMORY)"}
	}
	if e.draft {
		pragmas["_journal_mode"], pragmas["_synchronous"] = []string{"OFF"}, []string{"OFF"}
		delete(pragmas, "_defensive") // it would keep the journal
	}
	pragmas["mode"] = []string{e.mode}
	return connect(e.path, pragmas)
}

// check does nothing: a file of another program is refused when its schema is read.
func (e *sqliteEngine) check(context.Context, *sql.DB) error { return nil }

func (e *sqliteEngine) begin(ctx context.Context, db *sql.DB, writes bool) (*sql.Tx, error) {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: !writes}) // writerPragmas make it immediate
	if err != nil || !writes || e.draft {
		return tx, err
	}
	if err := nextSerial(ctx, tx); err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return tx, nil
}

func (e *sqliteEngine) layout(context.Context, *sql.DB) error { return nil }

func (e *sqliteEngine) settle(context.Context, *sql.DB, affiliate.Millis, int64) {}

func (e *sqliteEngine) warned() int64 { return 0 }

func (e *sqliteEngine) leading(s *Store) (leading, error) { return &fileLocks{store: s}, nil }

func (e *sqliteEngine) schema(text string) []string { return []string{text} }

// version is the first query on a connection. While another process creates the journal of
// a new database, SQLite refuses connections at once instead of waiting as usual.
func (e *sqliteEngine) version(ctx context.Context, r Asker) (version int, err error) {
	for range 100 {
		err = r.QueryRowContext(ctx, `SELECT user_version FROM pragma_user_version`).Scan(&version)
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

// lockSchema reads the version: a transaction that writes is the only one. It also reads
// the schema. Another process may have changed it since this connection read it, which
// SQLite notices when it runs a query, but not when it parses an ALTER TABLE.
func (e *sqliteEngine) lockSchema(ctx context.Context, tx *sql.Tx) (version int, err error) {
	var tables int
	err = tx.QueryRowContext(ctx, `SELECT user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version`).Scan(&version, &tables)
	return version, err
}

// setVersion writes the version. A pragma takes no parameters; the version is a number of
// this program.
func (e *sqliteEngine) setVersion(ctx context.Context, tx *sql.Tx, version int) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, version))
	return err
}

func (e *sqliteEngine) catalogue() catalogue {
	return catalogue{
		tables:     `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`,
		damage:     `SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'`,
		examined:   "every page and index",
		columns:    `SELECT name FROM pragma_table_info(?) ORDER BY cid`,
		references: `SELECT m.name, f."table" FROM sqlite_schema m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`,
		quick:      `SELECT quick_check FROM pragma_quick_check WHERE quick_check <> 'ok' LIMIT 20`,
	}
}

func (e *sqliteEngine) orphans(ctx context.Context, r *Tx) ([]string, error) {
	return ReadColumn[string](ctx, r, `SELECT "table" || ' refers to nothing in ' || parent FROM pragma_foreign_key_check`)
}

func (e *sqliteEngine) guardsGone(ctx context.Context, r Asker) (int, error) {
	found, err := ReadColumn[string](ctx, r,
		`SELECT sql FROM sqlite_schema WHERE type = 'trigger'`)
	if err != nil {
		return 0, err
	}
	gone := strings.Count(schema, "CREATE TRIGGER")
	for _, trigger := range found {
		if strings.Contains(schema, trigger) {
			gone--
		}
	}
	return gone, nil
}

// unguarded drops the triggers and creates them again with the same text.
func (e *sqliteEngine) unguarded(ctx context.Context, tx *Tx, f func() error) error {
	names, err := ReadColumn[string](ctx, tx, `SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name`)
	if err != nil {
		return err
	}
	texts, err := ReadColumn[string](ctx, tx, `SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name`)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := tx.ExecContext(ctx, `DROP TRIGGER `+name); err != nil {
			return err
		}
	}
	if err := f(); err != nil {
		return err
	}
	for _, text := range texts {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// highest returns the numbers of the tables with AUTOINCREMENT. Others give the number of a
// removed last row again.
func (e *sqliteEngine) highest(ctx context.Context, tx *Tx) ([]numbered, error) {
	return Scanned(ctx, tx, func(rows *sql.Rows) (n numbered, err error) {
		err = rows.Scan(&n.table, &n.highest)
		return n, err
	}, `SELECT name, seq FROM sqlite_sequence ORDER BY name`)
}

// raise changes the tables with AUTOINCREMENT. A table without rows has no entry yet.
func (e *sqliteEngine) raise(ctx context.Context, tx *Tx, marks []numbered) error {
	for _, mark := range marks {
		for _, statement := range []string{
			`INSERT INTO sqlite_sequence (name, seq) SELECT name, 0 FROM sqlite_schema
				WHERE name = ?1 AND sql LIKE '%AUTOINCREMENT%' AND ?2 > 0 AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)`,
			`UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1`,
		} {
			if _, err := tx.ExecContext(ctx, statement, mark.table, mark.highest); err != nil {
				return err
			}
		}
	}
	return nil
}

// again is false: one transaction waits for the other.
func (e *sqliteEngine) again(error) bool { return false }

func (e *sqliteEngine) foreign(err error) bool {
	failure, ok := errors.AsType[*sqlite.Error](err)
	return ok && failure.Code()&0xff == sqlite3.SQLITE_NOTADB
}

// survey does nothing: the planner of SQLite is led by the statements.
func (e *sqliteEngine) survey(context.Context, *sql.DB) {}

// batch returns a number of rows that makes the cost of a statement small, and stays far
// below SQLite's limit of parameters.
func (e *sqliteEngine) batch() (rows int, copies bool) { return 100, false }

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
	"_pragma":       {"cache_size(-4096)", "temp_store(MEMORY)"},
}

func Dsn(path string, pragmas url.Values) string {
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: pragmas.Encode()}).String()
}

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

// fileSize returns the size of a file in bytes, 0 if it does not exist. The file is not
// opened, because closing it would release SQLite's locks on some systems.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
