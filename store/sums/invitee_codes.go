package sums

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// inviteesOfCode returns the invitees of the one or several invite codes of a filter, as known
// now.
func inviteesOfCode(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]person, error) {
	var of []person
	codes, args := store.Among(f.Code)
	var w store.Where
	w.Add(`i.invite_code IN `+codes, args...)
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

// codeOf returns the invite code of an invitee, or "" if it is not known.
type codeOf func(person) string

// inviteeCodes finds the invite codes of the invitees of a filter of commissions that could
// have any, as known at its AsOf. Those of now are kept in memory until one changes.
func inviteeCodes(ctx context.Context, r *store.Tx, f records.CommissionFilter) (codeOf, error) {
	of := records.InviteeFilter{Members: f.Members, AsOf: f.AsOf}
	if of != (records.InviteeFilter{}) {
		codes, err := codesOf(ctx, r, of, of.Where())
		return func(p person) string { return codes[p] }, err
	}
	names, err := r.AccountNames(ctx)
	if err != nil {
		return nil, err
	}
	codes := make(map[int64]map[affiliate.UID]string, len(names))
	for account := range names {
		if codes[account], err = r.InviteCodes(ctx, account); err != nil {
			return nil, err
		}
	}
	return func(p person) string { return codes[p.account][p.uid] }, nil
}

// ToldCodes returns the invite code of each invitee of the filter whose code the exchange tells,
// as known at the AsOf of the filter.
func ToldCodes(ctx context.Context, r *store.Tx, f records.InviteeFilter) (map[InviteeKey]string, error) {
	w := f.Where()
	w.Add(`i.ours = 0`)
	return namedCodes(ctx, r, f, w)
}

// InviteeCodes returns the invite code of each invitee of the filter whose code is known, at
// the AsOf of the filter. It reads all of these invitees.
func InviteeCodes(ctx context.Context, r *store.Tx, f records.InviteeFilter) (map[InviteeKey]string, error) {
	return namedCodes(ctx, r, f, f.Where())
}

func namedCodes(ctx context.Context, r *store.Tx, f records.InviteeFilter, w store.Where) (map[InviteeKey]string, error) {
	names, err := r.AccountNames(ctx)
	if err != nil {
		return nil, err
	}
	codes, err := codesOf(ctx, r, f, w)
	if err != nil {
		return nil, err
	}
	known := make(map[InviteeKey]string, len(codes))
	for who, code := range codes {
		known[InviteeKey{names[who.account], who.uid}] = code
	}
	return known, nil
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
