package rates

import (
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/agreements"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
	"rebatedesk/terms"
)

// usualDays is how many days before the range show what the rates were.
const usualDays = sums.PeerDays

// audit is the records of a query, judged.
type audit struct {
	terms  []terms.Term // about commission records, as agreed at the instant of the query
	series []*series    // in the order of their keys
	// provisional: a tier of the month in progress decides about the rates of the range.
	provisional bool
}

// judged returns the records of the query, judged. The caller must not change them.
func judged(ctx context.Context, q *snapshot.Snapshot) (*audit, error) {
	f := q.Filter()
	list, err := AgreedWithInvitees(ctx, q)
	if err != nil {
		return nil, err
	}
	r := &reader{Snapshot: q, first: f.Days.First}
	if r.agreed, err = agree(ctx, q, list, f.Days); err != nil {
		return nil, err
	}
	if r.codes, err = q.InviteeCodes(ctx); err != nil {
		return nil, err
	}
	f.Days.First -= usualDays
	if err := r.readUnits(ctx, f); err != nil {
		return nil, err
	}
	h, err := r.readHistory(ctx, f)
	if err != nil {
		return nil, err
	}
	return &audit{terms: list, series: h.list, provisional: r.agreed.decides(monthOf(affiliate.DayOf(q.Now, q.Zone)))}, nil
}

// AgreedWithInvitees lists the terms of the query that are not about sub-affiliates. What was agreed
// is a matter of the whole programme: who is bound to some invitees is told of no terms.
func AgreedWithInvitees(ctx context.Context, q *snapshot.Snapshot) ([]terms.Term, error) {
	if q.Limited() {
		return nil, nil
	}
	list, err := agreements.TermsAt(ctx, q.Tx, q.AsOfMillis())
	return slices.DeleteFunc(list, func(t terms.Term) bool { return t.Scope == terms.ScopeSubAffiliate }), err
}

// readUnits finds, for each coin, the unit of the last digit that the exchange gives, by which a
// commission may be rounded.
func (r *reader) readUnits(ctx context.Context, f records.CommissionFilter) error {
	days, err := snapshot.OfDays(ctx, r.Snapshot, "sums by day", f, sums.EachDay, sums.JoinEachDay)
	digits := map[affiliate.Coin]int32{}
	for i := range days {
		if d := &days[i]; d.Commission.Known() {
			digits[d.Coin] = max(digits[d.Coin], -d.Commission.Decimal().Exponent())
		}
	}
	units := map[affiliate.Coin]affiliate.Sum{}
	for coin, n := range digits {
		digits[coin] = min(max(n, fewestDigits), mostDigits)
		units[coin] = unitOf(n)
	}
	r.digits = fmt.Sprint(digits)
	r.units = func(coin affiliate.Coin) affiliate.Sum {
		if unit, ok := units[coin]; ok {
			return unit
		}
		return unitOf(mostDigits)
	}
	return err
}
