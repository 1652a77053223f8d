package store

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
)

// WeekTraders counts, for each week from Monday, the invitees with at least one
// record of the filter, oldest first. Day is the Monday, also where the range
// begins later; of the weeks at its edges only days of the range count. Weeks
// without any have no line. A filter by account alone is answered from what
// blocks say of themselves, and reads the lines of the days at the edges only.
func (r *Tx) WeekTraders(ctx context.Context, f CommissionFilter) ([]DayTraders, error) {
	weeks := weekTraders{names: map[affiliate.Day]map[person]bool{}, counted: map[affiliate.Day]int64{}}
	read := weeks.readNames
	if r.inDays(f) && f == (CommissionFilter{Days: f.Days, Account: f.Account}) {
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

// weekTraders gathers the traders of weeks: by name, or counted where a week is
// a block of its own.
type weekTraders struct {
	names   map[affiliate.Day]map[person]bool
	counted map[affiliate.Day]int64
}

func (w *weekTraders) see(e *entry) error {
	if !e.another {
		return nil
	}
	week := blockOf(ofWeek, e.day).first
	if w.names[week] == nil {
		w.names[week] = map[person]bool{}
	}
	w.names[week][e.person()] = true
	return nil
}

func (w *weekTraders) readNames(ctx context.Context, r *Tx, f CommissionFilter) error {
	return r.eachEntry(ctx, f, byUID, ofWeek, w.see)
}

// readBlocks adds up the names of whole weeks: no invitee is in two shards, nor
// in two accounts.
func (w *weekTraders) readBlocks(ctx context.Context, r *Tx, f CommissionFilter) error {
	runs, err := r.runs(ctx, f.Days, ofWeek)
	if err != nil {
		return err
	}
	q, err := r.blockQuestion(ctx, f, byUID)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if run.span == ofWeek {
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

func (w *weekTraders) readNamesOf(ctx context.Context, q *blockQuestion, weeks run) error {
	list, err := q.namesByDay(ctx, weeks)
	for _, week := range list {
		w.counted[week.Day] = week.Traders
	}
	return err
}
