package reports_test

import (
	"bytes"
	"context"
	"log/slog"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rebatedesk/reports"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
)

// After a write the usual reports are made before anybody asks, and are those that
// a service gives that makes them when it is asked.
func TestUsualReportsAreMadeReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := crowd(t, 40, 60)
		ahead := reports.New(d.store, func() time.Time { return d.now })
		ctx, stop := context.WithCancel(t.Context())
		var keeping sync.WaitGroup
		var said bytes.Buffer // by the goroutine alone, until it ends
		keeping.Go(func() { ahead.KeepReady(ctx, slog.New(slog.NewTextHandler(&said, nil))) })
		front := d.ask("") // as the front page asks: in no order of records
		front.By, front.Sort = figures.Splits()[0], query.Sort{}
		isReady := func(after string) {
			t.Helper()
			before := ahead.CacheUsage().Misses
			time.Sleep(10 * time.Second)
			synctest.Wait()
			made := ahead.CacheUsage().Misses
			if made == before {
				t.Errorf("after %s nothing was made", after)
			}
			got, err := ahead.Overview(t.Context(), front)
			if err != nil {
				t.Fatal(err)
			}
			if now := ahead.CacheUsage().Misses; now != made {
				t.Errorf("after %s the first reader of the overview waited for %d values", after, now-made)
			}
			if want, err := d.Overview(t.Context(), front); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("after %s the overview that was made ready is not what the store says (%v)", after, err)
			}
		}
		isReady("the start")
		d.read("main", spot, days(-3, -3), trade(today-3, spot, 1, "1234.5"))
		isReady("a write")
		stop()
		keeping.Wait()
		if said.Len() > 0 {
			t.Errorf("not every report could be made:\n%s", said.String())
		}
	})
}
