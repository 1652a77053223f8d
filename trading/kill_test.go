package trading_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/internal/crashtest"
	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/trading"
)

// task is the input of a child: a desk that prepares and sends one order.
type task struct {
	Path, URL, Key, Secret, Passphrase string
	ID                                 string
	Price                              affiliate.Number
	crashtest.Aim
}

func TestMain(m *testing.M) { crashtest.Main(m, beTradingProcess) }

func childNow() time.Time { return start }

// beTradingProcess prepares and sends, with no chance to clean up at its point.
func beTradingProcess(e task) error {
	ctx := context.Background()
	st, err := store.Open(ctx, e.Path, store.Options{Now: childNow, AuditKey: auditKey})
	if err != nil {
		return err
	}
	client, err := weex.New(exchange.Config{
		BaseURL: e.URL, Key: exchange.Secret(e.Key), Secret: exchange.Secret(e.Secret), Passphrase: exchange.Secret(e.Passphrase), Now: childNow,
	})
	if err != nil {
		return err
	}
	desk, err := trading.Open(ctx, trading.Options{
		Store: st, Mode: trading.Live, Now: childNow,
		Accounts: func(affiliate.Account) (trading.Venue, bool) {
			return trading.Venue{Reader: client, Sender: client}, true
		},
	})
	if err != nil {
		return err
	}
	e.Take()
	in, err := desk.Prepare(ctx, trader, trading.Draft{
		ID: e.ID, Account: "main", Kind: trading.Place, Pair: pair, Source: trading.FromPage,
		Orders: []trading.Order{{Side: "buy", Type: "limit", Force: "normal", Price: e.Price, Quantity: "0.01"}},
	})
	if err != nil {
		return err
	}
	_, err = desk.Send(ctx, trader, in.ID)
	return err
}

// If a desk is killed at any step, its order is stored as not sent, as unknown, or with its
// true outcome. No order is sent after the restart.
func TestKilledAtEachStep(t *testing.T) {
	race.Skip(t, "killed processes, which tell of no race")
	var steps int64
	f := openFixture(t, nil)
	crashtest.Watch(func(crashtest.Step) { steps++ })
	f.send(f.prepare(f.limit()).ID)
	crashtest.Watch(nil)
	aims := []crashtest.Aim{{}, {Point: crashpoint.SendingCommitted, N: 1}, {Point: crashpoint.OrderAnswered, N: 1}}
	for n := range steps {
		aims = append(aims, crashtest.Aim{N: n + 1})
	}
	var mutex sync.Mutex
	left := map[crashtest.Aim]int{} // how far the order had come, as its place in stages
	t.Run("kills", func(t *testing.T) {
		for _, aim := range aims {
			t.Run(aim.String(), func(t *testing.T) {
				t.Parallel()
				f := openFixture(t, nil)
				keys := f.sim.Credentials()
				e := task{
					Path: filepath.Join(t.TempDir(), "child.db"), URL: f.url, Key: keys.APIKey.Reveal(), Secret: keys.APISecret.Reveal(),
					Passphrase: keys.APIPassphrase.Reveal(), ID: trading.NewID(), Price: f.price(95), Aim: aim,
				}
				if killed := crashtest.Run(f, e); killed != (aim.N > 0) {
					t.Fatalf("killed: %v", killed)
				}
				f.store = openStore(t, e.Path, f.now)
				f.open(nil)
				stage := slices.Index(stages, f.afterTheKill(e))
				mutex.Lock()
				left[aim] = stage
				mutex.Unlock()
			})
		}
	})
	for i, want := range []trading.IntentState{trading.IntentPlaced, trading.IntentUnknown, trading.IntentUnknown} {
		if stages[max(0, left[aims[i]])] != want {
			t.Errorf("%s: the order is %q, want %q", aims[i], stages[left[aims[i]]], want)
		}
	}
	seen := map[int]bool{}
	for n := range steps {
		stage := left[aims[3+n]]
		if seen[stage] = true; n > 0 && stage < left[aims[2+n]] {
			t.Errorf("step %d left less than the one before it", n+1)
		}
	}
	if len(seen) != 3 {
		t.Errorf("killed at %d steps, the orders were left at %v of the stages", steps, seen)
	}
}

// stages are the states that an order can have reached; the first means that no order
// exists.
var stages = []trading.IntentState{"", trading.IntentDrafted, trading.IntentUnknown, trading.IntentPlaced}

// afterTheKill compares what a new desk finds with the ledger, and returns the state of the
// order; "" means no order.
func (f *fixture) afterTheKill(e task) trading.IntentState {
	f.Helper()
	before := f.sent()
	in, err := f.desk.Intent(context.Background(), e.ID)
	if errors.Is(err, trading.ErrNoIntent) {
		if before != 0 {
			f.Errorf("%s: sent, and there is no intent", e.Aim)
		}
		return ""
	}
	if err != nil {
		f.Fatal(err)
	}
	state := in.Orders[0].State
	if sent := before == 1; before > 1 || sent && state == trading.IntentDrafted || !sent && state == trading.IntentPlaced {
		f.Errorf("%s: %d arrived, and it is %+v", e.Aim, before, in.Orders[0])
	}
	f.tellsTheTruthOrDrafted(in)
	if state == trading.IntentDrafted {
		if f.send(in.ID).Orders[0].State != trading.IntentPlaced || f.sent() != before+1 {
			f.Error("what was never sent cannot be sent by a person")
		}
		return state
	}
	f.send(in.ID)
	if f.sent() != before {
		f.Error("sent again")
	}
	found, err := f.desk.Resolve(context.Background(), trader, in.ID)
	if err != nil {
		f.Fatal(err)
	}
	f.tellsTheTruth(found.Intent)
	if placed := found.Intent.Orders[0].State == trading.IntentPlaced; placed != (before == 1) {
		f.Errorf("after looking: %+v", found.Intent.Orders[0])
	}
	return state
}

func (f *fixture) tellsTheTruthOrDrafted(in trading.Intent) {
	f.Helper()
	if in.Orders[0].State != trading.IntentDrafted {
		f.tellsTheTruth(in)
	} else if len(f.sim.Ledger().Orders) != 0 {
		f.Error("drafted, and placed all the same")
	}
}
