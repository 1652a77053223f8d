package reports_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/storetest"
)

// Slices are replaced during exports and requests. Version n of the records earns n a day
// with SPOT and n million with FUTURES, and SPOT is written first. So each answer has to
// show one n on all days of SPOT, and the same n or the previous one for FUTURES.
func TestEachAnswerIsOneState(t *testing.T) {
	storetest.Engines(t, "isolation of the readers of one answer", testEachAnswerIsOneState)
}

func testEachAnswerIsOneState(t *testing.T) {
	d := reporttest.NewFixture(t, "Asia/Kathmandu")
	const daysOfData, versions, most = 3, 16, 1000
	write := func(n int) {
		for _, part := range []struct {
			stream affiliate.Stream
			unit   int
		}{{reporttest.Spot, 1}, {reporttest.Futures, 1_000_000}} {
			var records []affiliate.Commission
			for back := range daysOfData {
				c := reporttest.Trade(reporttest.Today-affiliate.Day(back), part.stream, n%3, affiliate.Number(fmt.Sprint(n*part.unit)))
				records = append(records, c)
			}
			d.Read("main", part.stream, reporttest.Days(1-daysOfData, 0), records...)
		}
	}
	write(1)
	q := d.Ask("range=7d")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var readers sync.WaitGroup
	seen := make([]map[int64]bool, 4)
	var lagging atomic.Int32 // readers that saw one state only
	lagging.Store(int32(len(seen)))
	for i, read := range []func() (int64, error){
		func() (int64, error) { return d.Exported(ctx, commissions.File, q) },
		func() (int64, error) { return d.Exported(ctx, commissions.DailyFile, q) },
		func() (int64, error) { return d.Looked(ctx, q) },
		func() (int64, error) { return d.Listed(ctx, q) },
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
