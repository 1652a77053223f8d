package commissions

import (
	"cmp"
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// RestatedDay is what was noticed on one reporting day of records that changed after their days had
// been collected.
type RestatedDay struct {
	Day    affiliate.Day
	Coins  []Restated // the coin with most records first
	Kinds  map[RestatementKind]int64
	Newest affiliate.Millis // when the newest was noticed
}

// RestatedByDay lists the days on which restatements were noticed after an instant, the newest first,
// of all days of commission. It counts each of them once, as [MakeRestatements] does.
func RestatedByDay(ctx context.Context, q *snapshot.Snapshot, since affiliate.Millis) ([]RestatedDay, error) {
	today := affiliate.DayOf(q.Now, q.Zone)
	first, err := sums.FirstDay(ctx, q.Tx, today)
	if err != nil {
		return nil, err
	}
	f := q.Filter()
	f.Days = affiliate.Days{First: first, Last: today}
	days := map[affiliate.Day]*RestatedDay{}
	coins := map[affiliate.Day]map[affiliate.Coin]*Restated{}
	for found, err := range records.RestatementsSince(ctx, q.Tx, f, since) {
		if err != nil {
			return nil, err
		}
		row := restatementOf(found)
		noticed := affiliate.DayOf(row.Noticed.Time(), q.Zone)
		day := days[noticed]
		if day == nil {
			day = &RestatedDay{Day: noticed, Kinds: map[RestatementKind]int64{}}
			days[noticed], coins[noticed] = day, map[affiliate.Coin]*Restated{}
		}
		day.Kinds[row.Kind]++
		day.Newest = max(day.Newest, row.Noticed)
		of := coins[noticed]
		if of[row.Coin] == nil {
			of[row.Coin] = &Restated{Coin: row.Coin}
		}
		of[row.Coin].add(row, q.Query)
	}
	list := make([]RestatedDay, 0, len(days))
	for noticed, day := range days {
		for _, of := range coins[noticed] {
			day.Coins = append(day.Coins, *of)
		}
		slices.SortFunc(day.Coins, func(a, b Restated) int {
			return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Coin, b.Coin))
		})
		list = append(list, *day)
	}
	slices.SortFunc(list, func(a, b RestatedDay) int { return cmp.Compare(b.Day, a.Day) })
	return list, nil
}
