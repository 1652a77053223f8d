package main

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io/fs"
	"os"
	"path/filepath"

	"rebatedesk/cmd/webapp/internal/config"
)

// besideDatabase are the suffixes of files that belong to a database. Overwriting
// one loses records.
var besideDatabase = []string{"", "-wal", "-shm", "-journal", ".lock", ".backup.lock", ".server.lock", ".kill", ".key", ".key.new"}

// checkTargets refuses to overwrite the database by an export, or the export by its
// manifest.
func (c *exportCommand) checkTargets(db config.Database) error {
	if err := checkTarget("--output", c.Output, db); err != nil {
		return err
	}
	if err := checkTarget("--manifest", c.Manifest, db); err != nil {
		return err
	}
	if c.Output != "-" && samePlace(c.Output, c.Manifest) && !isFolder(c.Output) {
		return usage("--output and --manifest cannot both be %s: name two files", c.Output)
	}
	return nil
}

// checkTarget refuses to overwrite the database by the file that a flag names.
func checkTarget(flag, target string, db config.Database) error {
	path := db.Beside("")
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		real, err = path, nil // a missing database is reported later
	}
	if err != nil {
		return err
	}
	for _, ending := range besideDatabase {
		if ending == "" && db.Remote() {
			continue // the database is no file
		}
		if samePlace(target, path+ending) || samePlace(target, real+ending) {
			return usage("%s %s belongs to the database: name another file", flag, target)
		}
	}
	return nil
}

// samePlace reports whether two paths name one file, existing or not.
func samePlace(one, other string) bool {
	if one == "" || other == "" {
		return false
	}
	a, errA := os.Stat(one)
	b, errB := os.Stat(other)
	if errA == nil && errB == nil {
		return os.SameFile(a, b)
	}
	one, errA = filepath.Abs(one)
	other, errB = filepath.Abs(other)
	return errA == nil && errB == nil && one == other
}

// checksum counts and hashes the bytes written to it.
type checksum struct {
	hash.Hash
	bytes int64
}

func newChecksum() *checksum { return &checksum{Hash: sha256.New()} }

func (c *checksum) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return c.Hash.Write(p)
}
