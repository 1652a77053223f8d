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
// those that differ from them in letter case alone, else the names as they are.
func storedCoins(ctx context.Context, r *store.Reader, filter affiliate.Coin) (affiliate.Coin, error) {
	stored, err := r.Coins(ctx)
	if err != nil {
		return filter, err
	}
	coins := affiliate.Choices(filter)
	for i, name := range coins {
		coins[i] = meant(stored, name)
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

// Coin is what somebody means by the coins of a filter, for what is kept: the
// stored ones, as reports take them, else the names in capitals, as coins usually
// are.
func (s *Service) Coin(ctx context.Context, filter affiliate.Coin) (affiliate.Coin, error) {
	if filter == "" {
		return "", nil
	}
	r, err := s.store.Read(ctx)
	if err != nil {
		return filter, err
	}
	defer r.Close()
	stored, err := r.Coins(ctx)
	coins := affiliate.Choices(filter)
	for i, name := range coins {
		if coins[i] = meant(stored, name); !slices.Contains(stored, coins[i]) {
			coins[i] = affiliate.Coin(strings.ToUpper(string(name)))
		}
	}
	return affiliate.Choose(coins), err
}

// Unknown tells which filters of a query name what is nowhere stored, so that
// they can match nothing, in a sentence each.
func (o Options) Unknown(q Query) (words []string) {
	for _, coin := range affiliate.Choices(q.Coin) {
		if !slices.Contains(o.Coins, meant(o.Coins, coin)) {
			words = append(words, fmt.Sprintf("No commission in the coin %q is stored.", coin))
		}
	}
	if slices.Contains(o.Codes, q.Code) {
		return words // a code may hold a comma
	}
	for _, code := range affiliate.Choices(q.Code) {
		if !slices.Contains(o.Codes, code) {
			words = append(words, fmt.Sprintf("No invitee with the invite code %q is stored.", code))
		}
	}
	return words
}

// Unknown tells which filters of the export can match nothing.
func (e *Export) Unknown(ctx context.Context) ([]string, error) {
	options, err := e.question.options(ctx)
	return options.Unknown(e.Query), err
}
