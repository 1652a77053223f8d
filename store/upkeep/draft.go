package upkeep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// draft is a database file in the making. It lies beside the place it is for,
// under a name of its own, so that nothing unfinished is ever found there.
type draft struct{ path, final string }

// draftMark stands in the name of every draft, after the name it is for.
const draftMark = ".partial-"

// beside are the endings of the files that SQLite keeps beside a database.
var beside = []string{"-wal", "-shm", "-journal"}

// newDraft begins a file for final, where there must be nothing, readable by
// its owner only. What a process that died left of an earlier draft for final
// is removed: only one may be at work, which the caller holds a lock for.
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

// vacant refuses a place where there is something, be it a link to nothing.
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

// removeLeft removes what lies in a folder under names that begin so.
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

// publish gives the draft its name once all of it is on the disk. Where
// something has come to be under that name meanwhile, it is left alone. SQLite
// must have closed the file.
func (d *draft) publish() error {
	if err := toDisk(d.path); err != nil {
		return err
	}
	// A link is never made over an existing file; a rename would be.
	switch err := os.Link(d.path, d.final); {
	case err == nil:
		if err := os.Remove(d.path); err != nil {
			return err
		}
	case errors.Is(err, fs.ErrExist):
		return vacant(d.final)
	default: // no links there, as on many network disks
		if err := vacant(d.final); err != nil {
			return err
		}
		if err := os.Rename(d.path, d.final); err != nil {
			return err
		}
	}
	return toDisk(filepath.Dir(d.final))
}

// drop removes what there is of the draft; after publish there is nothing.
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
