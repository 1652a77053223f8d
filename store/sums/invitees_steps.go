package sums

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// InviteeSteps are the first steps of an invitee, as far as the exchange reports them.
type InviteeSteps struct {
	Registered   affiliate.Millis
	KYC          affiliate.Flag // its time is not reported
	FirstDeposit affiliate.Millis
	FirstTrade   affiliate.Millis
}

// StepsOfInvitees lists the invitees of the filter who registered, deposited for the first
// time or traded for the first time within span, in no order. The filter's own range is
// ignored. It reads every invitee once, because only registrations have an index.
func StepsOfInvitees(ctx context.Context, r *store.Tx, f records.InviteeFilter, span affiliate.Range) ([]InviteeSteps, error) {
	f.Registered = affiliate.Range{}
	w := f.Where()
	from, to := int64(affiliate.MillisOf(span.From)), int64(affiliate.MillisOf(span.To))-1
	w.Add(`(i.register_ms BETWEEN ? AND ? OR i.first_deposit_ms BETWEEN ? AND ? OR i.first_trade_ms BETWEEN ? AND ?)`,
		from, to, from, to, from, to)
	rows, err := r.QueryContext(ctx, `
		SELECT i.register_ms, i.kyc, i.first_deposit_ms, i.first_trade_ms
		FROM `+records.InviteesAt(f.AsOf)+` i WHERE `+w.String(), w.Args...)
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
