package question

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
	"rebatedesk/store/segments"
	"rebatedesk/store/sums"
)

// Options are the values that the filters offer.
func (q *Question) Options(ctx context.Context) (Options, error) {
	coins, err := q.Coins(ctx)
	if err != nil {
		return Options{}, err
	}
	codes, err := q.Codes(ctx, q.Members)
	if err != nil {
		return Options{}, err
	}
	o := Options{Accounts: q.Known, Coins: coins, Codes: codes}
	if !q.Visible.Limited() { // the names of segments can say something about others
		if o.Segments, err = segments.SegmentNames(ctx, q.Tx); err != nil {
			return Options{}, err
		}
	}
	o.Unknown, err = q.unknown(ctx, o)
	return o, err
}

// Coins lists the coins in which the invitees of the query ever earned commission.
func (q *Question) Coins(ctx context.Context) ([]affiliate.Coin, error) {
	return Part(ctx, q, "coins", nil, func(ctx context.Context) ([]affiliate.Coin, error) {
		return sums.Coins(ctx, q.Tx, q.Members)
	})
}

// UnknownCode counts the records that a query for an invite code has to leave out because
// their code is unknown.
func (q *Question) UnknownCode(ctx context.Context) (int64, error) {
	if q.Code == "" {
		return 0, nil
	}
	f := q.Filter()
	f.Code = ""
	return sums.UnknownCodes(ctx, q.Tx, f)
}

// StoredCoins returns the coins selected by a filter: those with exactly these names,
// otherwise those that differ only in case, otherwise the names as typed. A name can
// contain a comma, so the whole filter is tried first.
func (q *Question) StoredCoins(ctx context.Context, filter affiliate.Coin) (affiliate.Coin, error) {
	stored, err := q.Coins(ctx)
	if err != nil {
		return filter, err
	}
	if whole := meant(stored, filter); slices.Contains(stored, whole) {
		return whole, nil
	}
	coins, known := affiliate.Choices(filter), false
	for i, name := range coins {
		coins[i] = meant(stored, name)
		known = known || slices.Contains(stored, coins[i])
	}
	if !known {
		return filter, nil // it may be one coin that is not stored yet
	}
	return affiliate.Choose(coins), nil
}

// meant returns the stored coin for a name. If several coins differ from it only in case,
// it returns none of them.
func meant(stored []affiliate.Coin, name affiliate.Coin) affiliate.Coin {
	if slices.Contains(stored, name) {
		return name
	}
	alike := slices.DeleteFunc(slices.Clone(stored), func(s affiliate.Coin) bool { return !strings.EqualFold(string(s), string(name)) })
	if len(alike) == 1 {
		return alike[0]
	}
	return name
}

// unknown returns a sentence for each filter that can match nothing because its value is
// not stored.
func (q *Question) unknown(ctx context.Context, o Options) (words []string, err error) {
	if !slices.Contains(o.Coins, q.Coin) { // a coin may contain a comma, and so may a code
		for _, coin := range affiliate.Choices(q.Coin) {
			if !slices.Contains(o.Coins, coin) {
				words = append(words, fmt.Sprintf("No commission in the coin %q is stored.", coin))
			}
		}
	}
	someCode := func(code string) bool {
		return slices.ContainsFunc(o.Codes, func(stored string) bool { return strings.EqualFold(stored, code) })
	}
	if !someCode(q.Code) {
		for _, code := range affiliate.Choices(q.Code) {
			if !someCode(code) {
				words = append(words, fmt.Sprintf("No invitee with the invite code %q is stored.", code))
			}
		}
	}
	if q.Symbol != "" {
		totals, err := sums.BySymbol(ctx, q.Tx, records.CommissionFilter{Days: AllDays, Symbol: q.Symbol, Members: q.Members})
		if err != nil {
			return nil, err
		}
		if len(totals) == 0 {
			words = append(words, fmt.Sprintf("No commission in the pair %q is stored.", q.Symbol))
		}
	}
	if q.UID == "" {
		return words, nil
	}
	stored, err := q.storedUID(ctx)
	if err == nil && !stored {
		words = append(words, fmt.Sprintf("Nothing of the UID %q is stored.", q.UID))
	}
	return words, err
}

// storedUID reports whether the UID of the query is stored, for an invitee or a commission
// record.
func (q *Question) storedUID(ctx context.Context) (bool, error) {
	list, err := sums.ByInvitee(ctx, q.Tx, records.CommissionFilter{Days: AllDays, UID: q.UID, Members: q.Members})
	if err != nil || len(list) > 0 {
		return true, err
	}
	for _, err := range records.Invitees(ctx, q.Tx, records.InviteeFilter{UID: q.UID, Members: q.Members}) {
		return true, err
	}
	return false, nil
}
