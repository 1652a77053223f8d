package store

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
)

// InviteeSteps are the first steps of an invitee, as far as the exchange tells.
type InviteeSteps struct {
	Registered   affiliate.Millis
	KYC          affiliate.Flag // no time is told of it
	FirstDeposit affiliate.Millis
	FirstTrade   affiliate.Millis
}

// InviteeSteps lists the invitees of the filter who registered, deposited for
// the first time or traded for the first time within span, in no order. The
// filter's own range is not used. It looks at every invitee once, since only
// registrations have an index.
func (r *Tx) InviteeSteps(ctx context.Context, f InviteeFilter, span affiliate.Range) ([]InviteeSteps, error) {
	f.Registered = affiliate.Range{}
	w := f.where()
	from, to := int64(affiliate.MillisOf(span.From)), int64(affiliate.MillisOf(span.To))-1
	w.add(`(i.register_ms BETWEEN ? AND ? OR i.first_deposit_ms BETWEEN ? AND ? OR i.first_trade_ms BETWEEN ? AND ?)`,
		from, to, from, to, from, to)
	rows, err := r.QueryContext(ctx, `
		SELECT i.register_ms, i.kyc, i.first_deposit_ms, i.first_trade_ms
		FROM `+inviteesAt(f.AsOf)+` i WHERE `+w.String(), w.args...)
	if err != nil {
		return nil, fmt.Errorf("reading the steps of invitees: %w", err)
	}
	defer rows.Close()
	var list []InviteeSteps
	for rows.Next() {
		var s InviteeSteps
		if err := rows.Scan(&s.Registered, &s.KYC, &s.FirstDeposit, &s.FirstTrade); err != nil {
			return nil, fmt.Errorf("reading the steps of invitees: %w", err)
		}
		list = append(list, s)
	}
	return list, rows.Err()
}

// InviteeCodes gives the invite code of each invitee whose code is known, at
// the instant asOf or, where that is unknown, now. It reads all invitees.
func (r *Tx) InviteeCodes(ctx context.Context, asOf affiliate.Millis) (map[InviteeKey]string, error) {
	names, err := r.accountNames(ctx)
	if err != nil {
		return nil, err
	}
	codes, err := r.inviteeCodes(ctx, asOf)
	if err != nil {
		return nil, err
	}
	known := make(map[InviteeKey]string, len(codes))
	for who, code := range codes {
		known[InviteeKey{names[who.account], who.uid}] = code
	}
	return known, nil
}
