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

// InviteeReach is how far back the exchange lists registrations, by its own clock (4.18).
const InviteeReach = 365 * 24 * time.Hour

// reachMargin is the distance that a reader keeps from the limit of the reach: the oldest
// registration that it may request moves while it reads.
const reachMargin = 10 * time.Minute

// surelyLists reports whether a read of the slice had to return an invitee that registered
// at that instant. The reach of the exchange can cut the first day of a slice, and the
// instant at which the read began can cut the last.
func (s Slice) surelyLists(registered affiliate.Millis) bool {
	return s.Range().Contains(registered) && registered < s.Through &&
		registered >= affiliate.MillisOf(s.Through.Time().Add(reachMargin-InviteeReach))
}

// missInvitees records the invitees that registered on the days of the slice but were not
// in the answer, counts those that have vanished as a result, and reports whether anything is
// recorded. An invitee that the read
// could not list is only no longer seen: from now on the coverage of that day does not
// apply to it, so the time when it was last seen is stored with it.
func missInvitees(ctx context.Context, tx *store.Tx, account int64, slice Slice, missed map[affiliate.UID]StoredInvitee, stamp affiliate.Millis, days touched) (vanished int, recorded bool, err error) {
	for _, uid := range slices.Sorted(maps.Keys(missed)) {
		before := missed[uid]
		now := before
		if !now.Missed.Known() {
			if now.Missed, err = lastRead(ctx, tx, account, before); err != nil {
				return 0, false, fmt.Errorf("invitee %s: %w", uid, err)
			}
		}
		if !now.Vanished.Known() && slice.surelyLists(before.RegisterTime) {
			now.Vanished = stamp
			days.at(slice, before.RegisterTime)
			vanished++
		}
		changed, err := updateInvitee(ctx, tx, account, before, now, stamp)
		if err != nil {
			return 0, false, fmt.Errorf("invitee %s: %w", uid, err)
		}
		recorded = recorded || changed
	}
	return vanished, recorded, nil
}

// lastRead returns when the registration day of a listed invitee was last read: the last
// time it was seen.
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
