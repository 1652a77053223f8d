package agreed

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
	"rebatedesk/terms"
)

// Strangers says which accounts, invite codes and invitees of terms nothing is stored about: a
// slip of the pen would otherwise go unseen, because such a term never applies. Nothing is said
// before anything is collected.
func Strangers(ctx context.Context, r *store.Tx, list []terms.Term) (remarks []string, err error) {
	accounts, err := r.Accounts(ctx)
	if err != nil || len(accounts) == 0 {
		return nil, err
	}
	invitees, err := sums.InviteeCodes(ctx, r, records.InviteeFilter{})
	if err != nil {
		return nil, err
	}
	codes, uids, known := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, code := range invitees {
		codes[code] = true
	}
	for _, account := range accounts {
		known[string(account)] = true
	}
	missing := map[string][]string{}
	note := func(what, name string, known map[string]bool) {
		if name != "" && !known[name] {
			known[name] = true // once
			missing[what] = append(missing[what], affiliate.Visible(name))
		}
	}
	for _, t := range list {
		note("account", string(t.Account), known)
		switch t.Scope {
		case terms.ScopeCode:
			note("invite code", t.Value, codes)
		case terms.ScopeUID:
			if _, seen := uids[t.Value]; seen || len(uids) == mostLookups {
				continue
			}
			if uids[t.Value], err = knownInvitee(ctx, r, accounts, affiliate.UID(t.Value)); err != nil {
				return nil, err
			}
			note("invitee", t.Value, uids)
		}
	}
	for _, what := range []struct{ name, lack string }{
		{"account", "no account has this name"}, {"invite code", "no known invitee has it, written like this"}, {"invitee", "nothing is stored about it"},
	} {
		if names := missing[what.name]; len(names) > 0 {
			remarks = append(remarks, fmt.Sprintf("Unknown %s: %s (%s).", what.name, listed(names), what.lack))
		}
	}
	return remarks, nil
}

// mostLookups is how many UIDs are looked up.
const mostLookups = 1000

// knownInvitee reports whether a UID is in a list of invitees or in a commission record.
func knownInvitee(ctx context.Context, r *store.Tx, accounts []affiliate.Account, uid affiliate.UID) (bool, error) {
	for _, account := range accounts {
		_, err := store.KnownInvitee(ctx, r, account, uid)
		if rule, ok := errors.AsType[*store.RuleError](err); ok && rule.Missing {
			continue
		}
		return err == nil, err
	}
	return false, nil
}

// listed names the first few.
func listed(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
