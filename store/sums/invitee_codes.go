package sums

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// inviteesOfCode returns the invitees of one or several invite codes, as known now.
func inviteesOfCode(ctx context.Context, r *store.Tx, code string) ([]person, error) {
	var of []person
	codes, args := store.Among(code)
	rows, err := r.QueryContext(ctx, `SELECT account_id, uid FROM invitees WHERE invite_code COLLATE NOCASE IN `+codes, args...)
	if err != nil {
		return nil, fmt.Errorf("reading invite codes: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var p person
		if err := rows.Scan(&p.account, &p.uid); err != nil {
			return nil, fmt.Errorf("reading invite codes: %w", err)
		}
		of = append(of, p)
	}
	return of, rows.Err()
}

// inviteeCodes returns the invite codes known at the instant asOf or, if asOf is unknown,
// now. It reads all invitees.
func inviteeCodes(ctx context.Context, r *store.Tx, asOf affiliate.Millis) (map[person]string, error) {
	codes := map[person]string{}
	rows, err := r.QueryContext(ctx, `SELECT account_id, uid, invite_code FROM `+records.InviteesAt(asOf)+` i WHERE invite_code > ''`)
	if err != nil {
		return nil, fmt.Errorf("reading invite codes: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var p person
		var code string
		if err := rows.Scan(&p.account, &p.uid, &code); err != nil {
			return nil, fmt.Errorf("reading invite codes: %w", err)
		}
		codes[p] = code
	}
	return codes, rows.Err()
}
