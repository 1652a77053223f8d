package reports

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// storedCoins are the coins that a filter means: those of the very names, else
// those that differ from them in letter case alone, else what was typed. A name
// may hold a comma: the whole filter is tried first.
func storedCoins(ctx context.Context, r *store.Tx, filter affiliate.Coin) (affiliate.Coin, error) {
	stored, err := r.Coins(ctx)
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

// meant is the stored coin of a name. Where several differ from it in letter case
// alone, it is none of them.
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

// Coin is what somebody means by the coins of a filter, as reports take them: the
// stored ones, else the names as they are.
func (s *Service) Coin(ctx context.Context, filter affiliate.Coin) (affiliate.Coin, error) {
	if filter == "" {
		return "", nil
	}
	r, err := s.store.Read(ctx)
	if err != nil {
		return filter, err
	}
	defer r.Close()
	return storedCoins(ctx, r, filter)
}

// unknown tells which filters name what is nowhere stored, so that they can match
// nothing, in a sentence each.
func (q *question) unknown(ctx context.Context, o Options) (words []string, err error) {
	if !slices.Contains(o.Coins, q.Coin) { // a coin may hold a comma, and so may a code
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
		sums, err := q.SymbolSums(ctx, store.CommissionFilter{Days: allDays, Symbol: q.Symbol})
		if err != nil {
			return nil, err
		}
		if len(sums) == 0 {
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

// storedUID tells whether the UID of the query is that of an invitee, or of
// somebody who brought commission.
func (q *question) storedUID(ctx context.Context) (bool, error) {
	sums, err := q.InviteeSums(ctx, store.CommissionFilter{Days: allDays, UID: q.UID})
	if err != nil || len(sums) > 0 {
		return true, err
	}
	for _, err := range q.Tx.Invitees(ctx, store.InviteeFilter{UID: q.UID}) {
		return true, err
	}
	return false, nil
}

// subAffiliateOptions are what the filters of sub-affiliates offer: these can be
// narrowed by UID alone, and it is none of an invitee.
func (q *question) subAffiliateOptions(ctx context.Context) (Options, error) {
	o := Options{Accounts: q.known}
	if q.UID == "" {
		return o, nil
	}
	spans, err := q.SubAffiliateSpans(ctx, store.SubAffiliateFilter{Days: allDays, UID: q.UID})
	if err == nil && len(spans) == 0 {
		o.Unknown = []string{fmt.Sprintf("Nothing of a sub-affiliate with the UID %q is stored.", q.UID)}
	}
	return o, err
}

// Unknown tells which filters of the export can match nothing.
func (e *Export) Unknown(ctx context.Context) ([]string, error) {
	options := e.question.options
	if e.Kind == ExportSubAffiliates {
		options = e.question.subAffiliateOptions
	}
	o, err := options(ctx)
	return o.Unknown, err
}
