package payments

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// HourFilter narrows the commission of UTC hours. Empty fields do not narrow.
type HourFilter struct {
	Days    affiliate.Days // UTC days
	Account affiliate.Account
	Coin    affiliate.Coin
	AsOf    affiliate.Millis // the state known at that instant; unknown means now
}

// HourRow is the commission of a UTC day, hour by hour.
type HourRow struct {
	Account affiliate.Account
	Coin    affiliate.Coin
	Source  affiliate.Source
	Day     affiliate.Day // UTC
	Sums    [24]affiliate.Sum
}

// Hours returns the commission of the filter, sorted by day, account, coin and source. Lines
// whose sums are all zero are left out. Days that have not changed since the requested state
// come from the roll-up, the others from the rows, and so do all while the roll-up is not made.
func Hours(ctx context.Context, r *store.Tx, f HourFilter) ([]HourRow, error) {
	list, err := readHours(ctx, r, f)
	if err != nil {
		return nil, fmt.Errorf("reading the commission of hours: %w", err)
	}
	return list, nil
}

func readHours(ctx context.Context, r *store.Tx, f HourFilter) ([]HourRow, error) {
	if f.Days.Len() == 0 {
		return nil, nil
	}
	changed, err := changedSince(ctx, r, f)
	if err != nil {
		return nil, err
	}
	list, err := storedHours(ctx, r, f)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(row HourRow) bool {
		return slices.ContainsFunc(changed, func(days affiliate.Days) bool { return days.Contains(row.Day) })
	})
	for _, days := range changed {
		f.Days = days
		added, err := addedHours(ctx, r, f)
		if err != nil {
			return nil, err
		}
		list = append(list, added...)
	}
	slices.SortFunc(list, func(a, b HourRow) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Coin, b.Coin), cmp.Compare(a.Source, b.Source))
	})
	return list, nil
}

// changedSince returns the UTC days of the filter whose roll-up is not that of the requested
// state, in ranges that do not overlap.
func changedSince(ctx context.Context, r *store.Tx, f HourFilter) ([]affiliate.Days, error) {
	made, err := records.HoursMade(ctx, r)
	if err != nil {
		return nil, err
	}
	var zoneName string
	var rolled affiliate.Millis
	if err := r.QueryRowContext(ctx, `SELECT zone, rolled_ms FROM meta WHERE id = 1`).Scan(&zoneName, &rolled); err != nil {
		return nil, err
	}
	switch {
	case !made, f.AsOf.Known() && (zoneName == "" || f.AsOf < rolled):
		return []affiliate.Days{f.Days}, nil
	case !f.AsOf.Known():
		return nil, nil
	}
	zone, err := time.LoadLocation(zoneName)
	if err != nil {
		return nil, err
	}
	// A reporting day meets up to three UTC days.
	days, err := store.Scanned(ctx, r, func(rows *sql.Rows) (day affiliate.Day, err error) {
		err = rows.Scan((*store.DayText)(&day))
		return day, err
	}, `SELECT day FROM commission_changes WHERE changed_ms > ? AND day BETWEEN ? AND ? ORDER BY day`,
		int64(f.AsOf), (f.Days.First - 1).String(), (f.Days.Last + 1).String())
	if err != nil {
		return nil, err
	}
	var list []affiliate.Days
	for _, day := range days {
		span := day.Range(zone)
		utc := affiliate.Days{First: max(f.Days.First, affiliate.DayOf(span.From, time.UTC)),
			Last: min(f.Days.Last, affiliate.DayOf(span.To.Add(-time.Millisecond), time.UTC))}
		if n := len(list); n > 0 && utc.First <= list[n-1].Last+1 {
			list[n-1].Last = max(list[n-1].Last, utc.Last)
		} else if utc.Len() > 0 {
			list = append(list, utc)
		}
	}
	return list, nil
}

// storedHours reads the roll-up.
func storedHours(ctx context.Context, r *store.Tx, f HourFilter) ([]HourRow, error) {
	var w store.Where
	w.Add(`(? = '' OR a.name = ?)`, f.Account, f.Account)
	w.Add(`h.day BETWEEN ? AND ?`, f.Days.First.String(), f.Days.Last.String())
	if f.Coin != "" {
		store.AnyOf(&w, `h.coin`, f.Coin)
	}
	return store.Scanned(ctx, r, func(rows *sql.Rows) (row HourRow, err error) {
		var text string
		if err := rows.Scan(&row.Account, (*store.DayText)(&row.Day), &row.Coin, &row.Source, &text); err != nil {
			return row, err
		}
		sums, err := rollup.ParseHourSums(text)
		row.Sums = sums
		return row, err
	}, `SELECT a.name, h.day, h.coin, h.source, h.sums FROM accounts a JOIN commission_hours h ON h.account_id = a.id WHERE `+w.String(), w.Args...)
}

// addedHours adds up the rows.
func addedHours(ctx context.Context, r *store.Tx, f HourFilter) ([]HourRow, error) {
	names, err := r.AccountNames(ctx)
	if err != nil {
		return nil, err
	}
	w := records.CommissionFilter{Account: f.Account, Coin: f.Coin, AsOf: f.AsOf}.Rows(f.Days.Range(time.UTC))
	rows, err := r.QueryContext(ctx, `
		SELECT c.account_id, c.coin, c.source, c.deal_time_ms / 3600000 AS hour, decimal_sum(c.commission)
		FROM commissions c WHERE `+w.String()+` GROUP BY c.account_id, c.coin, c.source, c.deal_time_ms / 3600000`, w.Args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	type line struct {
		account int64
		rollup.HourKey
	}
	lines := map[line]*rollup.HourSums{}
	for rows.Next() {
		var of line
		var hour int64
		var commission affiliate.Number
		if err := rows.Scan(&of.account, &of.Coin, &of.Source, &hour, &commission); err != nil {
			return nil, err
		}
		of.Day = affiliate.Day(hour / 24)
		if !rollup.At(lines, of)[hour%24].Add(commission) {
			return nil, fmt.Errorf("the sum %.50q is no number", commission)
		}
	}
	var list []HourRow
	for of, sums := range lines {
		if !sums.Zero() {
			list = append(list, HourRow{names[of.account], of.Coin, of.Source, of.Day, *sums})
		}
	}
	return list, rows.Err()
}
