package reports_test

import (
	"bytes"
	"context"
	"log/slog"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rebatedesk/reports"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/storetest"
)

// After a write the usual reports are computed before a request, and equal those that a
// service computes on request.
func TestUsualReportsAreMadeReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := reporttest.Crowd(t, 40, 60)
		var later atomic.Int64 // minutes
		ahead := reports.New(d.DB, func() time.Time { return d.Now.Add(time.Duration(later.Load()) * time.Minute) })
		ctx, stop := context.WithCancel(t.Context())
		var keeping sync.WaitGroup
		var said bytes.Buffer // only the goroutine uses it until it ends
		keeping.Go(func() { ahead.KeepReady(ctx, slog.New(slog.NewTextHandler(&said, nil))) })
		front := d.QueryOf("", overview.Accepted) // as the front page asks
		isReady := func(after string) {
			t.Helper()
			before := ahead.CacheUsage().Misses
			time.Sleep(10 * time.Second)
			synctest.Wait()
			made := ahead.CacheUsage().Misses
			if made == before {
				t.Errorf("after %s no report was computed", after)
			}
			got, err := reports.FrontPage(t.Context(), ahead, front)
			if err != nil {
				t.Fatal(err)
			}
			if now := ahead.CacheUsage().Misses; now != made {
				t.Errorf("after %s the first reader of the overview waited for %d values", after, now-made)
			}
			if want, err := reports.FrontPage(t.Context(), d.Service, front); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("after %s the prepared overview differs from the store (%v)", after, err)
			}
		}
		isReady("the start")
		d.Read("main", reporttest.Spot, reporttest.Days(-3, -3), reporttest.Trade(reporttest.Today-3, reporttest.Spot, 1, "1234.5"))
		one := ahead.CacheUsage().Bytes
		isReady("a write")
		if both := ahead.CacheUsage().Bytes; both > one*3/2 {
			t.Errorf("%d bytes of reports are kept after a write, %d before it: those of the earlier state are kept too", both, one)
		}
		later.Add(1)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if next := ahead.CacheUsage().Bytes; next >= one {
			t.Errorf("%d bytes of reports are kept in the next minute, %d in the minute before", next, one)
		}
		stop()
		keeping.Wait()
		if said.Len() > 0 {
			t.Errorf("not every report could be computed:\n%s", said.String())
		}
	})
}

// A report that panics is logged, and the others are made ready all the same.
func TestOthersAreMadeReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := reporttest.Crowd(t, 10, 20)
		if err := storetest.Corrupt(d.DB, `INSERT INTO rates (quote, coin, hour, at_ms, sampled_ms, price, source, symbol) VALUES ('USDT', 'BTC', 1, 3600000, 3600000, 'x', 'test', 'test')`); err != nil {
			t.Fatal(err)
		}
		of := reporttest.Trade(reporttest.Today-3, reporttest.Spot, 1, "1")
		of.Coin = "BTC"
		d.Read("main", reporttest.Spot, reporttest.Days(-3, -3), of)
		ctx, stop := context.WithCancel(t.Context())
		var keeping sync.WaitGroup
		var said bytes.Buffer // only the goroutine uses it until it ends
		log := slog.New(slog.NewTextHandler(&said, nil))
		d.Guard.Log = log
		keeping.Go(func() { d.KeepReady(ctx, log) })
		time.Sleep(10 * time.Second)
		synctest.Wait()
		made := d.CacheUsage().Misses
		if _, err := reports.Ask(t.Context(), d.Service, d.QueryOf("", query.AcceptedParams{Sorts: invitecodes.Sorts, Order: query.Sort{Field: "commission", Descending: true}}), invitecodes.Make); err != nil {
			t.Fatal(err)
		}
		if now := d.CacheUsage().Misses; now != made {
			t.Error("the codes, made ready after what failed, are not ready")
		}
		stop()
		keeping.Wait()
		if n := d.Guard.Caught(); n == 0 || !bytes.Contains(said.Bytes(), []byte("panic caught")) {
			t.Errorf("%d panics were counted; the log is %s", n, &said)
		}
	})
}
