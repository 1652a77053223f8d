package sums

import (
	"context"
	"fmt"

	"rebatedesk/store"
	"rebatedesk/store/records"
)

// inviteesOfCode returns the invitees of the one or several invite codes of a filter, as known
// now.
func inviteesOfCode(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]person, error) {
	var of []person
	codes, args := store.Among(f.Code)
	var w store.Where
	w.Add(`i.invite_code COLLATE NOCASE IN `+codes, args...)
	w.OfMembers("i", f.Members)
	rows, err := r.QueryContext(ctx, `SELECT i.account_id, i.uid FROM `+records.CodesAt(0)+` i WHERE `+w.String(), w.Args...)
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

// inviteeCodes returns the invite codes of the invitees of a filter, as known at its AsOf.
func inviteeCodes(ctx context.Context, r *store.Tx, f records.InviteeFilter) (map[person]string, error) {
	return codesOf(ctx, r, f, f.Where())
}

// OurCodeInvitees returns the invitees of a filter whose invite code is ours, as known at its AsOf.
func OurCodeInvitees(ctx context.Context, r *store.Tx, f records.InviteeFilter) (map[InviteeKey]bool, error) {
	names, err := r.AccountNames(ctx)
	if err != nil {
		return nil, err
	}
	w := f.Where()
	w.Add(`i.ours = 1`)
	codes, err := codesOf(ctx, r, f, w)
	ours := make(map[InviteeKey]bool, len(codes))
	for who := range codes {
		ours[InviteeKey{names[who.account], who.uid}] = true
	}
	return ours, err
}

// codesOf returns the invite codes of the invitees (alias i) that meet a condition.
func codesOf(ctx context.Context, r *store.Tx, f records.InviteeFilter, w store.Where) (map[person]string, error) {
	codes := map[person]string{}
	rows, err := r.QueryContext(ctx, `SELECT i.account_id, i.uid, i.invite_code FROM `+records.CodesAt(f.AsOf)+` i WHERE `+w.String(), w.Args...)
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
