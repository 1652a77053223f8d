package upkeep

import (
	"context"
	"errors"
	"fmt"

	"rebatedesk/store"
)

// CheckIntegrity lets the engine read the whole database and reports what it finds
// broken: pages, indexes and references. Its cost follows the size of the
// database; it keeps nobody from writing.
func CheckIntegrity(ctx context.Context, s *store.Store) error {
	r, err := s.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	faults, err := brokenPages(ctx, r)
	if err != nil {
		return err
	}
	orphans, err := orphans(ctx, r)
	if err != nil {
		return err
	}
	var errs []error
	for _, fault := range append(faults, orphans...) {
		errs = append(errs, errors.New(fault))
	}
	if len(errs) > 0 {
		return fmt.Errorf("database %s is broken: %w", s.Path(), errors.Join(errs...))
	}
	return nil
}

// brokenPages is what the engine finds wrong with pages and indexes.
func brokenPages(ctx context.Context, r *store.Tx) ([]string, error) {
	faults, err := store.ReadColumn[string](ctx, r, `SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'`)
	if err != nil {
		return nil, fmt.Errorf("checking the database: %w", err)
	}
	return faults, nil
}

// orphans are the rows that refer to a row that is not there.
func orphans(ctx context.Context, r *store.Tx) ([]string, error) {
	faults, err := store.ReadColumn[string](ctx, r, `SELECT "table" || ' refers to nothing in ' || parent FROM pragma_foreign_key_check`)
	if err != nil {
		return nil, fmt.Errorf("checking the references of the database: %w", err)
	}
	return faults, nil
}
