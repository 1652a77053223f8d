package main

import (
	"os"
	"path/filepath"
)

// besideDatabase are the endings of files that belong to a database. Whoever
// puts another file in the place of one loses records.
var besideDatabase = []string{"", "-wal", "-shm", "-journal", ".lock", ".backup.lock", ".kill", ".key"}

// checkTargets refuses to write where an export would take the place of the
// database, or its manifest that of the export.
func (c *exportCommand) checkTargets(db string) error {
	real, err := filepath.EvalSymlinks(db)
	if err != nil {
		return err
	}
	for _, target := range []string{c.Output, c.Manifest} {
		for _, ending := range besideDatabase {
			if samePlace(target, db+ending) || samePlace(target, real+ending) {
				return usage("%s belongs to the database: name another file", target)
			}
		}
	}
	if c.Output != "-" && samePlace(c.Output, c.Manifest) && !isFolder(c.Output) {
		return usage("the export and its manifest cannot both be %s", c.Output)
	}
	return nil
}

// samePlace reports whether two paths name one file, there or not yet.
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

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
