package upkeep

import (
	"context"
	"errors"
	"fmt"

	"rebatedesk/store"
)

// CheckIntegrity makes the engine read the whole database and reports every damage it
// finds: pages, indexes and references. Its cost grows with the size of the database; it
// blocks no writer.
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

// brokenPages returns the faults that the engine finds in pages and indexes.
func brokenPages(ctx context.Context, r *store.Tx) ([]string, error) {
	faults, err := r.Damage(ctx)
	if err != nil {
		return nil, fmt.Errorf("checking the database: %w", err)
	}
	return faults, nil
}

// orphans returns the rows that refer to a row that does not exist.
func orphans(ctx context.Context, r *store.Tx) ([]string, error) {
	faults, err := r.Orphans(ctx)
	if err != nil {
		return nil, fmt.Errorf("checking the references of the database: %w", err)
	}
	return faults, nil
}

// foreignObjects returns what the schema has or lacks against what this program makes.
func foreignObjects(ctx context.Context, r *store.Tx) ([]string, error) {
	faults, err := r.SchemaFaults(ctx)
	if err != nil {
		return nil, fmt.Errorf("comparing the schema of the database: %w", err)
	}
	return faults, nil
}
