package snapshot

import (
	"context"
	"fmt"
	"hash/fnv"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// CodeBook has the invite codes of invitees: those that the exchange tells, and for others
// those of ours. Nil has none.
type CodeBook struct {
	told   map[sums.InviteeKey]string
	own    map[affiliate.UID]string // in whichever accounts, also beside one that is told
	only   map[string]bool          // codes of ours that the exchange tells of nobody
	digest uint64
}

// Of returns the code of an invitee, "" if it is not known.
func (c *CodeBook) Of(key sums.InviteeKey) string {
	if c == nil {
		return ""
	}
	if code := c.told[key]; code != "" {
		return code
	}
	return c.own[key.UID]
}

// Ours reports whether the code of an invitee is ours.
func (c *CodeBook) Ours(account affiliate.Account, uid affiliate.UID) bool {
	return c != nil && c.own[uid] != "" && c.told[sums.InviteeKey{Account: account, UID: uid}] == ""
}

// OnlyOurs reports whether a code is one of ours that the exchange tells of nobody.
func (c *CodeBook) OnlyOurs(code string) bool { return c != nil && c.only[code] }

// Digest returns a number that differs if the codes do.
func (c *CodeBook) Digest() uint64 { return c.digest }

// Weight estimates the memory of the codes.
func (c *CodeBook) Weight() uint64 { return uint64(len(c.told))*120 + uint64(len(c.own))*80 }

// InviteeCodes returns the invite codes of the invitees of the query as known at its AsOf,
// whatever its other filters. Those of now stay in the cache until one changes. The caller must
// ask for invitees of the query only.
func (q *Snapshot) InviteeCodes(ctx context.Context) (*CodeBook, error) {
	const name = "codes of invitees"
	if f := q.EveryInvitee(); f.AsOf.Known() {
		return Part(ctx, q, name, f, q.readCodes)
	}
	changed, err := sums.LastCodeChange(ctx, q.Tx)
	if err != nil {
		return nil, err
	}
	return Lasting(ctx, q, name, nil, changed, q.readCodes)
}

func (q *Snapshot) readCodes(ctx context.Context) (*CodeBook, error) {
	c := &CodeBook{only: map[string]bool{}}
	var err error
	if c.told, err = sums.ToldCodes(ctx, q.Tx, q.EveryInvitee()); err != nil {
		return nil, err
	}
	if c.own, err = records.OwnCodes(ctx, q.Tx, q.AsOfMillis()); err != nil {
		return nil, err
	}
	note := func(account affiliate.Account, uid affiliate.UID, code string) { // in any order
		hash := fnv.New64a()
		fmt.Fprintf(hash, "%s\n%s\n%s", account, uid, code)
		c.digest += hash.Sum64()
	}
	for uid, code := range c.own {
		c.only[code] = true
		note("", uid, code)
	}
	for key, code := range c.told {
		delete(c.only, code)
		note(key.Account, key.UID, code)
	}
	return c, nil
}

// Codes lists the invite codes in use among the invitees of a set now. The caller must not
// change them.
func (q *Snapshot) Codes(ctx context.Context, of affiliate.Members) ([]string, error) {
	names, err := q.Tx.AccountNames(ctx)
	if err != nil {
		return nil, err
	}
	changed, err := sums.LastCodeChange(ctx, q.Tx)
	if err != nil {
		return nil, err
	}
	type asked struct {
		of       affiliate.Members
		accounts int // a code of ours counts in a new account from its beginning
	}
	return Lasting(ctx, q, "invite codes", asked{of, len(names)}, changed, func(ctx context.Context) ([]string, error) {
		return records.Codes(ctx, q.Tx, of, 0)
	})
}
