package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"rebatedesk/affiliate"
)

// inviteeColumns is the order in which an invitee is written and read.
const inviteeColumns = `uid, invite_code, register_ms, kyc, first_deposit_ms, first_trade_ms, last_deposit_ms, last_trade_ms`

func inviteeTargets(i *affiliate.Invitee) []any {
	return []any{&i.UID, &i.InviteCode, &i.RegisterTime, &i.KYC, &i.FirstDeposit, &i.FirstTrade, &i.LastDeposit, &i.LastTrade}
}

// ReplaceInvitees writes what a read of the slice returned: new invitees are
// added, changed values are noted with what they were, and everyone returned
// was seen. A value that this read does not give keeps the one known before:
// silence of the exchange is no news. Invitees that are no longer listed stay.
func (s *Store) ReplaceInvitees(ctx context.Context, slice Slice, records []affiliate.Invitee) (Written, error) {
	return s.writeSlice(ctx, slice, len(records), func(tx *sql.Tx, account int64, stamp affiliate.Millis) (Written, error) {
		var w Written
		for _, record := range records {
			before, err := inviteeByUID(ctx, tx, account, record.UID)
			switch {
			case errors.Is(err, sql.ErrNoRows):
				w.Opened++
				err = insertInvitee(ctx, tx, account, record, stamp)
			case err == nil:
				var changed bool
				changed, err = updateInvitee(ctx, tx, account, before, record, stamp)
				if changed {
					w.Changed++
				}
			}
			if err != nil {
				return Written{}, fmt.Errorf("invitee %s: %w", record.UID, err)
			}
		}
		return w, nil
	})
}

func inviteeByUID(ctx context.Context, tx *sql.Tx, account int64, uid affiliate.UID) (affiliate.Invitee, error) {
	var i affiliate.Invitee
	err := tx.QueryRowContext(ctx, `SELECT `+inviteeColumns+` FROM invitees WHERE account_id = ? AND uid = ?`,
		account, uid).Scan(inviteeTargets(&i)...)
	return i, err
}

func insertInvitee(ctx context.Context, tx *sql.Tx, account int64, i affiliate.Invitee, stamp affiliate.Millis) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO invitees (`+inviteeColumns+`, account_id, first_seen_ms, last_seen_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		i.UID, i.InviteCode, i.RegisterTime, i.KYC, i.FirstDeposit, i.FirstTrade, i.LastDeposit, i.LastTrade, account, stamp, stamp)
	return err
}

// updateInvitee writes the later values and notes each difference.
func updateInvitee(ctx context.Context, tx *sql.Tx, account int64, before, now affiliate.Invitee, stamp affiliate.Millis) (bool, error) {
	now = keepKnown(before, now)
	changes := inviteeDifferences(before, now)
	for _, c := range changes {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO invitee_changes (account_id, uid, seen_ms, field, was, became) VALUES (?, ?, ?, ?, ?, ?)`,
			account, now.UID, stamp, c.field, c.was, c.became)
		if err != nil {
			return false, err
		}
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE invitees SET invite_code = ?, register_ms = ?, kyc = ?, first_deposit_ms = ?, first_trade_ms = ?,
			last_deposit_ms = ?, last_trade_ms = ?, last_seen_ms = ?
		WHERE account_id = ? AND uid = ?`,
		now.InviteCode, now.RegisterTime, now.KYC, now.FirstDeposit, now.FirstTrade, now.LastDeposit, now.LastTrade, stamp, account, now.UID)
	return len(changes) > 0, err
}

func keepKnown(before, now affiliate.Invitee) affiliate.Invitee {
	keepTime := func(now *affiliate.Millis, before affiliate.Millis) {
		if !now.Known() {
			*now = before
		}
	}
	keepTime(&now.RegisterTime, before.RegisterTime)
	keepTime(&now.FirstDeposit, before.FirstDeposit)
	keepTime(&now.FirstTrade, before.FirstTrade)
	keepTime(&now.LastDeposit, before.LastDeposit)
	keepTime(&now.LastTrade, before.LastTrade)
	if now.InviteCode == "" {
		now.InviteCode = before.InviteCode
	}
	if now.KYC == "" {
		now.KYC = before.KYC
	}
	return now
}

type inviteeChange struct{ field, was, became string }

func inviteeDifferences(before, now affiliate.Invitee) []inviteeChange {
	ms := func(m affiliate.Millis) string { return strconv.FormatInt(int64(m), 10) }
	var changes []inviteeChange
	for _, c := range []inviteeChange{
		{"invite_code", before.InviteCode, now.InviteCode},
		{"register_ms", ms(before.RegisterTime), ms(now.RegisterTime)},
		{"kyc", string(before.KYC), string(now.KYC)},
		{"first_deposit_ms", ms(before.FirstDeposit), ms(now.FirstDeposit)},
		{"first_trade_ms", ms(before.FirstTrade), ms(now.FirstTrade)},
		{"last_deposit_ms", ms(before.LastDeposit), ms(now.LastDeposit)},
		{"last_trade_ms", ms(before.LastTrade), ms(now.LastTrade)},
	} {
		if c.was != c.became {
			changes = append(changes, c)
		}
	}
	return changes
}
