package sums

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// Reading reads values about the commissions of a filter that can be joined: those of two
// ranges of days make up that of both.
type Reading[P any] struct {
	Read     func(context.Context, *store.Tx, records.CommissionFilter) (P, error)
	longest  rollup.Span // of the blocks that it reads
	invitees bool        // whether the values also depend on what is known about invitees
}

// LastChange returns the stamp of the newest write that can have changed the answer to the
// filter: two states with the same stamp give the same answer. It returns false if changes
// are known for whole days of the roll-ups only, and the filter asks for something else: an
// earlier state, a text, or days of another zone.
func (reading Reading[P]) LastChange(ctx context.Context, r *store.Tx, f records.CommissionFilter) (stamp affiliate.Millis, ok bool, err error) {
	if !r.Rolled() || f.AsOf.Known() || f.Text != "" {
		return 0, false, nil
	}
	var rolled, invitees, days affiliate.Millis
	err = r.QueryRowContext(ctx, `
		SELECT rolled_ms, invitees_ms, coalesce((SELECT max(changed_ms) FROM commission_changes WHERE day BETWEEN ? AND ?), 0)
		FROM meta WHERE id = 1`, f.Days.First.String(), f.Days.Last.String()).Scan(&rolled, &invitees, &days)
	if err != nil {
		return 0, false, fmt.Errorf("reading when days changed: %w", err)
	}
	stamp = max(rolled, days)
	if reading.invitees || f.Code != "" {
		stamp = max(stamp, invitees)
	}
	return stamp, true, nil
}

// LastChange returns the stamp of the newest write that changed a commission or what is known
// about an invitee, or false if it is not known, see [Reading.LastChange].
func LastChange(ctx context.Context, r *store.Tx) (stamp affiliate.Millis, ok bool, err error) {
	ever := affiliate.Days{First: affiliate.NewDay(1970, 1, 1), Last: affiliate.NewDay(9999, 12, 31)}
	return Reading[struct{}]{invitees: true}.LastChange(ctx, r, records.CommissionFilter{Days: ever})
}

// Split divides days before the block with the newest stored day. Collecting changes this open
// block nearly always, and the settled ones hardly ever. Reading both ranges reads the same
// blocks as reading all days. A range can be empty.
func (reading Reading[P]) Split(ctx context.Context, r *store.Tx, days affiliate.Days) (settled, open affiliate.Days, err error) {
	open = affiliate.Days{First: days.Last + 1, Last: days.Last}
	stored, ok, err := storedDays(ctx, r)
	if err != nil {
		return settled, open, err
	}
	if ok && days.First <= stored.Last && stored.Last <= days.Last {
		for _, run := range rollup.Cover(rollup.Widen(days, stored), reading.longest) {
			if run.First <= stored.Last {
				open.First = max(days.First, rollup.BlockOf(run.Span, min(run.Days().Last, stored.Last)).First)
			}
		}
	}
	return affiliate.Days{First: days.First, Last: open.First - 1}, open, nil
}

// LastInviteeChange returns the stamp of the newest write that changed what is known about
// any invitee now, other than its commission, tags and notes.
func LastInviteeChange(ctx context.Context, r *store.Tx) (stamp affiliate.Millis, err error) {
	if err := r.QueryRowContext(ctx, `SELECT invitees_ms FROM meta WHERE id = 1`).Scan(&stamp); err != nil {
		return 0, fmt.Errorf("reading when invitees changed: %w", err)
	}
	return stamp, nil
}

// LastCodeChange returns the stamp of the newest write that changed the invite code of any
// invitee, or a code of ours.
func LastCodeChange(ctx context.Context, r *store.Tx) (stamp affiliate.Millis, err error) {
	if err := r.QueryRowContext(ctx, `SELECT codes_ms FROM meta WHERE id = 1`).Scan(&stamp); err != nil {
		return 0, fmt.Errorf("reading when invite codes changed: %w", err)
	}
	return stamp, nil
}

// LastSubAffiliateRead returns the stamp of the newest write of sub-affiliate days that were
// read. No other write changes what is known about them.
func LastSubAffiliateRead(ctx context.Context, r *store.Tx) (stamp affiliate.Millis, err error) {
	err = r.QueryRowContext(ctx, `SELECT coalesce(max(read_ms), 0) FROM coverage WHERE stream = ?`, string(affiliate.SubAffiliates)).Scan(&stamp)
	if err != nil {
		return 0, fmt.Errorf("reading when sub-affiliate days were read: %w", err)
	}
	return stamp, nil
}
