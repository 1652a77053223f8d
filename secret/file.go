package secret

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
	key = NewKey()
	name, err := draft(path, key)
	if err != nil {
		return MasterKey{}, err
	}
	defer func() { err = errors.Join(err, os.Remove(name)) }()
	// A link, unlike a rename, never replaces another file.
	if err := os.Link(name, path); err != nil {
		return MasterKey{}, err
	}
	return key, syncFolder(filepath.Dir(path))
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// ReplaceFile writes a key into a file, in place of one that is there, readable only by its owner. A
// process that ends leaves the former or the new file, and the new one is on the disk when ReplaceFile
// returns.
func ReplaceFile(path string, key MasterKey) (err error) {
	name, err := draft(path, key)
	if err != nil {
		return err
	}
	if err := os.Rename(name, path); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return syncFolder(filepath.Dir(path))
}

// draft writes a key into a new file beside path, with another name.
func draft(path string, key MasterKey) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".key-*") // for its owner only
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(key.Text() + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
