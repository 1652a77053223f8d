package sums

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// CodeDay is the commission of an invite code on one reporting day.
type CodeDay struct {
	Day        affiliate.Day
	Account    affiliate.Account
	Code       string // empty: the code of the invitee is not known
	Records    int64
	Commission affiliate.Number
}

// DaysOfCodes is [ByCodeDay]; joined lists are one after the other, oldest first.
var DaysOfCodes = Reading[[]CodeDay]{Read: ByCodeDay, longest: rollup.OfDay, invitees: true}

// ByCodeDay adds up the commission of the filter by reporting day, account and invite code,
// in that order. The filter must name a coin. The cost grows with the days and the codes.
func ByCodeDay(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]CodeDay, error) {
	list, err := codeDays(ctx, r, f)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by code: %w", err)
	}
	slices.SortFunc(list, func(a, b CodeDay) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Code, b.Code))
	})
	return list, nil
}

func codeDays(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]CodeDay, error) {
	names, err := r.AccountNames(ctx)
	if err != nil {
		return nil, err
	}
	k, codeOf := rollup.ByCode, func(e *entry) string { return strings.Clone(e.Name) } // a copy, independent of the block's text
	if !inBlocks(r, f, k) {
		codes, err := inviteeCodes(ctx, r, f)
		if err != nil {
			return nil, err
		}
		k, codeOf = rollup.ByUID, func(e *entry) string { return codes(e.person()) }
	}
	groups := map[CodeDay]*rollup.LineFigures{}
	var s *rollup.LineFigures // of the code and the day of the entry
	err = eachEntry(ctx, r, f, k, rollup.OfDay, func(e *entry) error {
		if e.another { // no block is longer than a day
			s = rollup.At(groups, CodeDay{Day: e.day, Account: names[e.account], Code: codeOf(e)})
		}
		return e.addCommissionTo(s)
	})
	list := make([]CodeDay, 0, len(groups))
	for day, s := range groups {
		day.Records, day.Commission = s.Records, affiliate.Number(s.Commission.String())
		list = append(list, day)
	}
	return list, err
}
