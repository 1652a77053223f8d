package upkeep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// draft is an unfinished database file. It lies next to its final place under a different
// name, so that the final place never holds an unfinished file.
type draft struct{ path, final string }

// draftMark is part of the name of every draft, after its final name.
const draftMark = ".partial-"

// beside are the suffixes of the files that SQLite keeps next to a database.
var beside = []string{"-wal", "-shm", "-journal"}

// newDraft creates a file for final, which must not exist, readable only by its owner. It
// removes the earlier drafts for final of processes that died: only one process may work on
// it, and the caller holds a lock for that.
func newDraft(final string) (*draft, error) {
	if err := vacant(final); err != nil {
		return nil, err
	}
	dir, name := filepath.Split(final)
	if err := removeLeft(filepath.Clean(dir), name+draftMark); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Clean(dir), name+draftMark+"*")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the folder %s does not exist: make it, or name another one", filepath.Clean(dir))
	}
	if err != nil {
		return nil, err
	}
	return &draft{path: f.Name(), final: final}, f.Close()
}

// vacant refuses a path that exists, even a dangling link.
func vacant(path string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return fmt.Errorf("%s is there already and is not written over: name another file, or move it away", path)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// removeLeft removes the files of a folder whose names have a prefix.
func removeLeft(dir, begin string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var errs []error
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), begin) {
			errs = append(errs, os.RemoveAll(filepath.Join(dir, entry.Name())))
		}
	}
	return errors.Join(errs...)
}

// publish gives the draft its final name once all of it is on the disk. If a file with that
// name exists by now, that file is left alone. SQLite must have closed the draft.
func (d *draft) publish() error {
	if err := toDisk(d.path); err != nil {
		return err
	}
	// A link never replaces an existing file; a rename would.
	switch err := os.Link(d.path, d.final); {
	case err == nil:
		if err := os.Remove(d.path); err != nil {
			return err
		}
	case errors.Is(err, fs.ErrExist):
		return vacant(d.final)
	default: // no support for links, as on many network disks
		if err := vacant(d.final); err != nil {
			return err
		}
		if err := os.Rename(d.path, d.final); err != nil {
			return err
		}
	}
	return toDisk(filepath.Dir(d.final))
}

// drop removes the files of the draft; after publish there are none.
func (d *draft) drop() error {
	var errs []error
	for _, ending := range append([]string{"", checksumEnding}, beside...) {
		if err := os.Remove(d.path + ending); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// toDisk waits until a file or a folder is on the disk.
func toDisk(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
