package weex_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
)

// BenchmarkOrderAmongReaders places orders while 50 readers use up the request budget.
// The aim is that an order waits for one call at most: calls-late is its time beyond that
// of an undisturbed order, in calls of a reader.
func BenchmarkOrderAmongReaders(b *testing.B) {
	const readers = 50
	s := simulate(b, simulator.Options{})
	budget := exchange.NewBudget(exchange.DefaultBudget)
	budget.ReserveForOrders(exchange.OrderReserve)
	c := dial(b, s, func(cfg *exchange.Config) { cfg.Budget = budget })
	placed := 0
	place := func() time.Duration {
		placed++
		began := time.Now()
		if o := c.PlaceOrder(b.Context(), pair, limitOrder(fmt.Sprint("bench", placed), "buy", "1000")); o.State != weex.Placed {
			b.Fatalf("%+v", o)
		}
		return time.Since(began)
	}
	read := func(ctx context.Context) error {
		_, err := c.Trades(exchange.WithPriority(ctx, exchange.Interactive), weex.TradeQuery{Symbol: pair})
		return err
	}
	place() // opens the connection
	alone := []time.Duration{place(), place(), place()}
	began := time.Now()
	if err := read(b.Context()); err != nil {
		b.Fatal(err)
	}
	call := time.Since(began)

	ctx, stop := context.WithCancel(b.Context())
	var reading sync.WaitGroup
	for range readers {
		reading.Go(func() {
			for ctx.Err() == nil {
				_ = read(ctx) // it returns an error when the readers are stopped
			}
		})
	}
	for budget.State().Waiting[exchange.Interactive] < readers/2 {
		time.Sleep(time.Millisecond)
	}
	var among []time.Duration
	for b.Loop() {
		among = append(among, place())
		time.Sleep(1100 * time.Millisecond) // as many orders as the reserve allows
	}
	stop()
	reading.Wait()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(middle(alone).Microseconds()), "alone-µs")
	b.ReportMetric(float64(middle(among).Microseconds()), "among-µs")
	b.ReportMetric(float64(middle(among)-middle(alone))/float64(call), "calls-late")
}

func middle(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}
