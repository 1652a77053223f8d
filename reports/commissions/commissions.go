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

// page reads the rows of the requested page. In chronological order the preceding days are
// skipped by their sums, so that the last page costs as much as the first; in another order
// a page of the second half is read from the end.
func page(ctx context.Context, q *snapshot.Snapshot, list []sums.DaySums) ([]records.CommissionRow, error) {
	f, offset := q.Filter(), (q.Page-1)*q.Per
	if q.Sort.Field == "time" {
		f.Days, offset = stepOver(f.Days, offset, q.Per, q.Sort.Descending, list)
	}
	rows := make([]records.CommissionRow, 0, q.Per)
	order := records.CommissionOrder{Column: q.Sort.Field, Descending: q.Sort.Descending}
	limit, total := q.Per, int(figures.RecordsOf(figures.TotalsOf(list)))
	fromEnd := q.Sort.Field != "time" && offset > total/2
	if fromEnd {
		limit = min(limit, total-offset)
		offset, order.Descending = total-offset-limit, !order.Descending
	}
	for row, err := range records.Commissions(ctx, q.Tx, f, order, limit, offset) {
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
