package trading_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/internal/memdir"
	"rebatedesk/store"
	"rebatedesk/trading"
)

// sendFrom makes this test binary a desk that prepares and sends one order: the
// child that gets killed. Its value is the errand.
const sendFrom = "REBATEDESK_TEST_SEND_FROM"

// errand is what a child is told.
type errand struct {
	Path, URL, Key, Secret, Passphrase string
	ID                                 string
	Price                              affiliate.Number
	Point                              crashpoint.Point // where it ends itself; -1: nowhere
}

func TestMain(m *testing.M) {
	if err := memdir.Use(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if text := os.Getenv(sendFrom); text != "" {
		if err := beDesk(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func childNow() time.Time { return start }

// beDesk prepares and sends, with no chance to tidy up at its point.
func beDesk(text string) error {
	var e errand
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return err
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	ctx := context.Background()
	st, err := store.Open(ctx, e.Path, store.Options{Now: childNow, AuditKey: auditKey})
	if err != nil {
		return err
	}
	client, err := exchange.New(exchange.Config{
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
	crashpoint.Watch(func(p crashpoint.Point) {
		if p == e.Point {
			_ = self.Kill() // the test sees whether it worked
			select {}       // until the signal arrives, the work must not go on
		}
	})
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

// runChild runs a child to its end and reports whether that was a violent one.
func (f *floor) runChild(e errand) (killed bool) {
	f.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		f.Fatal(err)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), sendFrom+"="+string(text))
	child.Stderr = os.Stderr
	if err := child.Run(); err != nil && child.ProcessState.ExitCode() != -1 { // -1: by a signal
		f.Fatalf("the child: %v", err)
	}
	return child.ProcessState.ExitCode() == -1
}

// Killed at any step, a desk leaves an order that is known not to have been
// sent, or unknown, or what it is; and none is sent after the restart.
func TestKilledAtEachStep(t *testing.T) {
	points := append(crashpoint.Orders(), -1)
	for _, point := range points {
		name, want, arrived := "nowhere", trading.IntentPlaced, 1
		switch {
		case point < 0:
		case point < crashpoint.SendingCommitted:
			name, want, arrived = point.String(), trading.IntentDrafted, 0
		case point == crashpoint.SendingCommitted:
			name, want, arrived = point.String(), trading.IntentUnknown, 0
		case point < crashpoint.OutcomeCommitted:
			name, want = point.String(), trading.IntentUnknown
		default:
			name = point.String()
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openFloor(t, nil)
			keys := f.sim.Credentials()
			e := errand{
				Path: filepath.Join(t.TempDir(), "child.db"), URL: f.url, Key: keys.APIKey.Reveal(), Secret: keys.APISecret.Reveal(),
				Passphrase: keys.APIPassphrase.Reveal(), ID: trading.NewID(), Price: f.price(95), Point: point,
			}
			if killed := f.runChild(e); killed != (point >= 0) {
				t.Fatalf("killed: %v", killed)
			}
			f.store = openStore(t, e.Path, f.now)
			f.open(nil)
			if f.sent() != arrived {
				t.Errorf("%d arrived, want %d", f.sent(), arrived)
			}
			f.afterTheKill(e, want)
		})
	}
}

// afterTheKill holds what a new desk finds against the ledger.
func (f *floor) afterTheKill(e errand, want trading.IntentState) {
	f.Helper()
	before := f.sent()
	in, err := f.desk.Intent(context.Background(), e.ID)
	if err != nil {
		if e.Point != crashpoint.IntentWritten { // not committed: there is nothing
			f.Error(err)
		}
		return
	}
	if in.Orders[0].State != want {
		f.Errorf("%s: %+v", e.Point, in.Orders[0])
	}
	f.tellsTheTruthOrDrafted(in)
	if want == trading.IntentDrafted {
		if f.send(in.ID).Orders[0].State != trading.IntentPlaced || f.sent() != before+1 {
			f.Error("what was never sent cannot be sent by a person")
		}
		return
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
}

func (f *floor) tellsTheTruthOrDrafted(in trading.Intent) {
	f.Helper()
	if in.Orders[0].State != trading.IntentDrafted {
		f.tellsTheTruth(in)
	} else if len(f.sim.Ledger().Orders) != 0 {
		f.Error("drafted, and placed all the same")
	}
}
