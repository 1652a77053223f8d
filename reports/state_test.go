package reports_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
)

// Slices are replaced during exports and requests. Version n of the records earns n a day
// with SPOT and n million with FUTURES, and SPOT is written first. So each answer has to
// show one n on all days of SPOT, and the same n or the previous one for FUTURES.
func TestEachAnswerIsOneState(t *testing.T) {
	d := newFixture(t, "Asia/Kathmandu")
	const daysOfData, versions, most = 3, 16, 1000
	write := func(n int) {
		for _, part := range []struct {
			stream affiliate.Stream
			unit   int
		}{{spot, 1}, {futures, 1_000_000}} {
			var records []affiliate.Commission
			for back := range daysOfData {
				c := trade(today-affiliate.Day(back), part.stream, n%3, affiliate.Number(fmt.Sprint(n*part.unit)))
				records = append(records, c)
			}
			d.read("main", part.stream, days(1-daysOfData, 0), records...)
		}
	}
	write(1)
	q := d.ask("range=7d")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var readers sync.WaitGroup
	seen := make([]map[int64]bool, 4)
	var lagging atomic.Int32 // readers that saw one state only
	lagging.Store(int32(len(seen)))
	for i, read := range []func() (int64, error){
		func() (int64, error) { return d.exported(ctx, commissions.File, q) },
		func() (int64, error) { return d.exported(ctx, commissions.DailyFile, q) },
		func() (int64, error) { return d.looked(ctx, q) },
		func() (int64, error) { return d.listed(ctx, q) },
	} {
		seen[i] = map[int64]bool{}
		readers.Go(func() {
			for ctx.Err() == nil {
				sum, err := read()
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				s, f := sum/daysOfData%1_000_000, sum/daysOfData/1_000_000
				if sum%daysOfData != 0 || f != s && f != s-1 {
					t.Errorf("a sum of %d, which no state has", sum)
					return
				}
				if len(seen[i]) == 1 && !seen[i][sum] {
					lagging.Add(-1)
				}
				seen[i][sum] = true
			}
		})
	}
	for n := 2; n <= versions || n < most && lagging.Load() > 0 && !t.Failed(); n++ {
		write(n)
	}
	stop()
	readers.Wait()
	for i, states := range seen {
		if len(states) < 2 {
			t.Errorf("reader %d saw %d states: nothing was tested", i, len(states))
		}
	}
}

// exported returns the sum that an export states, after comparing it with its rows.
func (d *fixture) exported(ctx context.Context, kind *export.Kind, q query.Query) (int64, error) {
	e, err := d.OpenExport(ctx, kind, q)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	var text bytes.Buffer
	summary, err := e.Write(ctx, &text, export.CSV)
	if err != nil {
		return 0, err
	}
	said := summary.Sums[0].Of("commission").Decimal().IntPart()
	var sum int64
	for _, row := range parse(d, export.CSV, text.String()) {
		sum += affiliate.Number(row["commission"]).Decimal().IntPart()
	}
	if sum != said {
		return 0, fmt.Errorf("%s: the rows add up to %d, the summary says %d", kind, sum, said)
	}
	return sum, nil
}

// looked returns the sum of the overview, after comparing its parts.
func (d *fixture) looked(ctx context.Context, q query.Query) (int64, error) {
	view, err := reports.Ask(ctx, d.Service, q, overview.Make)
	if err != nil {
		return 0, err
	}
	card := view.Cards[0].Commission.Amount.Value.IntPart()
	var daily, top int64
	for i := range view.Daily.Days {
		daily += view.Daily.Total[i].IntPart()
	}
	for _, line := range view.Rankings[0].Lines {
		top += line.Commission.Amount.Value.IntPart()
	}
	if card != daily || card != top {
		return 0, fmt.Errorf("the card says %d, the chart %d, the ranking %d", card, daily, top)
	}
	return card, nil
}

// listed returns the total of the table, after comparing it with its rows.
func (d *fixture) listed(ctx context.Context, q query.Query) (int64, error) {
	view, err := reports.Ask(ctx, d.Service, q, commissions.Make)
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, row := range view.Rows {
		sum += row.Commission.Commission.Decimal().IntPart()
	}
	if total := view.Totals[0].Commission.IntPart(); total != sum || view.Records != int64(len(view.Rows)) {
		return 0, fmt.Errorf("%d rows add up to %d, the total is %d of %d records", len(view.Rows), sum, total, view.Records)
	}
	return sum, nil
}
