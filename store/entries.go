package store

import (
	"context"

	"rebatedesk/affiliate"
)

// entry is one piece of an answer: records of one account and kind, added up
// over a block of days, or a single record.
type entry struct {
	account int64
	day     affiliate.Day // the first of the block, or the day of the record
	lineKey
	record  *affiliate.Commission // nil for a line of a block
	figures string                // of a line: what appendFigures gives
	another bool                  // the entry before was about another name, or in another block
}

// addTo adds the figures of the entry.
func (e *entry) addTo(s *sums) error {
	if e.record != nil {
		s.add(e.record, 1)
		return nil
	}
	return s.addFigures(e.figures)
}

// addCommissionTo adds records and commission only, which is quicker.
func (e *entry) addCommissionTo(s *sums) error {
	if e.record != nil {
		s.records++
		s.commission.Add(e.record.Commission)
		return nil
	}
	return s.addCommission(e.figures)
}

func (e *entry) person() person { return person{e.account, affiliate.UID(e.name)} }

// eachEntry gives the pieces that make up the answer to a filter, by UID or by
// symbol, in no order: lines of blocks where they can answer, records where
// they cannot. No block is longer than asked for with longest. The entry is
// valid until see returns.
func (r *Tx) eachEntry(ctx context.Context, f CommissionFilter, k kind, longest span, see func(*entry) error) error {
	if !r.inBlocks(f, k) {
		return r.eachRecord(ctx, f, k, see)
	}
	runs, err := r.runs(ctx, f.Days, longest)
	if err != nil {
		return err
	}
	q, err := r.blockQuestion(ctx, f, k)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if err := q.eachEntry(ctx, run, see); err != nil {
			return err
		}
	}
	return nil
}

// runs are the blocks that days are made of.
func (r *Tx) runs(ctx context.Context, days affiliate.Days, longest span) ([]run, error) {
	stored, ok, err := r.storedDays(ctx)
	if err != nil || !ok {
		return nil, err
	}
	return cover(widen(days, stored), longest), nil
}

// storedDays are the reporting days from the first to the last one that there
// are records of; false when there are none.
func (r *Tx) storedDays(ctx context.Context) (days affiliate.Days, ok bool, err error) {
	for end, day := range map[string]*affiliate.Day{"min": &days.First, "max": &days.Last} {
		var text string
		err := r.QueryRowContext(ctx, `SELECT coalesce(`+end+`(day), '') FROM commission_days`).Scan(&text)
		if err != nil || text == "" {
			return affiliate.Days{}, false, err
		}
		if *day, err = affiliate.ParseDay(text); err != nil {
			return affiliate.Days{}, false, err
		}
	}
	return days, true, nil
}
