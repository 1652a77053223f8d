package snapshot

import (
	"context"
	"slices"

	"rebatedesk/affiliate"
)

// UseSheets sets what is known of exchanges, by their names in settings.
func (q *Snapshot) UseSheets(ctx context.Context, sheets map[string]*affiliate.Sheet) error {
	if len(sheets) == 0 {
		return nil
	}
	of, err := q.Whole().Exchanges(ctx)
	if err != nil {
		return err
	}
	q.sheets = map[affiliate.Account]*affiliate.Sheet{}
	for account, exchange := range of {
		if sheet := sheets[exchange]; sheet != nil {
			q.sheets[account] = sheet
		}
	}
	return nil
}

// Sheet returns what the exchange of an account gives, nil if that is not known.
func (q *Snapshot) Sheet(account affiliate.Account) *affiliate.Sheet { return q.sheets[account] }

// Streams lists the streams of an account: those of its exchange, or all where it is not known.
func (q *Snapshot) Streams(account affiliate.Account) []affiliate.Stream {
	sheet := q.Sheet(account)
	if sheet == nil {
		return affiliate.Streams()
	}
	list := make([]affiliate.Stream, len(sheet.Streams))
	for i, one := range sheet.Streams {
		list[i] = one.Stream
	}
	return list
}

// Coarse reports whether records of commission of the query cover days, or the time between two
// readings: they belong to no hour.
func (q *Snapshot) Coarse() bool {
	return q.Unlike(func(s *affiliate.Sheet) bool { return s.Grain == affiliate.GrainDay || s.Grain == affiliate.GrainSpan })
}

// Unlike reports whether the query covers accounts whose sheets have what a function looks for.
func (q *Snapshot) Unlike(has func(*affiliate.Sheet) bool) bool {
	return slices.ContainsFunc(q.Accounts, func(account affiliate.Account) bool {
		sheet := q.Sheet(account)
		return sheet != nil && has(sheet)
	})
}
