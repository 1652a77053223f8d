package commissions

import (
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
func withSheets(q *snapshot.Snapshot, list iter.Seq2[records.CommissionRow, error]) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		of := reader{q: q}
		for one, err := range list {
			if err != nil {
				yield(row{}, err)
				return
			}
			if !yield(row{one, of.covered(&one)}, nil) {
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
}

func (r *reader) covered(one *records.CommissionRow) (c covered) {
	if r.account != one.Account {
		r.account, r.sheet = one.Account, r.q.Sheet(one.Account)
	}
	if r.sheet == nil {
		return c
	}
	c.exchange, c.grain = r.sheet.Name, r.sheet.Grain
	if c.grain == affiliate.GrainDay {
		c.until = one.DealTime + affiliate.Millis((24 * time.Hour).Milliseconds())
	}
	return c
}
