package trading_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/internal/crashpoint"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/orders"
	"rebatedesk/store/storetest"
	"rebatedesk/trading"
)

// lockDatabase locks the database as another program would, until it is released: nothing
// can be written meanwhile. drafted is an intent to lock it by.
func (f *fixture) lockDatabase(drafted string) (release func()) {
	f.Helper()
	held, let, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	other, err := store.Open(context.Background(), f.path, store.Options{Now: f.now, AuditKey: auditKey})
	if err != nil {
		f.Fatal(err)
	}
	go func() {
		_, _, err := orders.ClaimIntent(context.Background(), other, drafted, orders.ExposureQuery{}, audit.Line{}, func(trading.Intent, orders.Exposure) orders.Claim {
			close(held)
			<-let
			return orders.Claim{State: trading.IntentDryRun}
		})
		ended <- err
	}()
	<-held
	return sync.OnceFunc(func() {
		close(let)
		if err := <-ended; err != nil {
			f.Error(err)
		}
		if err := other.Close(); err != nil {
			f.Error(err)
		}
	})
}

// waitsForLocks sets how long the database waits for a lock of another process, which is
// ten seconds in the program.
func (f *fixture) waitsForLocks(d time.Duration) {
	f.Helper()
	err := f.store.UpdateQuietly(context.Background(), func(tx *store.Tx) error {
		statement := `PRAGMA busy_timeout = %d`
		if storetest.Postgres(f) {
			statement = `SET lock_timeout = %d`
		}
		_, err := tx.ExecContext(context.Background(), fmt.Sprintf(statement, d.Milliseconds()))
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
}

// logUntil returns a log that signals when a text was logged.
func logUntil(text string) (log *slog.Logger, said <-chan struct{}) {
	found := make(chan struct{})
	w := &watched{text: []byte(text), tell: sync.OnceFunc(func() { close(found) })}
	return slog.New(slog.NewTextHandler(w, nil)), found
}

type watched struct {
	text []byte
	tell func()
}

func (w *watched) Write(line []byte) (int, error) {
	if bytes.Contains(line, w.text) {
		w.tell()
	}
	return len(line), nil
}

// The database is locked when the answers arrive. Once it is free again the
// orders have their outcomes, while the program runs on, and none of them was
// sent twice: the first call's is what the exchange said, the calls behind it
// were never made.
func TestOutcomesAreWrittenOnceTheDatabaseTakesThem(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "locks that another holds", testOutcomesAreWrittenOnceTheDatabaseTakesThem)
}

func testOutcomesAreWrittenOnceTheDatabaseTakesThem(t *testing.T) {
	log, written := logUntil("written after all")
	f := openFixture(t, func(o *trading.Options) { o.Log, o.Settle = log, 100*time.Millisecond })
	f.waitsForLocks(200 * time.Millisecond)
	bait := f.prepare(f.limit())
	open := f.limit()
	open.Kind, open.Again = trading.PlaceBatch, true
	for len(open.Orders) < 30 {
		open.Orders = append(open.Orders, open.Orders[0])
	}
	for range 2 {
		f.place(open)
	}
	all := f.prepare(trading.Draft{Account: "main", Kind: trading.CancelAll, Pair: pair, Source: trading.FromPage})
	var release func()
	f.answers(func(_ http.ResponseWriter, r *http.Request) bool {
		if release == nil && strings.HasSuffix(r.URL.Path, "cancel-batch-orders") {
			release = f.lockDatabase(bait.ID)
		}
		return false
	})
	before := f.sent()
	if in, err := f.desk.Send(context.Background(), trader, all.ID); err == nil || !strings.Contains(err.Error(), "could not be written") {
		t.Fatalf("%+v, %v", in, err)
	}
	defer release()
	if in, err := f.desk.Intent(context.Background(), all.ID); err != nil || in.Orders[0].State != trading.IntentSending {
		t.Fatalf("%+v, %v", in, err)
	}
	f.after.Add(int64(5 * time.Minute)) // a process that has the outcome does not treat it as lost
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	var running sync.WaitGroup
	running.Go(func() { f.desk.Run(ctx) })
	release()
	select {
	case <-written:
	case <-ctx.Done():
		t.Error("it is not settled within a minute")
	}
	if err := f.desk.Settle(context.Background()); err != nil {
		t.Error(err)
	}
	stop()
	running.Wait()
	in, err := f.desk.Intent(context.Background(), all.ID)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[trading.IntentState]int{}
	for _, o := range in.Orders {
		counts[o.State]++
	}
	if counts[trading.IntentCancelled] != 50 || counts[trading.IntentNotSent] != 10 || len(in.Orders) != 60 {
		t.Errorf("%v", counts)
	}
	f.tellsTheTruth(in)
	if f.send(all.ID); f.sent() != before+1 {
		t.Errorf("%d calls were sent, want 1", f.sent()-before)
	}
	if line := f.audit()[0]; line.Actor != trader.Name || line.Action != "order not-sent" {
		t.Errorf("%+v", line)
	}
}

// The sender is gone while the program lives: after a while the order is unknown, with a
// line of the log, and looking at the exchange settles it.
func TestOrderWithoutASenderBecomesUnknown(t *testing.T) {
	storetest.Engines(t, "leases of orders", testOrderWithoutASenderBecomesUnknown)
}

func testOrderWithoutASenderBecomesUnknown(t *testing.T) {
	f := openFixture(t, nil)
	in := f.prepare(f.limit())
	crashpoint.Watch(func(p crashpoint.Point) {
		if p == crashpoint.OrderAnswered {
			panic("lost")
		}
	})
	func() {
		defer func() { recover() }()
		f.send(in.ID)
	}()
	crashpoint.Watch(nil)
	for _, step := range []struct {
		after time.Duration
		want  trading.IntentState
	}{{0, trading.IntentSending}, {79 * time.Second, trading.IntentSending}, {2 * time.Second, trading.IntentUnknown}, {time.Hour, trading.IntentUnknown}} {
		f.after.Add(int64(step.after))
		lines := len(f.audit())
		if err := f.desk.Settle(context.Background()); err != nil {
			t.Fatal(err)
		}
		got, err := f.desk.Intent(context.Background(), in.ID)
		if err != nil || got.Orders[0].State != step.want || f.sent() != 1 {
			t.Errorf("after %v more: %+v, %v, %d sent", step.after, got.Orders[0], err, f.sent())
		}
		if changed := step.after == 2*time.Second; (len(f.audit()) > lines) != changed {
			t.Errorf("after %v more: the log has changed: %v", step.after, !changed)
		}
	}
	if line := f.audit()[0]; line.Action != "order unknown" || line.Via != "server" || !strings.Contains(line.Outcome, "no outcome of it was kept") {
		t.Errorf("%+v", line)
	}
	found, err := f.desk.Resolve(context.Background(), trader, in.ID)
	if err != nil || found.Intent.Orders[0].State != trading.IntentPlaced || f.sent() != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	f.tellsTheTruth(found.Intent)
}

// An order that this process is sending is not treated as lost, however long it takes.
func TestOrderThatIsBeingSentIsLeftAlone(t *testing.T) {
	storetest.Engines(t, "leases of orders", testOrderThatIsBeingSentIsLeftAlone)
}

func testOrderThatIsBeingSentIsLeftAlone(t *testing.T) {
	f := openFixture(t, nil)
	f.answers(func(w http.ResponseWriter, r *http.Request) bool {
		ours := ordering(r.URL.Path)
		if ours {
			f.sim.ServeHTTP(w, r) // which believes no order of an hour ago
			f.after.Add(int64(10 * time.Minute))
			if err := f.desk.Settle(context.Background()); err != nil {
				t.Error(err)
			}
		}
		return ours
	})
	in := f.send(f.prepare(f.limit()).ID)
	for _, line := range f.audit() {
		if line.Action == "order unknown" {
			t.Errorf("%+v", line)
		}
	}
	if in.Orders[0].State != trading.IntentPlaced {
		t.Errorf("%+v", in.Orders[0])
	}
}
