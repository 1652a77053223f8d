package sums

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// ActiveTraders counts the invitees with at least one record of the filter. A caller that
// also needs [ByInvitee] of the same filter counts its result instead.
func ActiveTraders(ctx context.Context, r *store.Tx, f records.CommissionFilter) (int64, error) {
	active := newPeople()
	err := eachEntry(ctx, r, f, rollup.ByUID, rollup.OfYear, func(e *entry) error {
		if e.another {
			active.of(e)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("counting active traders: %w", err)
	}
	return int64(len(active.list)), nil
}

// DayTraders is the number of invitees who traded on a reporting day.
type DayTraders struct {
	Day     affiliate.Day
	Traders int64
}

// TradersByDay counts, for each reporting day, the invitees with at least one record of the
// filter, oldest day first. Days without any have no line. A filter by whole accounts alone is
// answered without reading the names.
func TradersByDay(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]DayTraders, error) {
	read := dayTradersByName
	if inDays(r, f) && f == (records.CommissionFilter{Days: f.Days, Account: f.Account, Members: f.Members}) {
		read = dayTradersCounted
	}
	list, err := read(ctx, r, f)
	if err != nil {
		return nil, fmt.Errorf("counting active traders by day: %w", err)
	}
	return list, nil
}

// dayTradersCounted adds up the counts stored with blocks: no invitee is in two shards, nor
// in two accounts.
func dayTradersCounted(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]DayTraders, error) {
	q, err := askBlocks(ctx, r, f, rollup.ByUID)
	if err != nil {
		return nil, err
	}
	return q.namesByDay(ctx, rollup.Stretch{Span: rollup.OfDay, First: f.Days.First, Last: f.Days.Last})
}

// namesByDay adds up the numbers of names of the blocks of a run, by first day.
func (q *blockQuestion) namesByDay(ctx context.Context, run rollup.Stretch) ([]DayTraders, error) {
	w := q.where(run)
	rows, err := q.QueryContext(ctx, `SELECT b.day, sum(b.names) FROM commission_blocks b WHERE `+w.String()+` GROUP BY b.day ORDER BY b.day`, w.Args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []DayTraders
	for rows.Next() {
		var d DayTraders
		var day string
		if err := rows.Scan(&day, &d.Traders); err != nil {
			return nil, err
		}
		if d.Day, err = affiliate.ParseDay(day); err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, rows.Err()
}

func dayTradersByName(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]DayTraders, error) {
	active, people := map[affiliate.Day]map[int]bool{}, newPeople()
	err := eachEntry(ctx, r, f, rollup.ByUID, rollup.OfDay, func(e *entry) error {
		if active[e.day] == nil {
			active[e.day] = map[int]bool{}
		}
		if e.another {
			active[e.day][people.of(e)] = true
		}
		return nil
	})
	list := make([]DayTraders, 0, len(active))
	for _, day := range sortedKeys(active) {
		list = append(list, DayTraders{day, int64(len(active[day]))})
	}
	return list, err
}
