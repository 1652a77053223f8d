package people

import (
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// ReadBound returns the invitees to whom a user is bound, by the codes and tags of now: they
// follow what becomes known and what is tagged. Without a binding there is no limit.
func ReadBound(ctx context.Context, r *store.Tx, bound affiliate.Bound) (affiliate.Members, error) {
	if bound.Everything() {
		return affiliate.Members{}, nil
	}
	var accounts []affiliate.Account
	for _, name := range bound.Names(affiliate.BoundByAccount) {
		accounts = append(accounts, affiliate.Account(name))
	}
	invitees := map[affiliate.Account][]affiliate.UID{}
	for some := range slices.Chunk(bound.Names(affiliate.BoundByCode), codesAtOnce) {
		if err := addCoded(ctx, r, some, invitees); err != nil {
			return affiliate.Members{}, fmt.Errorf("reading to whom a user is bound: %w", err)
		}
	}
	known, err := r.AccountNames(ctx)
	if err != nil {
		return affiliate.Members{}, fmt.Errorf("reading to whom a user is bound: %w", err)
	}
	for _, tag := range bound.Names(affiliate.BoundByTag) {
		tagged, err := Tagged(ctx, r, tag)
		if err != nil {
			return affiliate.Members{}, fmt.Errorf("reading to whom a user is bound: %w", err)
		}
		for _, account := range known {
			for uid := range tagged {
				invitees[account] = append(invitees[account], uid)
			}
		}
	}
	return affiliate.MembersOf(accounts, invitees), nil
}

// codesAtOnce is how many codes one statement has: its text grows with them.
const codesAtOnce = 100

func addCoded(ctx context.Context, r *store.Tx, codes []string, add map[affiliate.Account][]affiliate.UID) error {
	list, args := store.In(codes)
	rows, err := r.QueryContext(ctx, `
		SELECT a.name, i.uid FROM `+records.CodesAt(0)+` i JOIN accounts a ON a.id = i.account_id WHERE i.invite_code IN `+list, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var account affiliate.Account
		var uid affiliate.UID
		if err := rows.Scan(&account, &uid); err != nil {
			return err
		}
		add[account] = append(add[account], uid)
	}
	return rows.Err()
}
