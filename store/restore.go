package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Restored is a database made of a backup.
type Restored struct {
	Path     string
	Contents Contents // of the backup
	Schema   int      // that it was brought up to
	KeyID    string   // of the key its audit log was begun with, see [Store.AuditKeyID]
}

// Restore makes the database at path, where there must be nothing, of a backup,
// and brings its schema up to date. The backup is read through SQLite and left
// as it is: even one that is a database at work gives a whole state. Before the
// restored database is found under path, all of it was checked and compared
// with the backup. A backup of a newer program is an *ErrNewer, another file
// than a backup [ErrForeign].
func Restore(ctx context.Context, file, path string, o Options) (Restored, error) {
	// Who collects into a database that was at path still holds its lock.
	release, err := (&Store{path: path}).LockCollector()
	if err != nil {
		return Restored{}, fmt.Errorf("restoring %s: %w", path, err)
	}
	done, err := restore(ctx, file, path, o)
	if err = errors.Join(err, release()); err != nil {
		return Restored{}, fmt.Errorf("restoring %s: %w", path, noRoom(err))
	}
	return done, nil
}

func restore(ctx context.Context, file, path string, o Options) (done Restored, err error) {
	if err := errors.Join(vacant(path), vacantBeside(path)); err != nil {
		return done, err
	}
	backup, err := openUnchanged(ctx, file, "ro", o)
	if err != nil {
		return done, fmt.Errorf("opening the backup: %w", err)
	}
	defer func() { err = errors.Join(err, backup.Close()) }()
	d, err := newDraft(path)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, d.drop()) }()
	contents, err := backup.copyTo(ctx, d.path)
	if err != nil {
		return done, fmt.Errorf("reading the backup: %w", err)
	}
	if err := checkCopy(ctx, d.path, contents); err != nil {
		return done, err
	}
	done = Restored{Path: path, Contents: contents}
	if err := done.renew(ctx, d.path, o); err != nil {
		return done, err
	}
	return done, d.publish()
}

// renew opens the database at path as the program does at work, which brings
// its schema up to date, and looks whether the commission is still the same.
func (d *Restored) renew(ctx context.Context, path string, o Options) (err error) {
	s, err := Open(ctx, path, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	got, err := s.contents(ctx)
	if err != nil {
		return err
	}
	if words := d.Contents.otherSums(got); len(words) > 0 {
		return fmt.Errorf("bringing the schema up to date changed what is told: %s", strings.Join(words, "; "))
	}
	d.Schema = got.Schema
	d.KeyID, err = s.AuditKeyID(ctx)
	return err
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
