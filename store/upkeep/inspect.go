package upkeep

import (
	"context"
	"errors"
	"fmt"

	"rebatedesk/store"
)

// Inspection is the result of inspecting a database.
type Inspection struct {
	Schema int      // version of the database; 0 = an empty one
	Known  int      // newest version that this program understands
	Zone   string   // IANA zone of the roll-ups; empty for an older schema
	Size   int64    // in bytes
	Faults []string // damage found by the engine; at most 20
}

// Inspect inspects a database without changing it: it creates no database and migrates no
// schema, and may run while another process works. Its cost grows with the size of the
// database.
func Inspect(ctx context.Context, place string) (found Inspection, err error) {
	found.Known = store.KnownSchema()
	s, err := store.OpenForInspection(ctx, place)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if found.Schema, err = s.Schema(ctx); err != nil {
		return found, fmt.Errorf("reading the database: %w", err)
	}
	if found.Schema == found.Known {
		if err := s.Readers().QueryRowContext(ctx, `SELECT zone FROM meta WHERE id = 1`).Scan(&found.Zone); err != nil {
			return found, fmt.Errorf("reading the database: %w", err)
		}
	}
	if found.Size, _, err = s.Size(ctx); err != nil {
		return found, fmt.Errorf("reading the database: %w", err)
	}
	if found.Faults, err = s.QuickDamage(ctx); err != nil {
		return found, fmt.Errorf("checking the database: %w", err)
	}
	return found, nil
}
