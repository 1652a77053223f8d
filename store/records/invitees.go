package records

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// StoredInvitee is an invitee with what its reads say about it.
type StoredInvitee struct {
	affiliate.Invitee
	FirstSeen affiliate.Millis
	Missed    affiliate.Millis // last seen then, and not by a later read; unknown = listed
	Vanished  affiliate.Millis // unknown = it has not
}

// ReplaceInvitees writes the result of a read of the slice: new invitees are added, and
// changed values are recorded with their old values. A value that this read does not give
// keeps the one known before: a missing value is no information. Invitees that are no
// longer listed stay; see [missInvitees]. A read that finds exactly what is known writes no
// invitee.
func ReplaceInvitees(ctx context.Context, s *store.Store, slice Slice, records []affiliate.Invitee) (Written, error) {
	return writeSlice(ctx, s, slice, len(records), func(tx *store.Tx, account int64, stamp affiliate.Millis, days touched) (Written, error) {
		known, err := inviteesOfSlice(ctx, tx, account, slice)
		if err != nil {
			return Written{}, err
		}
		w, err := takeInvitees(ctx, tx, account, slice, stamp, days, known, records)
		if err != nil {
			return Written{}, err
		}
		if slice.Partial {
			clear(known)
		}
		protectInvitees(slice.Quarantine, known)
		vanished, missed, err := missInvitees(ctx, tx, account, slice, known, stamp, days)
		w.Changed += vanished
		if err == nil && (w.Opened > 0 || w.Changed > 0 || missed) {
			_, err = tx.ExecContext(ctx, `UPDATE meta SET invitees_ms = ?`, stamp)
		}
		return w, err
	})
}

// NoteInvitees writes what a file says of invitees, within a write that has begun. What it does not
// say keeps the value known before, and no invitee ends to be listed.
func NoteInvitees(ctx context.Context, tx *store.Tx, account affiliate.Account, stamp affiliate.Millis, list []affiliate.Invitee) error {
	id, err := store.AccountID(ctx, tx, account)
	if err != nil {
		return err
	}
	w, err := takeInvitees(ctx, tx, id, Slice{}, stamp, touched{}, map[affiliate.UID]StoredInvitee{}, list)
	if err == nil && (w.Opened > 0 || w.Changed > 0) {
		_, err = tx.ExecContext(ctx, `UPDATE meta SET invitees_ms = ?`, stamp)
	}
	return err
}

// takeInvitees writes the invitees that a read found, and removes them from known.
func takeInvitees(ctx context.Context, tx *store.Tx, account int64, slice Slice, stamp affiliate.Millis, days touched, known map[affiliate.UID]StoredInvitee, records []affiliate.Invitee) (w Written, err error) {
	codes := recoded{}
	for _, record := range onePerUID(records) {
		before, found := known[record.UID]
		if !found {
			before, found, err = inviteeByUID(ctx, tx, account, record.UID)
		}
		delete(known, record.UID)
		switch {
		case err != nil:
		case !found:
			w.Opened++
			days.at(slice, record.RegisterTime)
			codes.add(record.UID, "", record.InviteCode)
			err = insertInvitee(ctx, tx, account, record, stamp)
		default:
			var changed bool
			now := keepKnown(before, StoredInvitee{Invitee: record})
			codes.add(record.UID, before.InviteCode, now.InviteCode)
			changed, err = updateInvitee(ctx, tx, account, before, now, stamp)
			if changed {
				w.Changed++
				days.at(slice, before.RegisterTime)
				days.at(slice, record.RegisterTime)
			}
		}
		if err != nil {
			return Written{}, fmt.Errorf("invitee %s: %w", record.UID, err)
		}
	}
	if len(codes) > 0 { // also if the exchange now tells what was a code of ours
		err = tx.CodesChanged(ctx, stamp)
	}
	if err == nil {
		err = codes.keepOwn(ctx, tx)
	}
	if err == nil {
		err = moveCodes(ctx, tx, account, stamp, codes)
	}
	if err != nil {
		return Written{}, fmt.Errorf("changed invite codes: %w", err)
	}
	return w, nil
}

// protectInvitees removes the invitees from those that a read no longer lists whose record could
// only not be read.
func protectInvitees(list []QuarantineRow, missed map[affiliate.UID]StoredInvitee) {
	for _, q := range list {
		read, ok := q.read.(affiliate.Invitee)
		if !ok || q.Spared {
			continue
		}
		for _, uid := range slices.Sorted(maps.Keys(missed)) {
			i := missed[uid]
			if (read.UID == "" || read.UID == uid) && (read.RegisterTime == 0 || read.RegisterTime == i.RegisterTime) &&
				affiliate.DayOf(i.RegisterTime.Time(), time.UTC) == q.Day {
				delete(missed, uid)
				break
			}
		}
	}
}

