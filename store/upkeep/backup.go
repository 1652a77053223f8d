package upkeep

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// ErrBackupRunning means that another process is backing up this database.
var ErrBackupRunning = errors.New("another backup of this database is being made; wait for it, or stop it")

// Copy is a finished backup.
type Copy struct {
	File     string
	Checksum string // the checksum file: SHA-256 in the format of sha256sum
	Bytes    int64
	Contents Contents
}

// Backup writes the current state of the database to file, which must not exist, as one
// file that only its owner can read. The database may be in use: a backup blocks no other
// process, and it contains one state whatever is written meanwhile. The backup appears
// under its name only when it is complete and on the disk, and has been compared with the
// database: every page, the rows of every table, the exact sums of commission. Its checksum
// file exists by then.
//
// The master key, which protects the secrets of the database, is not part of the backup.
func Backup(ctx context.Context, s *store.Store, file string) (Copy, error) {
	ctx, release, err := lockBackup(ctx, s)
	if err != nil {
		return Copy{}, err
	}
	made, err := backup(ctx, s, file)
	return made, errors.Join(err, release())
}

// lockBackup takes the lease that allows this process to back up the database.
func lockBackup(ctx context.Context, s *store.Store) (context.Context, func() error, error) {
	ctx, release, err := s.Lock(ctx, store.BackupLease)
	if errors.Is(err, store.ErrLocked) {
		err = ErrBackupRunning
	}
	return ctx, release, err
}

func backup(ctx context.Context, s *store.Store, file string) (made Copy, err error) {
	defer func() {
		if err != nil {
			made, err = Copy{}, fmt.Errorf("backup to %s: %w", file, noRoom(err))
		}
	}()
	for _, ending := range beside {
		if strings.HasSuffix(file, ending) {
			return made, fmt.Errorf("a name that ends in %s belongs to a database at work: name another file", ending)
		}
	}
	d, err := newDraft(file)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, d.drop()) }()
	if err := removeLoneChecksum(file); err != nil {
		return made, err
	}
	if made.Contents, err = copyTo(ctx, s, d.path); err != nil {
		return made, err
	}
	if err := checkCopy(ctx, d.path, made.Contents); err != nil {
		return made, err
	}
	info, err := os.Stat(d.path)
	if err != nil {
		return made, err
	}
	anchor, err := anchorIn(ctx, d.path, s)
	if err != nil {
		return made, err
	}
	checksum, err := d.addChecksum(ctx, anchor)
	if err != nil {
		return made, err
	}
	made.File, made.Checksum, made.Bytes = file, checksum.final, info.Size()
	if err := checksum.publish(); err != nil {
		return made, err
	}
	if err := d.publish(); err != nil {
		return made, errors.Join(err, os.Remove(checksum.final))
	}
	return made, nil
}

// anchorIn returns the line of a checksum file about how far the audit log in a finished copy is. It
// is empty if the log was never begun, or the schema has none yet.
func anchorIn(ctx context.Context, path string, s *store.Store) (line string, err error) {
	copied, err := store.OpenReadOnly(ctx, path, store.Options{})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	r, err := copied.Read(ctx)
	if err != nil {
		return "", err
	}
	defer r.Close()
	tables, err := r.Tables(ctx)
	if err != nil || !slices.Contains(tables, "audit_head") {
		return "", err
	}
	a, found, err := audit.ReadAnchor(ctx, r, s.Now())
	if err != nil || !found {
		return "", err
	}
	return "# audit log " + a.Line() + "\n", nil
}

// noRoom says how to handle a full disk. It is always the disk of the backup, because the
// database is only read.
func noRoom(err error) error {
	failure, ok := errors.AsType[*sqlite.Error](err)
	if ok && failure.Code()&0xff == sqlite3.SQLITE_FULL || errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("no space left there: make room on that disk, or name a place on another one (%w)", err)
	}
	return err
}

// copyTo copies one state of the database into an empty file, and returns the contents of
// that state.
func copyTo(ctx context.Context, s *store.Store, path string) (Contents, error) {
	if store.IsURL(s.Path()) {
		return copyRowsToFile(ctx, s, path, silent)
	}
	conn, err := s.Readers().Conn(ctx)
	if err != nil {
		return Contents{}, err
	}
	defer conn.Close()
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return Contents{}, err
	}
	defer tx.Rollback()
	// This first read fixes the state from which the pages are then copied.
	contents, err := ReadContents(ctx, s.Within(tx))
	if err != nil {
		return Contents{}, err
	}
	if err := copyPages(ctx, conn, path); err != nil {
		return Contents{}, fmt.Errorf("copying: %w", err)
	}
	return contents, settle(ctx, path)
}

// copyBatch is how many pages are copied between two checks of the context: 4 MiB.
const copyBatch = 1024

// copyPages copies all pages that the open transaction of conn sees. Outside a transaction,
// every write by another process would restart the copy.
func copyPages(ctx context.Context, conn *sql.Conn, path string) error {
	return conn.Raw(func(raw any) (err error) {
		source, ok := raw.(interface {
			NewBackup(string) (*sqlite.Backup, error)
		})
		if !ok {
			return fmt.Errorf("the connection is a %T, which cannot copy", raw)
		}
		b, err := source.NewBackup(store.Dsn(path, draftPragmas))
		if err != nil {
			return err
		}
		defer func() {
			if end := b.Finish(); err == nil {
				err = end // otherwise it is the same error again
			}
		}()
		for more := true; more; {
			if err := ctx.Err(); err != nil {
				return err
			}
			if more, err = b.Step(copyBatch); err != nil {
				return err
			}
		}
		return nil
	})
}

// draftPragmas are for a file that is discarded on any error: it is synced to the disk
// once, at the end.
var draftPragmas = url.Values{
	"mode":         {"rw"},
	"_synchronous": {"OFF"},
	"_pragma":      {"locking_mode(EXCLUSIVE)", "journal_mode(OFF)", "cache_size(-4096)", "temp_store(MEMORY)"},
}

// settle turns a copied database into a single file that can be read from a read-only
// folder: the header of the copy says that a write-ahead log exists. The copy counts its writes
// anew, so that it is not taken for its original.
func settle(ctx context.Context, path string) (err error) {
	pragmas := url.Values{"mode": {"rw"}, "_synchronous": {"OFF"}, "_pragma": {"locking_mode(EXCLUSIVE)"}}
	db, err := sql.Open("sqlite", store.Dsn(path, pragmas))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var mode string
	if err := db.QueryRowContext(ctx, `PRAGMA journal_mode = DELETE`).Scan(&mode); err != nil {
		return err
	}
	if mode != "delete" {
		return fmt.Errorf("the copy keeps its journal mode %s", mode)
	}
	return store.CountAnew(ctx, db)
}

// checkCopy reads a closed copy completely and compares it with its original.
func checkCopy(ctx context.Context, path string, want Contents) (err error) {
	s, err := store.OpenReadOnly(ctx, path, store.Options{})
	if err != nil {
		return fmt.Errorf("opening the copy: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := CheckIntegrity(ctx, s); err != nil {
		return fmt.Errorf("the copy is not sound: %w", err)
	}
	got, err := contents(ctx, s)
	if err != nil {
		return err
	}
	if words := want.Differences(got); len(words) > 0 {
		return fmt.Errorf("the copy is not what was copied: %s", strings.Join(words, "; "))
	}
	return nil
}

// contents is [ReadContents] in a separate transaction.
func contents(ctx context.Context, s *store.Store) (Contents, error) {
	r, err := s.Read(ctx)
	if err != nil {
		return Contents{}, err
	}
	defer r.Close()
	return ReadContents(ctx, r)
}
