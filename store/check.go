package store

import (
	"context"
	"errors"
	"fmt"
)

// Check lets the engine read the whole database and reports what it finds
// broken: pages, indexes and references. Its cost follows the size of the
// database; it keeps nobody from writing.
func (s *Store) Check(ctx context.Context) error {
	r, err := s.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	faults, err := r.brokenPages(ctx)
	if err != nil {
		return err
	}
	orphans, err := r.orphans(ctx)
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
func (r *Tx) brokenPages(ctx context.Context) ([]string, error) {
	faults, err := column[string](ctx, r, `SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'`)
	if err != nil {
		return nil, fmt.Errorf("checking the database: %w", err)
	}
	return faults, nil
}

// orphans are the rows that refer to a row that is not there.
func (r *Tx) orphans(ctx context.Context) ([]string, error) {
	faults, err := column[string](ctx, r, `SELECT "table" || ' refers to nothing in ' || parent FROM pragma_foreign_key_check`)
	if err != nil {
		return nil, fmt.Errorf("checking the references of the database: %w", err)
	}
	return faults, nil
}
