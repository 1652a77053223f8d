package sums

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// GroupDay is the commission of a group of invitees on one reporting day.
type GroupDay struct {
	Day        affiliate.Day
	Group      int
	Records    int64
	Commission affiliate.Number
}

// ByGroup adds up the commission of the filter by reporting day and group of invitees, in
// that order. The filter must name a coin. Invitees of a negative group are left out.
func ByGroup(ctx context.Context, r *store.Tx, f records.CommissionFilter, groupOf func(InviteeKey) int) ([]GroupDay, error) {
	names, err := r.AccountNames(ctx)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by group: %w", err)
	}
	groups := map[GroupDay]*rollup.LineFigures{}
	people := newPeople()
	var groupsOf []int        // by number of the person
	var s *rollup.LineFigures // of the group and the day of the entry; nil: it is left out
	err = eachEntry(ctx, r, f, rollup.ByUID, rollup.OfDay, func(e *entry) error {
		if e.another { // no block is longer than a day
			n := people.of(e)
			if n == len(groupsOf) {
				groupsOf = append(groupsOf, groupOf(InviteeKey{names[e.account], affiliate.UID(e.Name)}))
			}
			if s = nil; groupsOf[n] >= 0 {
				s = rollup.At(groups, GroupDay{Day: e.day, Group: groupsOf[n]})
			}
		}
		if s == nil {
			return nil
		}
		return e.addCommissionTo(s)
	})
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by group: %w", err)
	}
	list := make([]GroupDay, 0, len(groups))
	for day, s := range groups {
		day.Records, day.Commission = s.Records, affiliate.Number(s.Commission.String())
		list = append(list, day)
	}
	slices.SortFunc(list, func(a, b GroupDay) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Group, b.Group))
	})
	return list, nil
}
