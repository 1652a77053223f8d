package sums

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// entry is one piece of an answer: records of one account and kind, added up
// over a block of days, or a single record.
type entry struct {
	account int64
	day     affiliate.Day // the first of the block, or the day of the record
	rollup.LineKey
	record  *affiliate.Commission // nil for a line of a block
	figures string                // of a line: what appendFigures gives
	another bool                  // the entry before was about another name, or in another block
}

// addTo adds the figures of the entry.
func (e *entry) addTo(s *rollup.LineFigures) error {
	if e.record != nil {
		s.Add(e.record, 1)
		return nil
	}
	return s.AddFigures(e.figures)
}

// addCommissionTo adds records and commission only, which is quicker.
func (e *entry) addCommissionTo(s *rollup.LineFigures) error {
	if e.record != nil {
		s.Records++
		s.Commission.Add(e.record.Commission)
		return nil
	}
	return s.AddCommission(e.figures)
}

func (e *entry) person() person { return person{e.account, affiliate.UID(e.Name)} }

// eachEntry gives the pieces that make up the answer to a filter, by UID or by
// symbol, in no order: lines of blocks where they can answer, records where
// they cannot. No block is longer than asked for with longest. The entry is
// valid until see returns.
func eachEntry(ctx context.Context, r *store.Tx, f records.CommissionFilter, k rollup.Grouping, longest rollup.Span, see func(*entry) error) error {
	if !inBlocks(r, f, k) {
		return eachRecord(ctx, r, f, k, see)
	}
	runs, err := runs(ctx, r, f.Days, longest)
	if err != nil {
		return err
	}
	q, err := askBlocks(ctx, r, f, k)
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
func runs(ctx context.Context, r *store.Tx, days affiliate.Days, longest rollup.Span) ([]rollup.Stretch, error) {
	stored, ok, err := storedDays(ctx, r)
	if err != nil || !ok {
		return nil, err
	}
	return rollup.Cover(rollup.Widen(days, stored), longest), nil
}

// storedDays are the reporting days from the first to the last one that there
// are records of; false when there are none.
func storedDays(ctx context.Context, r *store.Tx) (days affiliate.Days, ok bool, err error) {
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
