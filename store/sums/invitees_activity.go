package sums

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// InviteeKey identifies an invitee: several accounts may have the same UID.
type InviteeKey struct {
	Account affiliate.Account
	UID     affiliate.UID
}

// InviteeDays lists the reporting days on which each invitee brought a record of the
// filter, oldest first. The cost grows with the invitees who traded on each day of the
// range.
func InviteeDays(ctx context.Context, r *store.Tx, f records.CommissionFilter) (map[InviteeKey][]affiliate.Day, error) {
	names, err := r.AccountNames(ctx)
	if err != nil {
		return nil, err
	}
	people := newPeople()
	var days [][]affiliate.Day // by number of the person
	err = eachEntry(ctx, r, f, rollup.ByUID, rollup.OfDay, func(e *entry) error {
		if !e.another {
			return nil
		}
		n := people.of(e)
		if n == len(days) {
			days = append(days, nil)
		}
		if list := days[n]; len(list) == 0 || list[len(list)-1] != e.day {
			days[n] = append(list, e.day)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the days of invitees: %w", err)
	}
	of := make(map[InviteeKey][]affiliate.Day, len(days))
	for n, who := range people.list {
		slices.Sort(days[n])
		of[InviteeKey{names[who.account], who.uid}] = slices.Clone(slices.Compact(days[n])) // no spare capacity
	}
	return of, nil
}

// LastCommission returns when the newest record of an invitee was earned, as known at the
// instant asOf or, if asOf is unknown, now. It is unknown if no record exists.
func LastCommission(ctx context.Context, r *store.Tx, k InviteeKey, asOf affiliate.Millis) (affiliate.Millis, error) {
	return edgeCommission(ctx, r, k, asOf, "DESC")
}

// FirstCommission is like [LastCommission], for the oldest record.
func FirstCommission(ctx context.Context, r *store.Tx, k InviteeKey, asOf affiliate.Millis) (affiliate.Millis, error) {
	return edgeCommission(ctx, r, k, asOf, "ASC")
}

func edgeCommission(ctx context.Context, r *store.Tx, k InviteeKey, asOf affiliate.Millis, direction string) (affiliate.Millis, error) {
	var w store.Where
	records.CommissionFilter{Account: k.Account, UID: k.UID}.OfRecords(&w)
	records.OpenRows(&w, asOf)
	var at affiliate.Millis
	err := r.QueryRowContext(ctx, `
		SELECT c.deal_time_ms FROM commissions c WHERE `+w.String()+`
		ORDER BY c.deal_time_ms `+direction+` LIMIT 1`, w.Args...).Scan(&at)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("reading a record of %s: %w", k.UID, err)
	}
	return at, nil
}

// MonthSums are the sums of one calendar month in one coin.
type MonthSums struct {
	First affiliate.Day // of the month
	Coin  affiliate.Coin
	Sums
}

// ByMonth adds up the records of the filter by month and coin, oldest month first. The cost
// grows with the months.
func ByMonth(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]MonthSums, error) {
	groups := map[MonthSums]*rollup.LineFigures{}
	err := eachEntry(ctx, r, f, rollup.ByUID, rollup.OfMonth, func(e *entry) error {
		return e.addTo(rollup.At(groups, MonthSums{First: rollup.BlockOf(rollup.OfMonth, e.day).First, Coin: e.Coin}))
	})
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by month: %w", err)
	}
	list := make([]MonthSums, 0, len(groups))
	for key, s := range groups {
		key.Sums = sumsOf(s)
		list = append(list, key)
	}
	slices.SortFunc(list, func(a, b MonthSums) int { return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Coin, b.Coin)) })
	return list, nil
}
