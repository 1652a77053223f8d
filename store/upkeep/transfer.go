package upkeep

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"rebatedesk/store"
)

// CopyProgress is how far a copy has come.
type CopyProgress struct {
	Table string // that is being copied
	Rows  int64  // copied so far
	Of    int64  // rows altogether
}

// CopyInto copies everything in a database into an empty other one, of any engine, and
// compares both: the rows of every table and the exact sums of commission. The database is
// only read, in one state, and may be in use. The place is the path of a file that does not
// exist, or the URL of a database without rows; otherwise the error is [store.ErrNotEmpty].
// The copy appears at once or not at all. No collector may run on either database.
func CopyInto(ctx context.Context, from *store.Store, place string, o store.Options, tell func(CopyProgress)) (_ Contents, err error) {
	ctx, release, err := from.Lock(ctx, store.CollectorLease)
	if err != nil {
		return Contents{}, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if !store.IsURL(place) {
		return transferToFile(ctx, from, place, tell)
	}
	to, err := store.Open(ctx, place, o)
	if err != nil {
		return Contents{}, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	return transferTo(ctx, from, to, tell)
}

// transferTo copies into an open database, in one transaction.
func transferTo(ctx context.Context, from, to *store.Store, tell func(CopyProgress)) (made Contents, err error) {
	ctx, release, err := to.Lock(ctx, store.CollectorLease)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, release()) }()
	made, err = copyRows(ctx, from, tell, func(fill func(*store.Tx) error) error { return to.UpdateQuietly(ctx, fill) })
	if err != nil {
		return Contents{}, fmt.Errorf("copying %s to %s: %w", from.Path(), to.Path(), err)
	}
	return made, nil
}

func transferToFile(ctx context.Context, from *store.Store, path string, tell func(CopyProgress)) (made Contents, err error) {
	release, err := store.LockCollectorAt(path)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if vacant(path) != nil {
		return made, fmt.Errorf("copying to %s: %w", path, store.ErrNotEmpty)
	}
	if err := vacantBeside(path); err != nil {
		return made, err
	}
	d, err := newDraft(path)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, d.drop()) }()
	if made, err = copyRowsToFile(ctx, from, d.path, tell); err == nil {
		err = checkCopy(ctx, d.path, made)
	}
	if err == nil {
		err = d.publish()
	}
	if err != nil {
		return Contents{}, fmt.Errorf("copying %s to %s: %w", from.Path(), path, noRoom(err))
	}
	return made, nil
}

// copyRowsToFile copies one state of a database into an empty file, which gets the same
// version of the schema.
func copyRowsToFile(ctx context.Context, from *store.Store, path string, tell func(CopyProgress)) (made Contents, err error) {
	schema, err := from.Schema(ctx)
	if err != nil {
		return made, err
	}
	return copyRows(ctx, from, tell, func(fill func(*store.Tx) error) error {
		return store.CreateDraft(ctx, path, schema, fill)
	})
}

// copyRows copies one state of a database into an empty other one, and compares both. write
// runs a transaction on the other one. It begins after the contents are known, because a
// server ends a transaction that waits for a minute.
func copyRows(ctx context.Context, from *store.Store, tell func(CopyProgress), write func(fill func(*store.Tx) error) error) (Contents, error) {
	r, err := from.Read(ctx)
	if err != nil {
		return Contents{}, err
	}
	defer r.Close()
	is, err := ReadContents(ctx, r)
	if err != nil {
		return Contents{}, err
	}
	err = write(func(to *store.Tx) error {
		progress := CopyProgress{Of: is.Rows()}
		err := r.CopyTo(ctx, to, func(table string, rows int) {
			progress.Table, progress.Rows = table, progress.Rows+int64(rows)
			tell(progress)
		})
		if err != nil {
			return err
		}
		got, err := ReadContents(ctx, to)
		if err != nil {
			return err
		}
		if words := is.Differences(got); len(words) > 0 {
			return fmt.Errorf("the copy is not what was copied: %s", strings.Join(words, "; "))
		}
		return nil
	})
	if err != nil {
		return Contents{}, err
	}
	return is, nil
}

// silent ignores the progress of a copy.
func silent(CopyProgress) {}
