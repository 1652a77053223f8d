package trading_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/orders"
	"rebatedesk/store/storetest"
	"rebatedesk/trading"
)

// node opens the database of the fixture as another node does, with short leases.
func (f *fixture) node(name string) *store.Store {
	f.Helper()
	return f.nodeAt(f.path, name)
}

func (f *fixture) nodeAt(place, name string) *store.Store {
	f.Helper()
	return storetest.OpenAt(f, place, store.Options{Node: name, LeaseTime: 2 * time.Second, Now: f.now, AuditKey: auditKey})
}

// stateOf returns the state of the first order of an intent.
func (f *fixture) stateOf(id string) trading.IntentState {
	f.Helper()
	in, err := f.desk.Intent(context.Background(), id)
	if err != nil {
		f.Fatal(err)
	}
	return in.Orders[0].State
}

// openOn starts a desk on a store, which settles what dead processes left.
func (f *fixture) openOn(st *store.Store) {
	f.Helper()
	if _, err := trading.Open(context.Background(), trading.Options{Store: st, Mode: trading.Live, Now: f.now}); err != nil {
		f.Fatal(err)
	}
}

// The start of a node leaves the order alone that another node is sending, however long that
// takes.
func TestStartLeavesOrdersOfOtherNodesAlone(t *testing.T) {
	storetest.PostgresOnly(t)
	f := openFixture(t, nil)
	b := f.node("b")
	f.answers(func(w http.ResponseWriter, r *http.Request) bool {
		ours := ordering(r.URL.Path)
		if ours {
			f.sim.ServeHTTP(w, r)
			f.after.Add(int64(10 * time.Minute))
			f.openOn(b)
		}
		return ours
	})
	if in := f.send(f.prepare(f.limit()).ID); in.Orders[0].State != trading.IntentPlaced {
		t.Errorf("%+v", in.Orders[0])
	}
	for _, line := range f.audit() {
		if line.Action == "order unknown" {
			t.Errorf("%+v", line)
		}
	}
}

// The order of a node that dies becomes unknown when the lease of its process has ended, not
// before; from then on that process sends nothing by its old lease.
func TestOrderOfADeadNode(t *testing.T) {
	storetest.PostgresOnly(t)
	f := openFixture(t, nil)
	first, second := f.prepare(f.limit()).ID, f.prepare(f.limit()).ID
	a, b := f.node("a"), f.node("b")
	living, _, err := a.Live(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	send := func(st *store.Store, id string) error {
		_, _, err := orders.ClaimIntent(context.WithoutCancel(living), st, id, orders.ExposureQuery{}, audit.Line{Actor: "mia"},
			func(trading.Intent, orders.Exposure) orders.Claim { return orders.Claim{State: trading.IntentSending} })
		return err
	}
	if err := send(a, first); err != nil {
		t.Fatal(err)
	}
	f.openOn(b)
	if state := f.stateOf(first); state != trading.IntentSending {
		t.Errorf("while its node lives: %s", state)
	}
	closing := time.Now()
	if err := a.Close(); err != nil { // nothing renews the lease any more, as after a kill
		t.Fatal(err)
	}
	f.openOn(b)
	if state := f.stateOf(first); state != trading.IntentSending && time.Since(closing) < time.Second { // it lasts longer
		t.Errorf("before the lease has ended: %s", state)
	}
	for end := time.Now().Add(time.Minute); f.stateOf(first) == trading.IntentSending && time.Now().Before(end); {
		f.openOn(b)
	}
	if state := f.stateOf(first); state != trading.IntentUnknown {
		t.Errorf("after the lease has ended: %s", state)
	}
	if state := f.stateOf(second); state != trading.IntentDrafted {
		t.Errorf("a form that nobody sent: %s", state)
	}
}

// Looking for orders of dead nodes writes nothing if there are none: reports that are kept in
// memory stay valid.
func TestSweepWithoutOrders(t *testing.T) {
	f := openFixture(t, nil)
	f.place(f.limit())
	before, err := f.store.LastWrite(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	f.openOn(f.store)
	if after, err := f.store.LastWrite(context.Background()); err != nil || after != before {
		t.Errorf("the state went from %d to %d (%v)", before, after, err)
	}
}

// A process that stood still until others settled its orders claims nothing more by its old
// lease.
func TestClaimByAnEndedLease(t *testing.T) {
	storetest.PostgresOnly(t)
	f := openFixture(t, nil)
	id := f.prepare(f.limit()).ID
	a := f.node("a")
	living, _, err := a.Live(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	err = f.store.UpdateQuietly(context.Background(), func(tx *store.Tx) error {
		if gone, err := tx.Gone(context.Background(), a.Process()); err != nil || gone {
			t.Errorf("gone while it lives: %v (%v)", gone, err)
		}
		if _, err := tx.ExecContext(context.Background(), `UPDATE leases SET until_ms = 0`); err != nil {
			return err
		}
		if gone, err := tx.Gone(context.Background(), a.Process()); err != nil || !gone {
			t.Errorf("not gone after its lease: %v (%v)", gone, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = orders.ClaimIntent(context.WithoutCancel(living), a, id, orders.ExposureQuery{}, audit.Line{Actor: "mia"},
		func(trading.Intent, orders.Exposure) orders.Claim { return orders.Claim{State: trading.IntentSending} })
	if !errors.Is(err, store.ErrSuperseded) || f.stateOf(id) != trading.IntentDrafted {
		t.Errorf("the late claim: %v, %s", err, f.stateOf(id))
	}
}
