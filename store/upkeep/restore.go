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

// RestoreOptions are what a backup is restored with.
type RestoreOptions struct {
	store.Options      // AuditKey is the key at hand; without one the audit log is not proved
	Rebuild       bool // make the roll-ups anew from the records before all is proved
}

// Restored is a database made of a backup.
type Restored struct {
	Path     string
	Checksum bool                 // there was one beside the backup, and it is the backup's
	Contents Contents             // of the backup
	Schema   int                  // that it was brought up to
	KeyID    string               // of the key its audit log was begun with, see [Store.AuditKeyID]
	Findings []store.VerifyResult // of [Verify]; all sound, but an audit log that no key was there to prove
}

// ErrRollups means that the roll-ups of a backup are not those of its records,
// and that nothing else was found wrong. Where the records are sound, the
// roll-ups can be made anew.
var ErrRollups = errors.New("either the roll-ups are damaged, or the records that they are made from")

// Restore makes the database at path, where there must be nothing, of a backup,
// and brings its schema up to date. The backup is read through SQLite and left
// as it is: even one that is a database at work gives a whole state. Before the
// restored database is found under path, the backup was compared with the
// checksum beside it, and the database with the backup; and all that
// [Verify] checks was found sound. A backup of a newer program is an
// *ErrNewer, another file than a backup [ErrForeign], a key at hand that is not
// the backup's [ErrAuditKey], and damaged roll-ups are [ErrRollups].
func Restore(ctx context.Context, file, path string, o RestoreOptions) (Restored, error) {
	// Who collects into a database that was at path still holds its lock.
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

// wholePages refuses a file that ends within a page: SQLite reads the rest of
// that page as zeros.
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

// keyFits refuses a key that the audit log was not begun with; nil is no key. A
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

// renew opens the database at path as the program does at work, which brings
// its schema up to date, looks whether the commission is still the same, and
// proves all of it.
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

// remakeRollups makes the roll-ups anew without the stamp of a write, which
// would cover up one that is wrong.
func remakeRollups(ctx context.Context, s *store.Store) error {
	if err := s.UpdateQuietly(ctx, func(tx *store.Tx) error { return records.RemakeRollups(ctx, s, tx) }); err != nil {
		return fmt.Errorf("making the roll-ups anew: %w", err)
	}
	return nil
}

// prove keeps the findings about the database, and gives those that are faults
// as one error, a line for each check.
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

// vacantBeside refuses a place beside which files of a database lie: SQLite
// would take them for those of the one that is put there.
func vacantBeside(path string) error {
	for _, ending := range beside {
		if _, err := os.Lstat(path + ending); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s%s is there: it belongs to a database that was at %s and may be in use; move it away", path, ending, filepath.Base(path))
		}
	}
	return nil
}
