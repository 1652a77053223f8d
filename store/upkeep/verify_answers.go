package upkeep

import (
	"context"
	"encoding/hex"
	"fmt"

	"rebatedesk/store"
	"rebatedesk/store/received"
)

// readAnswers computes the fingerprint of all answers that are kept, and compares it with the
// one that was stored with their slice.
func (v *verification) readAnswers(ctx context.Context, r *store.Tx) error {
	stock, err := received.ReadStock(ctx, r)
	if err != nil {
		return err
	}
	v.answers.Seen = fmt.Sprintf("%d fingerprints, and the answers of %d slices", stock.Fingerprints, stock.Slices)
	slices, err := received.KeptSlices(ctx, r)
	if err != nil {
		return err
	}
	for _, slice := range slices {
		switch f, err := received.FingerprintOf(ctx, r, slice.Slice); {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			v.answers.Fault("slice %d: %v", slice.Slice, err)
		case hex.EncodeToString(f[:]) != slice.SHA256:
			v.answers.Fault("slice %d: its answers have the fingerprint %x, the stored one is %s", slice.Slice, f, slice.SHA256)
		}
	}
	return nil
}
