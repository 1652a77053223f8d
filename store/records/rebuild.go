package records

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// RebuildRollups makes the roll-ups anew from the records, in the zone of the
// store: the mend where [upkeep.Verify] finds that they differ. A reader sees
// either the old ones or the new ones.
func RebuildRollups(ctx context.Context, s *store.Store) error {
	err := s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error { return RemakeRollups(ctx, s, tx) })
	if err != nil {
		return fmt.Errorf("making the roll-ups anew: %w", err)
	}
	return nil
}
