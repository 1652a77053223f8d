package trading_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store/storetest"
	"rebatedesk/trading"
)

const copies = 50

// together does the same copies times at once.
func together(work func(i int)) {
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range copies {
		all.Go(func() {
			<-begin
			work(i)
		})
	}
	close(begin)
	all.Wait()
}

// Fifty copies of one form, and of the review behind it: one intent, one order,
// and one answer for all. Two desks on one database are no more.
func TestCopiesOfOneForm(t *testing.T) {
	storetest.Engines(t, "several writers of a row", testCopiesOfOneForm)
}

func testCopiesOfOneForm(t *testing.T) {
	f := openFixture(t, nil)
	first := f.desk
	f.open(nil)
	draft := f.limit()
	draft.ID = trading.NewID()
	var mu sync.Mutex
	ids, orders := map[string]int{}, map[string]int{}
	together(func(i int) {
		desk := []*trading.Desk{first, f.desk}[i%2]
		in, err := desk.Prepare(context.Background(), trader, draft)
		if err != nil {
			t.Error(err)
			return
		}
		sent, err := desk.Send(context.Background(), trader, in.ID)
		if err != nil {
			t.Error(err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		ids[in.ID]++
		orders[string(sent.Orders[0].State)+sent.Orders[0].OrderID]++
	})
	again := f.send(draft.ID)
	if len(ids) != 1 || f.sent() != 1 || again.Orders[0].State != trading.IntentPlaced || len(f.sim.Ledger().Orders) != 1 {
		t.Errorf("intents %v, answers %v, sent %d, then %+v", ids, orders, f.sent(), again.Orders[0])
	}
	for answer := range orders { // the other desk may see the order on its way
		if answer != "placed"+again.Orders[0].OrderID && answer != "sending" {
			t.Errorf("answered %s", answer)
		}
	}
}

// distinct prepares orders that differ.
func (f *fixture) distinct() (ids [copies]string) {
	f.Helper()
	for i := range ids {
		draft := f.limit()
		draft.Orders[0].Quantity = affiliate.Number(fmt.Sprintf("0.0%d", 100+i))
		draft.Orders[0].Price = f.price(95)
		ids[i] = f.prepare(draft).ID
	}
	return ids
}

// Every sent order was released before the switch was thrown, and none after it.
func TestKillSwitchAgainstSending(t *testing.T) {
	storetest.Engines(t, "isolation of the switch and an order", testKillSwitchAgainstSending)
}

func testKillSwitchAgainstSending(t *testing.T) {
	f := openFixture(t, nil)
	ids := f.distinct()
	var sent [copies]trading.Intent
	together(func(i int) {
		if i == copies/2 {
			if err := f.desk.Stop(context.Background(), trader, "enough"); err != nil {
				t.Error(err)
			}
		}
		in, err := f.desk.Send(context.Background(), trader, ids[i])
		if err != nil {
			t.Error(err)
		}
		sent[i] = in
	})
	status, err := f.desk.Status(context.Background())
	if err != nil || !status.Stopped() || status.Sending != 0 {
		t.Fatalf("%+v, %v", status, err)
	}
	placed := 0
	for _, in := range sent {
		switch o := in.Orders[0]; {
		case o.State == trading.IntentPlaced && in.Sent < status.Switch.Since:
			placed++
		case o.State == trading.IntentNotSent && o.Rule == string(trading.RuleKill):
		default:
			t.Errorf("stopped at %v: sent %v, %+v", status.Switch.Since, in.Sent, o)
		}
	}
	if sent[copies/2].Orders[0].State != trading.IntentNotSent || f.sent() != placed || len(f.sim.Ledger().Orders) != placed {
		t.Errorf("%d placed, %d arrived", placed, f.sent())
	}
	if err := f.desk.Resume(context.Background(), trader, "calm"); err != nil {
		t.Fatal(err)
	}
	if again := f.send(sent[copies/2].ID); again.Orders[0].State != trading.IntentNotSent || f.sent() != placed {
		t.Errorf("what was stopped went off after all: %+v", again.Orders[0])
	}
	after := f.limit()
	after.Again = true // the price may be that of an order before the stop
	f.place(after)
}

// However many orders are sent at once, the worth of a day never exceeds its cap, and the
// cap is used as far as possible. Unknown orders count.
func TestDayCapAgainstSending(t *testing.T) {
	storetest.Engines(t, "isolation of sums and an order", testDayCapAgainstSending)
}

func testDayCapAgainstSending(t *testing.T) {
	f := openFixture(t, nil)
	first := f.limit()
	worth := f.prepare(first).Orders[0].Worth
	most := affiliate.Number(worth.Decimal().Mul(decimalOf(10)).String())
	f.open(func(o *trading.Options) { o.Caps.Day = most })
	first.Again = true
	var ids [copies]string
	for i := range ids {
		ids[i] = f.prepare(first).ID
	}
	together(func(i int) {
		if _, err := f.desk.Send(context.Background(), trader, ids[i]); err != nil {
			t.Error(err)
		}
	})
	if n := len(f.sim.Ledger().Orders); n != 10 || f.sent() != 10 {
		t.Errorf("%d orders, want 10", n)
	}
	status, err := f.desk.Status(context.Background())
	if err != nil || status.Spent["USDT"].Cmp(most) != 0 {
		t.Errorf("%v of %s, %v", status.Spent, most, err)
	}
	if flight := f.desk.Check(context.Background(), first); flight.Clear() || flight.Stops()[0].Rule != trading.RuleDayCap {
		t.Errorf("%+v", flight.Stops())
	}
	f.after.Add(int64(day / 2)) // past midnight in UTC
	f.place(first)
}
