package store

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
)

// RebuildRollups makes the roll-ups anew from the records, in the zone of the
// store: the mend where [Store.Verify] finds that they differ. A reader sees
// either the old ones or the new ones.
func (s *Store) RebuildRollups(ctx context.Context) error {
	err := s.Update(ctx, func(tx *Tx, _ affiliate.Millis) error { return s.rebuildRollups(ctx, tx) })
	if err != nil {
		return fmt.Errorf("making the roll-ups anew: %w", err)
	}
	return nil
}
