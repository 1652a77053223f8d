package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// drillMark stands in the name of the folder of a drill, after the backup's.
const drillMark = ".drill-"

// Drill proves that a backup can be restored: it does so, into a temporary
// folder beside it, opens the database like any other, verifies it, and
// compares it with what was backed up.
func Drill(ctx context.Context, made Copy, o Options) (err error) {
	dir, err := os.MkdirTemp(filepath.Dir(made.File), filepath.Base(made.File)+drillMark+"*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "restored.db")
	restored, err := Restore(ctx, made.File, path, o)
	if err != nil {
		return err
	}
	if words := made.Contents.Differences(restored.Contents); len(words) > 0 {
		return fmt.Errorf("the backup is not what was backed up: %s", strings.Join(words, "; "))
	}
	s, err := Open(ctx, path, o)
	if err != nil {
		return err
	}
	return errors.Join(s.sound(ctx), s.Close())
}

// sound is [Store.Verify] as one error, a line for each check that finds
// faults.
func (s *Store) sound(ctx context.Context) error {
	var errs []error
	for finding, err := range s.Verify(ctx) {
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		if !finding.Sound() {
			errs = append(errs, fmt.Errorf("%s: %s (%d faults in all)", finding.Check, finding.Faults[0], len(finding.Faults)+finding.More))
		}
	}
	return errors.Join(errs...)
}
