package commissions

import (
	"context"
	"iter"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
)

// covered says what a record covers.
type covered struct {
	exchange string // by its name in settings; empty if it is not known
	grain    affiliate.Grain
	until    affiliate.Millis // the end, excluded; unknown for an instant
}

// withSheets adds to records what they cover.
func withSheets(ctx context.Context, q *snapshot.Snapshot, list iter.Seq2[records.CommissionRow, error]) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		of := reader{q: q}
		for one, err := range list {
			if err != nil {
				yield(row{}, err)
				return
			}
			c, err := of.covered(ctx, &one)
			if !yield(row{one, c}, err) {
				return
			}
		}
	}
}

// reader keeps the sheet of the account of the record before: most records in a row are of one.
type reader struct {
	q       *snapshot.Snapshot
	account affiliate.Account
	sheet   *affiliate.Sheet
	ends    *records.Ends // of spans, once needed
}

func (r *reader) covered(ctx context.Context, one *records.CommissionRow) (c covered, err error) {
	if r.account != one.Account {
		r.account, r.sheet, r.ends = one.Account, r.q.Sheet(one.Account), nil
	}
	if r.sheet == nil {
		return c, nil
	}
	c.exchange, c.grain = r.sheet.Name, r.sheet.Grain
	switch c.grain {
	case affiliate.GrainDay:
		c.until = one.DealTime + affiliate.Millis((24 * time.Hour).Milliseconds())
	case affiliate.GrainSpan:
		if r.ends == nil {
			r.ends, err = records.SpanEnds(ctx, r.q.Whole(), one.Account)
		}
		c.until = r.ends.Of(one.UID, one.DealTime)
	}
	return c, err
}
