package upkeep

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rebatedesk/store"
	"rebatedesk/store/records"
)

// RestoreOptions configures a restore.
type RestoreOptions struct {
	store.Options      // without an AuditKey the audit log is not proved
	Rebuild       bool // rebuild the roll-ups from the records before all is proved
}

// Restored is a database restored from a backup.
type Restored struct {
	Path     string
	Checksum bool                 // a checksum file existed and matched the backup
	Contents Contents             // of the backup
	Schema   int                  // after its migration
	KeyID    string               // of the key of its audit log, see [Store.AuditKeyID]
	Findings []store.VerifyResult // of [Verify]; all sound, except an audit log without a key to prove it
}

// ErrRollups means that the roll-ups of a backup do not match its records, and that nothing
// else was found wrong. If the records are sound, the roll-ups can be rebuilt.
var ErrRollups = errors.New("either the roll-ups are damaged, or the records that they are made from")

// Restore creates the database at path, which must not exist, from a backup, and migrates
// its schema. It reads the backup through SQLite and does not change it: even a database in
// use yields a consistent state. The restored database appears under path only after the
// backup has been compared with its checksum file, the database has been compared with the
// backup, and everything that [Verify] checks was found sound. A backup of a newer program
// is an *ErrNewer, a file that is no backup [ErrForeign], a key that does not belong to the
// backup [ErrAuditKey], and damaged roll-ups are [ErrRollups].
//
// If path is the URL of a database, it must be empty. The backup is then restored into a
// file in the folder of temporary files first, where all of this is proved, and copied from
// there.
func Restore(ctx context.Context, file, path string, o RestoreOptions) (Restored, error) {
	if store.IsURL(path) {
		return restoreToServer(ctx, file, path, o)
	}
	// A process that collects into a database formerly at path still holds its lock.
	release, err := store.LockCollectorAt(path)
	if err != nil {
		return Restored{}, fmt.Errorf("restoring %s: %w", path, err)
	}
	done, err := restore(ctx, file, path, o)
	if err = errors.Join(err, release()); err != nil {
		return Restored{}, fmt.Errorf("restoring %s: %w", path, noRoom(err))
	}
	return done, nil
}

func restoreToServer(ctx context.Context, file, place string, o RestoreOptions) (done Restored, err error) {
	to, err := store.Open(ctx, place, o.Options)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	dir, err := os.MkdirTemp("", "rebatedesk-restore-")
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if done, err = Restore(ctx, file, filepath.Join(dir, "restored.db"), o); err != nil {
		return done, err
	}
	from, err := store.Open(ctx, done.Path, o.Options)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	done.Path = to.Path()
	_, err = transferTo(ctx, from, to, silent)
	return done, err
}

func restore(ctx context.Context, file, path string, o RestoreOptions) (done Restored, err error) {
	if err := errors.Join(vacant(path), vacantBeside(path)); err != nil {
		return done, err
	}
	done.Path = path
	if done.Checksum, err = compareChecksum(ctx, file); err != nil {
		return done, err
	}
	backup, err := store.OpenReadOnly(ctx, file, o.Options)
	if err != nil {
		return done, fmt.Errorf("opening the backup: %w", err)
	}
	defer func() { err = errors.Join(err, backup.Close()) }()
	if err := wholePages(ctx, backup); err != nil {
		return done, err
	}
	if err := keyFits(ctx, backup, o.AuditKey); err != nil {
		return done, err
	}
	if err := ownSchema(ctx, backup); err != nil {
		return done, err
	}
	d, err := newDraft(path)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, d.drop()) }()
	if done.Contents, err = copyTo(ctx, backup, d.path); err != nil {
		return done, fmt.Errorf("reading the backup: %w", err)
	}
	if err := checkCopy(ctx, d.path, done.Contents); err != nil {
		return done, err
	}
	if err := done.renew(ctx, d.path, o); err != nil {
		return done, err
	}
	return done, d.publish()
}

