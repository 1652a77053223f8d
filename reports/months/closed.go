package months

import (
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/question"
	"rebatedesk/store/closings"
)

// InForce lists the closings in force, the newest month first.
func InForce(ctx context.Context, q *question.Question) ([]closings.Closing, error) {
	list, err := question.Part(ctx, q, "closings", nil, func(ctx context.Context) ([]closings.Closing, error) {
		all, err := closings.Closings(ctx, q.Tx, 0)
		return slices.DeleteFunc(all, func(c closings.Closing) bool { return !c.InForce() }), err
	})
	return list, err
}

// MakeClosed lists the closed months of which days lie in the range of the query, with their sums
// as closed and as of now; the newest first. It lists none if the query asks for an earlier state
// or narrows records in a way for which closings have no sums.
func MakeClosed(ctx context.Context, q *question.Question) ([]MonthLine, error) {
	if !q.AsOf.IsZero() || q.UID != "" || q.Symbol != "" || q.Code != "" || q.Text != "" || q.Tag != "" {
		return nil, nil
	}
	all, err := InForce(ctx, q)
	if err != nil {
		return nil, err
	}
	var list []MonthLine
	for i := range all {
		days := DaysOf(all[i].Month)
		if days.Last < q.Days.First || days.First > q.Days.Last {
			continue
		}
		of := *q
		of.Days = days
		now, err := rowsNow(ctx, &of, &all[i])
		if err != nil {
			return nil, err
		}
		line := MonthLine{Days: days, Closing: &all[i], Coins: coinsOf(q.Query, &all[i], now)}
		line.State = stateOf(&line)
		list = append(list, line)
	}
	return list, nil
}

// Whole reports whether the month is exactly a range of days.
func (m *MonthLine) Whole(days affiliate.Days) bool { return m.Days == days }
