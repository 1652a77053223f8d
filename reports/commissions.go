package reports

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// CommissionsReport is one page of commission records with the totals over
// the whole result.
type CommissionsReport struct {
	Query    Query
	Coverage Coverage
	Empty    EmptyKind // not "" when there are no rows
	Rows     []records.CommissionRow
	Totals   []Totals     // per coin, over all rows of the query, largest number of records first
	Volume   Figure       // of all coins together, see [volumeOf]
	Valued   ValuedFigure // commission of all coins, converted
	Records  int64        // over all coins
	Pages    int          // at least 1
	Daily    DailySeries
	Options  Options
	// UnknownCode is as in [Overview].
	UnknownCode int64
}

// CommissionSorts are the columns that commissions can be sorted by.
var CommissionSorts = []string{
	"time", "uid", "symbol", "product", "source", "coin", "taker", "maker", "fee", "rate", "commission",
}

// makeCommissions makes the report of [Service.Commissions].
func makeCommissions(ctx context.Context, q *question) (view CommissionsReport, err error) {
	view.Query = q.Query
	if view.Options, err = q.options(ctx); err != nil {
		return view, err
	}
	totals, err := sums.ByDay(ctx, q.Tx, q.filter())
	if err != nil {
		return view, err
	}
	cover, coverage, err := q.covered(ctx)
	if err != nil {
		return view, err
	}
	view.Coverage = coverage
	if view.UnknownCode, err = q.unknownCode(ctx); err != nil {
		return view, err
	}
	view.Totals = totalsOf(totals)
	view.Records = recordsOf(view.Totals)
	view.Pages = max(1, int((view.Records+int64(q.Per)-1)/int64(q.Per)))
	if q.Page > view.Pages {
		return view, &ParamError{"page", fmt.Sprint(q.Page), fmt.Sprintf("there are %d pages", view.Pages)}
	}
	view.Daily = q.dailySeries(mainCoin(q.Coin, view.Totals), totals, cover)
	ref, err := q.compared(ctx)
	if err != nil {
		return view, err
	}
	view.Volume = ref.volume(view.Totals)
	ref.line(&view.Daily)
	if view.Valued, err = q.valued(ctx, totals, ref); err != nil {
		return view, err
	}
	if view.Records == 0 {
		view.Empty, err = q.empty(ctx, view.Coverage)
		return view, err
	}
	view.Rows, err = q.page(ctx, totals)
	return view, err
}

// page reads the rows of the asked page. In order of time the days before it
// are stepped over by their sums, so that the last page costs what the first
// one does.
func (q *question) page(ctx context.Context, list []sums.DaySums) ([]records.CommissionRow, error) {
	f, offset := q.filter(), (q.Page-1)*q.Per
	if q.Sort.Field == "time" {
		f.Days, offset = stepOver(f.Days, offset, q.Sort.Descending, list)
	}
	rows := make([]records.CommissionRow, 0, q.Per)
	order := records.CommissionOrder{Column: q.Sort.Field, Descending: q.Sort.Descending}
	for row, err := range records.Commissions(ctx, q.Tx, f, order, q.Per, offset) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// stepOver narrows days to where the row at offset lies, and gives the offset
// within. sums are in order of day, with several lines for a day.
func stepOver(days affiliate.Days, offset int, descending bool, sumsList []sums.DaySums) (affiliate.Days, int) {
	records := map[affiliate.Day]int{}
	for _, d := range sumsList {
		records[d.Day] += int(d.Records)
	}
	for days.First < days.Last {
		if descending {
			if offset < records[days.Last] {
				break
			}
			offset -= records[days.Last]
			days.Last--
		} else {
			if offset < records[days.First] {
				break
			}
			offset -= records[days.First]
			days.First++
		}
	}
	return days, offset
}
