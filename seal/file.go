package seal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxFile bounds what is read of a key file, which may be another by mistake.
const maxFile = 1 << 10

// ReadFile reads the key of a file. The error is fs.ErrNotExist where there is
// none, and never holds what the file does.
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

// MakeFile puts a new key into a file of its own, readable by its owner only,
// and gives the key. A file that is there already is left as it is, which is
// fs.ErrExist. The file appears whole or not at all, and is on the disk when
// MakeFile returns: what is sealed with a lost key is lost.
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
	// A link, unlike a new name, never takes the place of another file.
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