// wholePages refuses a file that ends within a page: SQLite would read the rest of that
// page as zeros.
func wholePages(ctx context.Context, s *store.Store) error {
	var page int64
	if err := s.Readers().QueryRowContext(ctx, `PRAGMA page_size`).Scan(&page); err != nil {
		return err
	}
	info, err := os.Stat(s.Path())
	if err != nil {
		return err
	}
	if over := info.Size() % page; over != 0 {
		return fmt.Errorf("the backup is not whole: it has %d bytes, which is %d more than its pages of %d have; it was cut off, so copy it again or take another backup", info.Size(), over, page)
	}
	return nil
}

// ownSchema refuses a backup in which someone else made or removed a table, a view or a trigger:
// it would run in the restored database, and already while the schema is brought up to date.
func ownSchema(ctx context.Context, s *store.Store) error {
	tx, err := s.Read(ctx)
	if err != nil {
		return err
	}
	defer tx.Close()
	faults, err := foreignObjects(ctx, tx)
	if err == nil && len(faults) > 0 {
		err = fmt.Errorf("the backup was changed by somebody else: %s (%d faults in all); take another backup", faults[0], len(faults))
	}
	return err
}

// keyFits refuses a key with which the audit log was not begun; a nil key is not checked. A
// database of an early schema has no audit log.
func keyFits(ctx context.Context, s *store.Store, key []byte) error {
	if key == nil {
		return nil
	}
	var there bool
	err := s.Readers().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'audit_head')`).Scan(&there)
	if err != nil || !there {
		return err
	}
	var begun string
	err = s.Readers().QueryRowContext(ctx, `SELECT key_id FROM audit_head`).Scan(&begun)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err == nil && begun != store.AuditKeyID(key):
		return store.ErrAuditKey
	}
	return err
}

// renew opens the database at path as the program does in operation, which migrates its
// schema, checks that the commission is unchanged, and proves all of it.
func (d *Restored) renew(ctx context.Context, path string, o RestoreOptions) (err error) {
	s, err := store.Open(ctx, path, o.Options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := records.MakeRollups(ctx, s); err != nil {
		return err
	}
	if o.Rebuild {
		if err := remakeRollups(ctx, s); err != nil {
			return err
		}
	}
	got, err := contents(ctx, s)
	if err != nil {
		return err
	}
	if words := d.Contents.otherSums(got); len(words) > 0 {
		return fmt.Errorf("bringing the schema up to date changed what is told: %s", strings.Join(words, "; "))
	}
	d.Schema = got.Schema
	if d.KeyID, err = s.AuditKeyID(ctx); err != nil {
		return err
	}
	return d.prove(ctx, s)
}

// remakeRollups rebuilds the roll-ups without stamping a write, because a new stamp would
// hide a wrong one.
func remakeRollups(ctx context.Context, s *store.Store) error {
	if err := s.UpdateQuietly(ctx, func(tx *store.Tx) error { return records.RemakeRollups(ctx, s, tx) }); err != nil {
		return fmt.Errorf("making the roll-ups anew: %w", err)
	}
	return nil
}

// prove stores the findings about the database and returns the faults among them as one
// error, one line per check.
func (d *Restored) prove(ctx context.Context, s *store.Store) error {
	var faults []error
	rollups := false
	for f, err := range Verify(ctx, s) {
		if err != nil {
			return errors.Join(append(faults, err)...)
		}
		d.Findings = append(d.Findings, f)
		if !f.Sound() && !f.Unproved {
			faults = append(faults, fmt.Errorf("the backup is not sound: %s: %s (%d faults in all)", f.Check, f.Faults[0], f.Count()))
			rollups = rollups || f.Check == checkRollups
		}
	}
	if rollups && len(faults) == 1 {
		faults = append(faults, ErrRollups)
	}
	return errors.Join(faults...)
}

// vacantBeside refuses a path next to which files of a database exist: SQLite would treat
// them as part of the database that is placed there.
func vacantBeside(path string) error {
	for _, ending := range beside {
		if _, err := os.Lstat(path + ending); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s%s is there: it belongs to a database that was at %s and may be in use; move it away", path, ending, filepath.Base(path))
		}
	}
	return nil
}