// onePerUID drops an invitee that was already listed in the same answer. If the two
// differed, each read would find that both have changed.
func onePerUID(records []affiliate.Invitee) []affiliate.Invitee {
	seen := make(map[affiliate.UID]bool, len(records))
	var once []affiliate.Invitee
	for _, record := range records {
		if !seen[record.UID] {
			seen[record.UID] = true
			once = append(once, record)
		}
	}
	return once
}

// inviteesOfSlice reads the invitees that registered on the days of a slice.
func inviteesOfSlice(ctx context.Context, tx *store.Tx, account int64, slice Slice) (map[affiliate.UID]StoredInvitee, error) {
	span := slice.Range()
	rows, err := tx.QueryContext(ctx, `
		SELECT `+StoredInviteeColumns+` FROM invitees
		WHERE register_ms >= ? AND register_ms < ? AND account_id = ?`,
		affiliate.MillisOf(span.From), affiliate.MillisOf(span.To), account)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	known := map[affiliate.UID]StoredInvitee{}
	var i StoredInvitee
	targets := i.Targets()
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		known[i.UID] = i
	}
	return known, rows.Err()
}

func inviteeByUID(ctx context.Context, tx *store.Tx, account int64, uid affiliate.UID) (i StoredInvitee, found bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT `+StoredInviteeColumns+` FROM invitees WHERE account_id = ? AND uid = ?`,
		account, uid).Scan(i.Targets()...)
	if errors.Is(err, sql.ErrNoRows) {
		return i, false, nil
	}
	return i, err == nil, err
}

func insertInvitee(ctx context.Context, tx *store.Tx, account int64, i affiliate.Invitee, stamp affiliate.Millis) error {
	row := inviteeFields.values([]any{account}, &StoredInvitee{Invitee: i, FirstSeen: stamp})
	_, err := tx.ExecContext(ctx, `
		INSERT INTO invitees (account_id, `+StoredInviteeColumns+`) VALUES (?`+strings.Repeat(`, ?`, len(inviteeFields))+`)`, row...)
	return err
}

// updateInvitee writes the differences and records each of them.
func updateInvitee(ctx context.Context, tx *store.Tx, account int64, before, now StoredInvitee, stamp affiliate.Millis) (bool, error) {
	changes := inviteeDifferences(before, now)
	if len(changes) == 0 {
		return false, nil
	}
	for _, c := range changes {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO invitee_changes (account_id, uid, seen_ms, field, was, became) VALUES (?, ?, ?, ?, ?, ?)`,
			account, now.UID, stamp, c.field, c.was, c.became)
		if err != nil {
			return false, err
		}
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE invitees SET (`+notedFields.Columns("")+`) = (?`+strings.Repeat(`, ?`, len(notedFields)-1)+`)
		WHERE account_id = ? AND uid = ?`, append(notedFields.values(nil, &now), account, now.UID)...)
	return true, err
}

// keepKnown fills in values that the exchange reported before and omits now.
func keepKnown(before, now StoredInvitee) StoredInvitee {
	for _, f := range givenFields {
		switch known := f.Target(&before).(type) {
		case *string:
			if value := f.Target(&now).(*string); *value == "" {
				*value = *known
			}
		case *int64:
			if value := f.Target(&now).(*int64); *value == 0 {
				*value = *known
			}
		}
	}
	return now
}

type inviteeValue struct {
	Field InviteeField
	Value string
}

// InviteeValues returns the values whose changes are recorded, in that order.
func InviteeValues(i StoredInvitee) []inviteeValue {
	values := make([]inviteeValue, len(notedFields))
	for n, f := range notedFields {
		values[n] = inviteeValue{InviteeField(f.Column), fmt.Sprint(valueOf(f, &i))}
	}
	return values
}

type inviteeChange struct {
	field       InviteeField
	was, became string
}

func inviteeDifferences(before, now StoredInvitee) []inviteeChange {
	// first_seen_ms never changes, and is not a value.
	if before.FirstSeen = now.FirstSeen; before == now {
		return nil
	}
	was := InviteeValues(before)
	var changes []inviteeChange
	for n, became := range InviteeValues(now) {
		if became != was[n] {
			changes = append(changes, inviteeChange{became.Field, was[n].Value, became.Value})
		}
	}
	return changes
}
