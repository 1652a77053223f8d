package people

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
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
	invitees, err := readInvitees(ctx, r, bound)
	if err != nil {
		return affiliate.Members{}, fmt.Errorf("reading to whom a user is bound: %w", err)
	}
	return affiliate.MembersOf(accounts, invitees), nil
}

func readInvitees(ctx context.Context, r *store.Tx, bound affiliate.Bound) (map[affiliate.Account][]affiliate.UID, error) {
	told, ours, err := readCoded(ctx, r, bound.Names(affiliate.BoundByCode))
	if err != nil {
		return nil, err
	}
	// A person has a tag, and a code of ours, in every account: also where nobody knows them.
	// The names of such accounts are not for whoever is bound to the person.
	people := ours
	tagged := map[affiliate.UID]bool{}
	for _, tag := range bound.Names(affiliate.BoundByTag) {
		have, err := Tagged(ctx, r, tag)
		if err != nil {
			return nil, err
		}
		maps.Copy(tagged, have)
	}
	list := slices.Sorted(maps.Keys(tagged))
	accounts, err := r.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	for _, account := range accounts {
		people[account] = append(people[account], list...)
		knows, err := knowsAny(ctx, r, account, people[account])
		if err != nil {
			return nil, err
		}
		if knows {
			told[account] = append(told[account], people[account]...)
		}
	}
	return told, nil
}

// inviteesAtOnce is how many codes or UIDs one statement has: its text grows with them.
const inviteesAtOnce = 100

// readCoded returns the invitees whose code is one of some codes, and apart from them the people
// whose code is ours.
func readCoded(ctx context.Context, r *store.Tx, codes []string) (told, ours map[affiliate.Account][]affiliate.UID, err error) {
	told, ours = map[affiliate.Account][]affiliate.UID{}, map[affiliate.Account][]affiliate.UID{}
	for some := range slices.Chunk(codes, inviteesAtOnce) {
		list, args := store.In(some)
		rows, err := r.QueryContext(ctx, `
			SELECT a.name, i.uid, i.ours FROM `+records.CodesAt(0)+` i JOIN accounts a ON a.id = i.account_id WHERE i.invite_code IN `+list, args...)
		if err != nil {
			return nil, nil, err
		}
		defer rows.Close()
		for rows.Next() {
			var account affiliate.Account
			var uid affiliate.UID
			var isOurs bool
			if err := rows.Scan(&account, &uid, &isOurs); err != nil {
				return nil, nil, err
			}
			add := told
			if isOurs {
				add = ours
			}
			add[account] = append(add[account], uid)
		}
		if err := rows.Err(); err != nil {
			return nil, nil, err
		}
	}
	return told, ours, nil
}

// knowsAny reports whether any of some people is an invitee of an account, listed or by a
// commission.
func knowsAny(ctx context.Context, r *store.Tx, account affiliate.Account, people []affiliate.UID) (bool, error) {
	for some := range slices.Chunk(people, inviteesAtOnce) {
		list, args := store.In(some)
		var listed bool
		err := r.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM invitees i JOIN accounts a ON a.id = i.account_id WHERE a.name = ? AND i.uid IN `+list+`)`,
			slices.Concat([]any{account}, args)...).Scan(&listed)
		if listed || err != nil {
			return listed, err
		}
	}
	if len(people) == 0 {
		return false, nil
	}
	of := affiliate.MembersOf(nil, map[affiliate.Account][]affiliate.UID{account: people})
	months, err := sums.ByMonth(ctx, r, records.CommissionFilter{Days: sums.EveryDay, Account: account, Members: of})
	return len(months) > 0, err
}
