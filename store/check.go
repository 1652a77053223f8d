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
	faults, err := column[string](ctx, r.tx, `SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'`)
	if err != nil {
		return fmt.Errorf("checking the database: %w", err)
	}
	orphans, err := column[string](ctx, r.tx, `SELECT "table" || ' refers to nothing in ' || parent FROM pragma_foreign_key_check`)
	if err != nil {
		return fmt.Errorf("checking the references of the database: %w", err)
	}
	var errs []error
	for _, fault := range append(faults, orphans...) {
		errs = append(errs, errors.New(fault))
	}
	if len(errs) > 0 {
		return fmt.Errorf("database %s is broken: %w", s.path, errors.Join(errs...))
	}
	return nil
}
