package records

import (
	"context"
	"fmt"
	"math"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// InviteeField names a changeable value of an invitee by its column.
type InviteeField string

// The fields of a change. All values except the invite code and KYC are instants in
// milliseconds, UTC; "0" is unknown.
const (
	FieldInviteCode   InviteeField = "invite_code"
	FieldRegistered   InviteeField = "register_ms"
	FieldKYC          InviteeField = "kyc" // "true", "false" or "", unknown
	FieldFirstDeposit InviteeField = "first_deposit_ms"
	FieldFirstTrade   InviteeField = "first_trade_ms"
	FieldLastDeposit  InviteeField = "last_deposit_ms"
	FieldLastTrade    InviteeField = "last_trade_ms"
	FieldLastSeen     InviteeField = "last_seen_ms" // became known: missed by a read since; "0": listed again
	FieldVanished     InviteeField = "vanished_ms"  // became known: vanished; "0": reappeared
)

// InviteeChange is one value of an invitee that a read found changed.
type InviteeChange struct {
	Noticed affiliate.Millis // stamp of that read's write
	Field   InviteeField
	Was     string
	Became  string
}

// InviteeHistory returns the invitee of a filter, which names its account and UID, and its
// changes since it was first seen, oldest first. With AsOf it returns the state known then, and
// the history up to then. found is false if the exchange never listed the invitee.
func InviteeHistory(ctx context.Context, r *store.Tx, f InviteeFilter) (row InviteeRow, changes []InviteeChange, found bool, err error) {
	for row, err = range Invitees(ctx, r, f) {
		if err != nil {
			return InviteeRow{}, nil, false, err
		}
		found = true
	}
	if !found {
		return InviteeRow{}, nil, false, nil
	}
	if changes, err = inviteeChanges(ctx, r, f); err != nil {
		return row, nil, true, fmt.Errorf("reading the history of invitee %s: %w", f.UID, err)
	}
	return row, changes, true, nil
}

func inviteeChanges(ctx context.Context, r *store.Tx, f InviteeFilter) ([]InviteeChange, error) {
	asOf := f.AsOf
	if !asOf.Known() {
		asOf = math.MaxInt64
	}
	var w store.Where
	w.Add(`h.account_id = (SELECT id FROM accounts WHERE name = ?) AND h.uid = ? AND h.seen_ms <= ?`, f.Account, f.UID, int64(asOf))
	w.OfMembers("h", f.Members)
	rows, err := r.QueryContext(ctx, `
		SELECT h.seen_ms, h.field, h.was, h.became FROM invitee_changes h WHERE `+w.String()+`
		ORDER BY h.seen_ms, h.id`, w.Args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var changes []InviteeChange
	for rows.Next() {
		var c InviteeChange
		if err := rows.Scan(&c.Noticed, &c.Field, &c.Was, &c.Became); err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	return changes, rows.Err()
}
