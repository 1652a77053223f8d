package upkeep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"rebatedesk/store"
)

// drillMark is part of the name of a drill's folder, after the name of the backup.
const drillMark = ".drill-"

// Drill proves that a backup can be restored: it restores it into a temporary folder next
// to it and compares it with the original. The proof is that of [Restore], and no part may
// remain unproved.
func Drill(ctx context.Context, made Copy, o store.Options) (err error) {
	dir, err := os.MkdirTemp(filepath.Dir(made.File), filepath.Base(made.File)+drillMark+"*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	restored, err := Restore(ctx, made.File, filepath.Join(dir, "restored.db"), RestoreOptions{Options: o})
	if err != nil {
		return err
	}
	if words := made.Contents.Differences(restored.Contents); len(words) > 0 {
		return fmt.Errorf("the backup is not what was backed up: %s", strings.Join(words, "; "))
	}
	for _, f := range restored.Findings {
		if f.Unproved {
			return fmt.Errorf("%s: %s", f.Check, f.Faults[0])
		}
	}
	return nil
}
