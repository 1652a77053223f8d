package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
)

// InviteeKey names an invitee: the same UID may be one of several accounts.
type InviteeKey struct {
	Account affiliate.Account
	UID     affiliate.UID
}

// InviteeDays lists the reporting days on which each invitee brought a record
// of the filter, oldest first. The cost follows the invitees who traded on each
// day of the range.
func (r *Tx) InviteeDays(ctx context.Context, f CommissionFilter) (map[InviteeKey][]affiliate.Day, error) {
	names, err := r.accountNames(ctx)
	if err != nil {
		return nil, err
	}
	people := newPeople()
	var days [][]affiliate.Day // by number of the person
	err = r.eachEntry(ctx, f, byUID, ofDay, func(e *entry) error {
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
		of[InviteeKey{names[who.account], who.uid}] = slices.Clone(slices.Compact(days[n])) // no room behind them
	}
	return of, nil
}

// LastCommission is when the newest record of an invitee was earned, as known
// at the instant asOf or, where that is unknown, now. It is unknown where there
// is no record.
func (r *Tx) LastCommission(ctx context.Context, k InviteeKey, asOf affiliate.Millis) (affiliate.Millis, error) {
	return r.edgeCommission(ctx, k, asOf, "DESC")
}

// FirstCommission is the same of the oldest record.
func (r *Tx) FirstCommission(ctx context.Context, k InviteeKey, asOf affiliate.Millis) (affiliate.Millis, error) {
	return r.edgeCommission(ctx, k, asOf, "ASC")
}

func (r *Tx) edgeCommission(ctx context.Context, k InviteeKey, asOf affiliate.Millis, direction string) (affiliate.Millis, error) {
	var w where
	CommissionFilter{Account: k.Account, UID: k.UID}.ofRecords(&w)
	openRows(&w, asOf)
	var at affiliate.Millis
	err := r.QueryRowContext(ctx, `
		SELECT c.deal_time_ms FROM commissions c WHERE `+w.String()+`
		ORDER BY c.deal_time_ms `+direction+` LIMIT 1`, w.args...).Scan(&at)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("reading a record of %s: %w", k.UID, err)
	}
	return at, nil
}

// MonthSums are what was brought in one calendar month in one coin.
type MonthSums struct {
	First affiliate.Day // of the month
	Coin  affiliate.Coin
	Sums
}

// MonthSums adds up the records of the filter by month and coin, oldest month
// first. The cost follows the months.
func (r *Tx) MonthSums(ctx context.Context, f CommissionFilter) ([]MonthSums, error) {
	groups := map[MonthSums]*sums{}
	err := r.eachEntry(ctx, f, byUID, ofMonth, func(e *entry) error {
		return e.addTo(at(groups, MonthSums{First: blockOf(ofMonth, e.day).first, Coin: e.coin}))
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
