package commissions

import (
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Report is one page of commission records with the totals over
// the whole result.
type Report struct {
	Query    query.Query
	Coverage coverage.Coverage
	Empty    coverage.EmptyKind // not "" when there are no rows
	Rows     []records.CommissionRow
	Reasons  []Reason             // why each row brought what it did
	Totals   []figures.Totals     // per coin, over all rows of the query, largest number of records first
	Volume   figures.Figure       // of all coins together, see [figures.VolumeOf]
	Valued   figures.ValuedFigure // commission of all coins, converted
	Records  int64                // over all coins
	Pages    int                  // at least 1
	Daily    figures.DailySeries
	Options  snapshot.Options
	// UnknownCode counts the records of the range whose invitee's code is not known, if the
	// query is for an invite code. They are not part of the answer.
	UnknownCode int64
}

// Sorts lists the columns by which commissions can be sorted.
var Sorts = records.CommissionSorts()

// Make answers the query for one page of records.
func Make(ctx context.Context, q *snapshot.Snapshot) (view Report, err error) {
	view.Query = q.Query
	if view.Options, err = q.Options(ctx); err != nil {
		return view, err
	}
	totals, err := sums.ByDay(ctx, q.Tx, q.Filter())
	if err != nil {
		return view, err
	}
	cover, coverage, err := q.Covered(ctx)
	if err != nil {
		return view, err
	}
	view.Coverage = coverage
	if view.UnknownCode, err = q.UnknownCode(ctx); err != nil {
		return view, err
	}
	view.Totals = figures.TotalsOf(totals)
	view.Records = figures.RecordsOf(view.Totals)
	view.Pages = max(1, int((view.Records+int64(q.Per)-1)/int64(q.Per)))
	if q.Page > view.Pages {
		return view, query.BeyondPages(q.Page, view.Pages)
	}
	view.Daily = q.DailySeries(figures.MainCoin(q.Coin, view.Totals), totals, cover)
	ref, err := q.Compared(ctx)
	if err != nil {
		return view, err
	}
	view.Volume = ref.Volume(view.Totals)
	ref.Line(&view.Daily)
	if err := q.ByHour(ctx, &view.Daily, cover, ref); err != nil {
		return view, err
	}
	if view.Daily.Annotations, err = q.Annotations(ctx); err != nil {
		return view, err
	}
	if view.Valued, err = q.Valued(ctx, totals, ref); err != nil {
		return view, err
	}
	if view.Records == 0 {
		view.Empty, err = q.WhyEmpty(ctx, view.Coverage)
		return view, err
	}
	if view.Rows, err = page(ctx, q, totals); err != nil {
		return view, err
	}
	view.Reasons, err = reasons(ctx, q, view.Rows, view.Valued.Missing)
	return view, err
}

// stretch is a part of the rows of a query that has an order of its own.
type stretch struct {
	filter  records.CommissionFilter
	records int
}

// stretches are the parts of the rows in their order: those of each coin if the rows are sorted by an
// amount in the coin, see [figures.CompareCoins], otherwise all of them.
func stretches(q *snapshot.Snapshot, list []sums.DaySums) []stretch {
	totals := figures.TotalsOf(list)
	slices.SortFunc(totals, func(a, b figures.Totals) int { return figures.CompareCoins(a.Coin, b.Coin) })
	inCoin := slices.ContainsFunc(affiliate.CommissionFields, func(f affiliate.Field[affiliate.Commission]) bool {
		return f.Name == q.Sort.Field && f.Kind == affiliate.AmountField
	})
	several := func(t figures.Totals) bool { return len(affiliate.Asked(t.Coin)) > 1 } // as a filter the name means other coins too
	if !inCoin || slices.ContainsFunc(totals, several) {
		return []stretch{{q.Filter(), int(figures.RecordsOf(totals))}}
	}
	parts := make([]stretch, len(totals))
	for i, t := range totals {
		parts[i] = stretch{q.Filter(), int(t.Records)}
		parts[i].filter.Coin = t.Coin
	}
	return parts
}

// page reads the rows of the requested page.
func page(ctx context.Context, q *snapshot.Snapshot, list []sums.DaySums) ([]records.CommissionRow, error) {
	rows, offset := make([]records.CommissionRow, 0, q.Per), (q.Page-1)*q.Per
	for _, part := range stretches(q, list) {
		if limit := min(q.Per-len(rows), part.records-offset); limit > 0 {
			read, err := rowsOf(ctx, q, part, limit, offset, list)
			if err != nil {
				return nil, err
			}
			rows = append(rows, read...)
		}
		offset = max(0, offset-part.records)
	}
	return rows, nil
}

// rowsOf reads some rows of a part. In chronological order the preceding days are skipped by their
// sums, so that the last page costs as much as the first; in another order a page of the second half is
// read from the end.
func rowsOf(ctx context.Context, q *snapshot.Snapshot, part stretch, limit, offset int, list []sums.DaySums) ([]records.CommissionRow, error) {
	order := records.CommissionOrder{Column: q.Sort.Field, Descending: q.Sort.Descending}
	fromEnd := q.Sort.Field != "time" && offset > part.records/2
	switch {
	case q.Sort.Field == "time":
		part.filter.Days, offset = stepOver(part.filter.Days, offset, limit, q.Sort.Descending, list)
	case fromEnd:
		offset, order.Descending = part.records-offset-limit, !order.Descending
	}
	rows := make([]records.CommissionRow, 0, limit)
	for row, err := range records.Commissions(ctx, q.Tx, part.filter, order, limit, offset) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if fromEnd {
		slices.Reverse(rows)
	}
	return rows, nil
}

// stepOver narrows days to those that hold the rows from offset to offset+limit, and returns
// the offset within them. The list is ordered by day, with several lines for a day.
func stepOver(days affiliate.Days, offset, limit int, descending bool, list []sums.DaySums) (affiliate.Days, int) {
	records := map[affiliate.Day]int{}
	for _, d := range list {
		records[d.Day] += int(d.Records)
	}
	near, far, step := &days.First, &days.Last, affiliate.Day(1)
	if descending {
		near, far, step = &days.Last, &days.First, -1
	}
	for *near != *far && offset >= records[*near] {
		offset -= records[*near]
		*near += step
	}
	end, last := *near, records[*near]
	for end != *far && last < offset+limit {
		end += step
		last += records[end]
	}
	*far = end
	return days, offset
}
