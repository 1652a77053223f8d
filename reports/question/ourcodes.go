package question

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store/sums"
)

// OurCodes says which invite codes are ours.
type OurCodes struct {
	Of    map[sums.InviteeKey]bool // invitees of whom the exchange tells no code, and who have one of ours
	Named map[string]bool          // codes of ours that the exchange tells of nobody
}

// Has reports whether the code of an invitee is ours.
func (o OurCodes) Has(account affiliate.Account, uid affiliate.UID) bool {
	return o.Of[sums.InviteeKey{Account: account, UID: uid}]
}

// OurCodes returns the invite codes of ours among all invitees of the query, as known at its
// AsOf. The caller must not change them.
func (q *Question) OurCodes(ctx context.Context) (OurCodes, error) {
	asked := q.EveryInvitee()
	return Part(ctx, q, "codes of ours", asked, func(ctx context.Context) (o OurCodes, err error) {
		if o.Of, err = sums.OurCodeInvitees(ctx, q.Tx, asked); err != nil {
			return o, fmt.Errorf("codes of ours: %w", err)
		}
		if len(o.Of) == 0 {
			return o, nil
		}
		codes, err := Read(ctx, q, "codes of invitees", asked, sums.InviteeCodes)
		if err != nil {
			return o, fmt.Errorf("codes of ours: %w", err)
		}
		o.Named = map[string]bool{}
		for key := range o.Of {
			o.Named[codes[key]] = true
		}
		for key, code := range codes {
			if !o.Of[key] {
				delete(o.Named, code)
			}
		}
		return o, nil
	})
}
