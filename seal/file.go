package seal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxFile limits how much of a key file is read, because the path may name another file by
// mistake.
const maxFile = 1 << 10

// ReadFile reads the key of a file. The error is fs.ErrNotExist if the file does not exist,
// and never contains the content of the file.
func ReadFile(path string) (key MasterKey, err error) {
	f, err := os.Open(path)
	if err != nil {
		return MasterKey{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	content, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return MasterKey{}, err
	}
	key, err = ParseKey(strings.TrimSpace(string(content)))
	if err != nil {
		return MasterKey{}, fmt.Errorf("what %s holds %w", path, err)
	}
	return key, nil
}

// MakeFile writes a new key into a new file, readable only by its owner, and returns the
// key. An existing file is left unchanged, and the error is fs.ErrExist. The file appears
// complete or not at all, and is on the disk when MakeFile returns: everything sealed with
// a lost key is lost.
func MakeFile(path string) (key MasterKey, err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".key-*") // for its owner only
	if err != nil {
		return MasterKey{}, err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	key = NewKey()
	_, err = f.WriteString(key.Text() + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return MasterKey{}, err
	}
	// A link, unlike a rename, never replaces another file.
	if err := os.Link(f.Name(), path); err != nil {
		return MasterKey{}, err
	}
	return key, syncFolder(dir)
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
