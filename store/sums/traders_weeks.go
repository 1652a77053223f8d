package sums

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// TradersByWeek counts, for each week from Monday, the invitees with at least one record of
// the filter, oldest first. Day is the Monday, even if the range begins later; of the weeks
// at its edges only days of the range count. Weeks without any have no line. A filter by
// account alone is answered from the counts stored with blocks, and reads lines only for
// the days at the edges.
func TradersByWeek(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]DayTraders, error) {
	weeks := weekTraders{people: newPeople(), names: map[affiliate.Day]map[int]bool{}, counted: map[affiliate.Day]int64{}}
	read := weeks.readNames
	if inDays(r, f) && f == (records.CommissionFilter{Days: f.Days, Account: f.Account, Members: f.Members}) {
		read = weeks.readBlocks
	}
	if err := read(ctx, r, f); err != nil {
		return nil, fmt.Errorf("counting active traders by week: %w", err)
	}
	for week, names := range weeks.names {
		weeks.counted[week] = int64(len(names))
	}
	list := make([]DayTraders, 0, len(weeks.counted))
	for _, week := range sortedKeys(weeks.counted) {
		list = append(list, DayTraders{week, weeks.counted[week]})
	}
	return list, nil
}

// weekTraders collects the traders of weeks: by name, or by count if a whole week is a
// block.
type weekTraders struct {
	people  *people
	names   map[affiliate.Day]map[int]bool // numbers of people
	counted map[affiliate.Day]int64
}

func (w *weekTraders) see(e *entry) error {
	if !e.another {
		return nil
	}
	week := rollup.BlockOf(rollup.OfWeek, e.day).First
	if w.names[week] == nil {
		w.names[week] = map[int]bool{}
	}
	w.names[week][w.people.of(e)] = true
	return nil
}

func (w *weekTraders) readNames(ctx context.Context, r *store.Tx, f records.CommissionFilter) error {
	return eachEntry(ctx, r, f, rollup.ByUID, rollup.OfWeek, w.see)
}

// readBlocks adds up the numbers of names of whole weeks: no invitee is in two shards, nor
// in two accounts.
func (w *weekTraders) readBlocks(ctx context.Context, r *store.Tx, f records.CommissionFilter) error {
	runs, err := runs(ctx, r, f.Days, rollup.OfWeek)
	if err != nil {
		return err
	}
	q, err := askBlocks(ctx, r, f, rollup.ByUID)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if run.Span == rollup.OfWeek {
			err = w.readNamesOf(ctx, q, run)
		} else {
			err = q.eachEntry(ctx, run, w.see)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *weekTraders) readNamesOf(ctx context.Context, q *blockQuestion, weeks rollup.Stretch) error {
	list, err := q.namesByDay(ctx, weeks)
	for _, week := range list {
		w.counted[week.Day] = week.Traders
	}
	return err
}
