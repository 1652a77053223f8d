package records

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// RebuildRollups rebuilds the roll-ups from the records, in the zone of the store: the
// repair if [upkeep.Verify] finds that they differ. A reader sees either the old roll-ups
// or the new ones.
func RebuildRollups(ctx context.Context, s *store.Store) error {
	err := s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error { return RemakeRollups(ctx, s, tx) })
	if err != nil {
		return fmt.Errorf("making the roll-ups anew: %w", err)
	}
	return nil
}
