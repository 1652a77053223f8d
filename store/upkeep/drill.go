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

// drillMark stands in the name of the folder of a drill, after the backup's.
const drillMark = ".drill-"

// Drill proves that a backup can be restored: it does so, into a temporary
// folder beside it, and compares it with what was backed up. The proof is that of
// [Restore], and nothing may be left unproved.
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
