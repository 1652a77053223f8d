package sums

import (
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// entry is one piece of an answer: records of one account and kind, added up over a block
// of days, or a single record.
type entry struct {
	account          int64
	day              affiliate.Day         // first day of the block, or day of the record
	Name             string                // as in [rollup.LineKey]; valid as long as the entry
	*rollup.LineKind                       // shared by entries
	record           *affiliate.Commission // nil for a line of a block
	figures          string                // of a line, from appendFigures
	another          bool                  // whether the previous entry was about another name or block
	minus            bool                  // a record of days that are taken away from a block, see [eachPair]
}

// addTo adds the figures of the entry.
func (e *entry) addTo(s *rollup.LineFigures) error {
	switch {
	case e.record == nil:
		return s.AddFigures(e.figures)
	case e.minus:
		s.Add(e.record, -1)
	default:
		s.Add(e.record, 1)
	}
	return nil
}

// addCommissionTo adds only records and commission, which is faster.
func (e *entry) addCommissionTo(s *rollup.LineFigures) error {
	if e.record != nil {
		s.Records++
		s.Commission.Add(e.record.Commission)
		return nil
	}
	return s.AddCommission(e.figures)
}

// addFeeAndCommissionTo adds only records, fee and commission.
func (e *entry) addFeeAndCommissionTo(s *rollup.LineFigures) error {
	if e.record != nil {
		s.Records++
		s.Fee.Add(e.record.Fee)
		s.Commission.Add(e.record.Commission)
		return nil
	}
	return s.AddFeeAndCommission(e.figures)
}

func (e *entry) person() person { return person{e.account, affiliate.UID(e.Name)} }

// eachEntry passes on the pieces that make up the answer to a filter, by UID or by symbol,
// in no order: lines of blocks as far as they can answer, otherwise records. No block is
// longer than longest. The entry is valid until see returns.
func eachEntry(ctx context.Context, r *store.Tx, f records.CommissionFilter, k rollup.Grouping, longest rollup.Span, see func(*entry) error) error {
	return eachEntryOf(ctx, r, f, wholly, k, longest, see)
}

// eachEntryOf is eachEntry for one half of the invitees, see [inHalves].
func eachEntryOf(ctx context.Context, r *store.Tx, f records.CommissionFilter, part half, k rollup.Grouping, longest rollup.Span, see func(*entry) error) error {
	if !inBlocks(r, f, k) {
		return eachRecord(ctx, r, f, k, see)
	}
	return eachLineOf(ctx, r, f, part, k, longest, see)
}

// eachLineOf is eachEntryOf for a filter that blocks can answer: it reads rows only of days
// for which no block of the grouping is kept.
func eachLineOf(ctx context.Context, r *store.Tx, f records.CommissionFilter, part half, k rollup.Grouping, longest rollup.Span, see func(*entry) error) error {
	runs, err := runs(ctx, r, f.Days, longest)
	if err != nil {
		return err
	}
	q, err := askBlocks(ctx, r, f, k)
	if err != nil {
		return err
	}
	q.half = part
	for _, run := range runs {
		if slices.Contains(k.Spans(), run.Span) {
			err = q.eachEntry(ctx, run, see)
		} else {
			f.Days = run.Days()
			err = eachRecord(ctx, r, f, k, see)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runs returns the blocks that make up the days.
func runs(ctx context.Context, r *store.Tx, days affiliate.Days, longest rollup.Span) ([]rollup.Stretch, error) {
	stored, ok, err := storedDays(ctx, r)
	if err != nil || !ok {
		return nil, err
	}
	return rollup.Cover(rollup.Widen(days, stored), longest), nil
}

// storedDays returns the range of reporting days that have records, and false if there are
// no records.
func storedDays(ctx context.Context, r *store.Tx) (days affiliate.Days, ok bool, err error) {
	for end, day := range map[string]*affiliate.Day{"min": &days.First, "max": &days.Last} {
		var text string
		// The blocks to read follow from it, and no answer.
		err := r.QueryRowContext(ctx, store.ForMembers(`SELECT coalesce(`+end+`(day), '') FROM commission_days`)).Scan(&text)
		if err != nil || text == "" {
			return affiliate.Days{}, false, err
		}
		if *day, err = affiliate.ParseDay(text); err != nil {
			return affiliate.Days{}, false, err
		}
	}
	return days, true, nil
}
