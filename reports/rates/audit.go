package rates

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/question"
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
func judged(ctx context.Context, q *question.Question) (*audit, error) {
	f := q.Filter()
	var list []terms.Term
	if !q.Limited() { // what was agreed is a matter of the whole programme
		var err error
		if list, err = agreements.TermsAt(ctx, q.Tx, f.AsOf); err != nil {
			return nil, err
		}
	}
	list = slices.DeleteFunc(list, func(t terms.Term) bool { return t.Scope == terms.ScopeSubAffiliate })
	r := &reader{Question: q, first: f.Days.First}
	var err error
	if r.agreed, err = agree(ctx, q, list, f.Days); err != nil {
		return nil, err
	}
	if r.codes, err = readCodes(ctx, q); err != nil {
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

// inviteeCodes are the invite codes of all invitees, with a number that differs if they do.
type inviteeCodes struct {
	of     map[sums.InviteeKey]string
	digest uint64
}

// Weight estimates the memory of the codes.
func (c *inviteeCodes) Weight() uint64 { return uint64(len(c.of)) * 120 }

// readCodes reads the codes as of the instant of the query.
func readCodes(ctx context.Context, q *question.Question) (*inviteeCodes, error) {
	read := func(ctx context.Context) (*inviteeCodes, error) {
		of, err := sums.InviteeCodes(ctx, q.Tx, q.EveryInvitee())
		codes := &inviteeCodes{of: of}
		for who, code := range of { // in any order
			hash := fnv.New64a()
			fmt.Fprintf(hash, "%s\n%s\n%s", who.Account, who.UID, code)
			codes.digest += hash.Sum64()
		}
		return codes, err
	}
	const name = "codes of invitees"
	if q.AsOfMillis().Known() {
		return question.Part(ctx, q, name, q.AsOfMillis(), read)
	}
	changed, err := sums.LastInviteeChange(ctx, q.Tx)
	if err != nil {
		return nil, err
	}
	return question.Lasting(ctx, q, name, nil, changed, read)
}

// readUnits finds, for each coin, the unit of the last digit that the exchange gives, by which a
// commission may be rounded.
func (r *reader) readUnits(ctx context.Context, f records.CommissionFilter) error {
	days, err := question.OfDays(ctx, r.Question, "sums by day", f, sums.EachDay, sums.JoinEachDay)
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
