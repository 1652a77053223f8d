package upkeep

import (
	"context"
	"fmt"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

type inviteeID struct {
	account int64
	uid     affiliate.UID
}

// readInvitees checks each invitee and stores it for the check of its changes.
func (v *verification) readInvitees(ctx context.Context, r *store.Tx) error {
	rows, err := r.QueryContext(ctx, `SELECT account_id, `+records.StoredInviteeColumns+` FROM invitees ORDER BY account_id, uid`)
	if err != nil {
		return err
	}
	defer rows.Close()
	v.listed = map[inviteeID]records.StoredInvitee{}
	var account int64
	var i records.StoredInvitee
	targets := append([]any{&account}, i.Targets()...)
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		v.listed[inviteeID{account, i.UID}] = i
		v.checkSeen(fmt.Sprintf("invitee %s of %s", i.UID, v.names[account]), i)
	}
	return rows.Err()
}

// checkSeen checks that the stamps of an invitee are in the order in which reads assign
// them.
func (v *verification) checkSeen(what string, i records.StoredInvitee) {
	switch {
	case i.Missed.Known() && i.Missed < i.FirstSeen:
		v.invitees.Fault("%s was last seen at %s, before it was first seen at %s", what, i.Missed, i.FirstSeen)
	case i.Vanished.Known() && !i.Missed.Known():
		v.invitees.Fault("%s has vanished at %s, and when it was last seen is not known", what, i.Vanished)
	case i.Vanished.Known() && i.Vanished <= i.Missed:
		v.invitees.Fault("%s has vanished at %s, and was seen later, at %s", what, i.Vanished, i.Missed)
	case i.Vanished.Known() && !i.RegisterTime.Known():
		v.invitees.Fault("%s has vanished at %s from a window that nobody knows", what, i.Vanished)
	}
	v.checkFlag(what, string(i.KYC))
}

func (v *verification) checkFlag(what, kyc string) {
	if kyc != "" && kyc != string(affiliate.FlagOf(true)) && kyc != string(affiliate.FlagOf(false)) {
		v.invitees.Fault("%s has the KYC %.20q", what, kyc)
	}
}

// readInviteeChanges undoes the changes of each invitee, newest first: the new value of
// each change must be the old value of the next one, and the last new value must be the
// stored one.
func (v *verification) readInviteeChanges(ctx context.Context, r *store.Tx) error {
	rows, err := r.QueryContext(ctx, `
		SELECT account_id, uid, id, seen_ms, field, was, became FROM invitee_changes
		ORDER BY account_id, uid, seen_ms DESC, id DESC`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var of inviteeID
	var before map[records.InviteeField]string
	for rows.Next() {
		var next inviteeID
		var id int64
		var c records.InviteeChange
		if err := rows.Scan(&next.account, &next.uid, &id, &c.Noticed, &c.Field, &c.Was, &c.Became); err != nil {
			return err
		}
		if v.changes == 0 || next != of {
			of, before = next, valuesOf(v.listed[next])
		}
		v.changes++
		what := fmt.Sprintf("change %d of invitee %s of %s", id, of.uid, v.names[of.account])
		v.checkChange(what, c, v.listed[of].FirstSeen, before)
		before[c.Field] = c.Was
	}
	return rows.Err()
}

// checkChange checks a change against the values known after it.
func (v *verification) checkChange(what string, c records.InviteeChange, firstSeen affiliate.Millis, after map[records.InviteeField]string) {
	is, known := after[c.Field]
	switch {
	case !known:
		v.invitees.Fault("%s is of %.40q, which no invitee has", what, c.Field)
	case is != c.Became:
		v.invitees.Fault("%s made %s %.40q; afterwards it was %.40q", what, c.Field, c.Became, is)
	case c.Was == c.Became:
		v.invitees.Fault("%s made %s what it was, %.40q", what, c.Field, c.Was)
	case c.Noticed <= firstSeen:
		v.invitees.Fault("%s was noticed at %s, before the invitee was first seen at %s", what, c.Noticed, firstSeen)
	case c.Field == records.FieldKYC:
		v.checkFlag(what, c.Was)
	case c.Field != records.FieldInviteCode:
		if ms, err := strconv.ParseInt(c.Was, 10, 64); err != nil || ms < 0 {
			v.invitees.Fault("%s says that %s was %.40q, which is no instant", what, c.Field, c.Was)
		}
	}
}

// valuesOf returns the values of an invitee in the form of its changes.
func valuesOf(i records.StoredInvitee) map[records.InviteeField]string {
	values := map[records.InviteeField]string{}
	for _, f := range records.InviteeValues(i) {
		values[f.Field] = f.Value
	}
	return values
}
