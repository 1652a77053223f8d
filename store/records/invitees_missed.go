package records

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// InviteeReach is how far back the exchange lists registrations, at its own
// clock (4.18).
const InviteeReach = 365 * 24 * time.Hour

// reachMargin is what a reader stays within the reach: the oldest registration
// that it may ask for moves while it reads.
const reachMargin = 10 * time.Minute

// surelyLists reports whether a read of the slice had to return an invitee that
// registered at that instant. The first day of a slice can be cut by the reach
// of the exchange, the last by the instant the read began.
func (s Slice) surelyLists(registered affiliate.Millis) bool {
	return s.Range().Contains(registered) && registered < s.Through &&
		registered >= affiliate.MillisOf(s.Through.Time().Add(reachMargin-InviteeReach))
}

// missInvitees notes who was not in the answer though they registered on the
// days of the slice, and counts those who have vanished by it. Whoever the read
// could not list is merely seen no more: what coverage says of that day from
// now on does not hold for them, so when they were last seen is kept with them.
func missInvitees(ctx context.Context, tx *store.Tx, account int64, slice Slice, missed map[affiliate.UID]StoredInvitee, stamp affiliate.Millis, days touched) (vanished int, err error) {
	for _, uid := range slices.Sorted(maps.Keys(missed)) {
		before := missed[uid]
		now := before
		if !now.Missed.Known() {
			if now.Missed, err = lastRead(ctx, tx, account, before); err != nil {
				return 0, fmt.Errorf("invitee %s: %w", uid, err)
			}
		}
		if !now.Vanished.Known() && slice.surelyLists(before.RegisterTime) {
			now.Vanished = stamp
			days.at(slice, before.RegisterTime)
			vanished++
		}
		if _, err := updateInvitee(ctx, tx, account, before, now, stamp); err != nil {
			return 0, fmt.Errorf("invitee %s: %w", uid, err)
		}
	}
	return vanished, nil
}

// lastRead is when the registration day of a listed invitee was last read: the
// last time it was seen.
func lastRead(ctx context.Context, tx *store.Tx, account int64, i StoredInvitee) (affiliate.Millis, error) {
	var read affiliate.Millis
	err := tx.QueryRowContext(ctx, `
		SELECT read_ms FROM coverage WHERE account_id = ? AND stream = ? AND product = '' AND day = ?`,
		account, affiliate.Invitees, affiliate.DayOf(i.RegisterTime.Time(), time.UTC).String()).Scan(&read)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	return max(read, i.FirstSeen), nil
}
