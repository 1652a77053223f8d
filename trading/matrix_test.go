package trading_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/exchange/weex/simulator/account"
	"rebatedesk/trading"
)

func decimalOf(n int64) decimal.Decimal { return decimal.NewFromInt(n) }

// fault is one way in which a call goes wrong.
type fault struct {
	name  string
	rule  simulator.FaultRule
	begin func(*fixture)
}

// faults are those of the promise: on the way there, on the way back, and in
// the answer; executed, not executed, and executed only later.
func faults() (all []fault) {
	for _, kind := range []simulator.Fault{
		simulator.RateLimited, simulator.ServerError, simulator.HTMLOK, simulator.HTMLError, simulator.Truncated, simulator.Reset,
		simulator.Slow, simulator.Dropped, simulator.Redirected, simulator.ExecutedError, simulator.ExecutedHTMLOK,
		simulator.ExecutedHTML, simulator.WrongEcho,
	} {
		all = append(all, fault{name: string(kind), rule: simulator.FaultRule{Fault: kind, Delay: delayOf(kind, 20*time.Millisecond)}})
	}
	return append(all,
		fault{name: "no answer in time", rule: simulator.FaultRule{Fault: simulator.Slow, Delay: 700 * time.Millisecond},
			begin: func(f *fixture) { f.sender = f.client(300*time.Millisecond, f.dialSender) }},
		fault{name: "torn, executed later", rule: simulator.FaultRule{Fault: simulator.Reset, Delay: time.Minute}},
		fault{name: "error, executed later", rule: simulator.FaultRule{Fault: simulator.ExecutedError, Delay: time.Minute}},
		fault{name: "connection refused", begin: (*fixture).refuseConnections},
		fault{name: "no such answer", begin: func(f *fixture) {
			f.answers(func(w http.ResponseWriter, r *http.Request) bool {
				if ordering(r.URL.Path) {
					fmt.Fprint(w, `{"code":"00000","msg":"success","data":{"orderId":null}}`)
				}
				return ordering(r.URL.Path)
			})
		}},
	)
}

// at are the rules that make it happen to the first call of a path.
func (f fault) at(path string) []simulator.FaultRule {
	if f.rule.Fault == "" {
		return nil
	}
	f.rule.Path, f.rule.Every, f.rule.Limit = path, 1, 1
	return []simulator.FaultRule{f.rule}
}

// census counts states.
type census struct {
	mu    sync.Mutex
	count map[trading.IntentState]int
}

func (c *census) add(s trading.IntentState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count == nil {
		c.count = map[trading.IntentState]int{}
	}
	c.count[s]++
}

// delayOf is the delay of a slow answer; with other faults it would be that of
// the execution.
func delayOf(kind simulator.Fault, delay time.Duration) time.Duration {
	if kind == simulator.Slow {
		return delay
	}
	return 0
}

func (f *fixture) refuseConnections() {
	refused := func() error { return errors.New("connection refused") }
	f.dial.Store(&refused)
	f.sender.Close()
}

func (f *fixture) answers(answer func(http.ResponseWriter, *http.Request) bool) {
	f.answer.Store(&answer)
}

// kinds make a draft of each endpoint that changes something.
var kinds = map[string]struct {
	path  string
	draft func(*fixture) trading.Draft
}{
	"place":        {"/trade/orders", (*fixture).limit},
	"batch":        {"/batch-orders", (*fixture).batch},
	"cancel":       {"/cancel-order", func(f *fixture) trading.Draft { return f.cancelling(trading.Cancel, 1) }},
	"cancel-batch": {"/cancel-batch-orders", func(f *fixture) trading.Draft { return f.cancelling(trading.CancelSome, 3) }},
	"cancel-all":   {"/cancel-batch-orders", func(f *fixture) trading.Draft { return f.cancelling(trading.CancelAll, 3) }},
	"trigger":      {"/plan_order", (*fixture).trigger},
}

func (f *fixture) batch() trading.Draft {
	draft := f.limit()
	draft.Kind = trading.PlaceBatch
	for i := range 2 {
		o := draft.Orders[0]
		o.Price = f.price(int64(94 - i))
		draft.Orders = append(draft.Orders, o)
	}
	return draft
}

// cancelling places orders and wants them cancelled.
func (f *fixture) cancelling(kind trading.IntentKind, count int) trading.Draft {
	f.Helper()
	draft := trading.Draft{Account: "main", Kind: kind, Pair: pair, Source: trading.FromPage}
	for i := range count {
		one := f.limit()
		one.Orders[0].Price = f.price(int64(90 - i))
		draft.Orders = append(draft.Orders, trading.Order{OrderID: f.place(one).Orders[0].OrderID})
	}
	return draft
}

func (f *fixture) trigger() trading.Draft {
	return trading.Draft{Account: "main", Kind: trading.Trigger, Pair: contract, Source: trading.FromPage, Orders: []trading.Order{{
		Action: "1", Match: "0", Price: "1000", TriggerPrice: "1000", Quantity: "0.01", Margin: 1,
	}}}
}

// Whatever happens to a call, an intent has at most one effect, and nothing false is
// reported: neither now, nor on a second call, nor after looking.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	all := faults()
	if len(all) < 18 {
		t.Fatalf("%d faults", len(all))
	}
	var states census
	t.Run("of", func(t *testing.T) {
		for _, fault := range all {
			for name, kind := range kinds {
				t.Run(fault.name+"/"+name, func(t *testing.T) {
					t.Parallel()
					f := openFixture(t, nil, fault.at(kind.path)...)
					f.seesThrough(kind.draft(f), fault.begin, &states)
				})
			}
		}
	})
	t.Logf("%d faults × %d endpoints: %v", len(all), len(kinds), states.count)
	for _, state := range []trading.IntentState{trading.IntentPlaced, trading.IntentCancelled, trading.IntentRefused, trading.IntentNotSent, trading.IntentUnknown} {
		if states.count[state] == 0 {
			t.Errorf("the matrix never comes to %q", state)
		}
	}
}

// seesThrough sends a draft under a fault and compares the reported states with the
// exchange's ledger at each step.
func (f *fixture) seesThrough(draft trading.Draft, begin func(*fixture), states *census) {
	f.Helper()
	in := f.prepare(draft)
	if begin != nil {
		begin(f)
	}
	before := f.sent()
	got := f.send(in.ID)
	if n := f.sent() - before; n > 1 {
		f.Errorf("sent %d times", n)
	}
	after := f.sent()
	f.tellsTheTruth(got)
	for _, o := range got.Orders {
		states.add(o.State)
	}
	if again := f.send(in.ID); !reflect.DeepEqual(again, got) || f.sent() != after {
		f.Errorf("asked again: %+v, sent %d more times", again, f.sent()-after)
	}
	f.blocksItsSide(draft, got)
	f.looks(got)
	f.after.Add(int64(2 * time.Minute))
	f.looks(got)
	if f.sent() != after {
		f.Error("looking sent something")
	}
}

// tellsTheTruth compares the states of an intent with the ledger.
func (f *fixture) tellsTheTruth(in trading.Intent) {
	f.Helper()
	l := f.sim.Ledger()
	for _, o := range in.Orders {
		done, times := l.Executions[o.ClientID].Accepted > 0, l.Executions[o.ClientID].Received
		if o.Side == "" {
			at := slices.IndexFunc(l.Orders, func(p account.PlacedOrder) bool { return p.ID == o.OrderID })
			done = l.Orders[at].Status == account.StatusCancelled
		}
		if times > 1 {
			f.Errorf("%s was received %d times", o.ClientID, times)
		}
		switch o.State {
		case trading.IntentPlaced, trading.IntentCancelled:
			if !done {
				f.Errorf("false %q: %+v", o.State, o)
			}
		case trading.IntentRefused, trading.IntentNotSent:
			if done {
				f.Errorf("false %q: %+v", o.State, o)
			}
		case trading.IntentUnknown, trading.IntentResolved:
		default:
			f.Errorf("ended as %+v", o)
		}
	}
}

// blocksItsSide tries another order on the same pair and side.
func (f *fixture) blocksItsSide(draft trading.Draft, got trading.Intent) {
	f.Helper()
	if draft.Kind != trading.Place {
		return
	}
	next, other := f.limit(), f.limit()
	next.Orders[0].Price, next.ID = f.price(92), ""
	other.Orders[0].Side, other.Orders[0].Price = "sell", f.price(105)
	f.dial.Store(nil)
	unknown := got.Orders[0].State == trading.IntentUnknown
	var refusal *trading.RefusedDraft
	_, err := f.desk.Prepare(context.Background(), trader, next)
	if blocked := errors.As(err, &refusal) && refusal.Word() == trading.WordBlocked; blocked != unknown {
		f.Errorf("after %s the same side: %v", got.Orders[0].State, err)
	}
	if flight := f.desk.Check(context.Background(), other); !flight.Clear() {
		f.Errorf("after %s the other side: %v", got.Orders[0].State, flight.Stops())
	}
}

// looks resolves the intent as far as looking can.
func (f *fixture) looks(in trading.Intent) {
	f.Helper()
	found, err := f.desk.Resolve(context.Background(), trader, in.ID)
	if err != nil {
		f.Fatal(err)
	}
	f.tellsTheTruth(found.Intent)
	unknown := 0
	for _, o := range found.Intent.Orders {
		if o.State != trading.IntentUnknown {
			continue
		}
		unknown++
		if open := f.isOpen(o); open && o.Side != "" && in.Kind != string(trading.Trigger) {
			f.Errorf("%s is open and was not found", o.ClientID)
		}
	}
	if unknown != len(found.Looks) {
		f.Errorf("%d unknown orders, %d looks", unknown, len(found.Looks))
	}
}

func (f *fixture) isOpen(o trading.Order) bool {
	return slices.ContainsFunc(f.sim.Ledger().Orders, func(p account.PlacedOrder) bool {
		return p.ClientOrderID == o.ClientID && (p.Status == account.StatusNew || p.Status == account.StatusPartial)
	})
}

// A handshake that fails leaves nothing on its way.
func TestNoSecureConnection(t *testing.T) {
	f := openFixture(t, nil)
	in := f.prepare(f.limit())
	keys := f.sim.Credentials()
	secure, err := weex.New(exchange.Config{
		BaseURL: strings.Replace(f.url, "http:", "https:", 1), Key: keys.APIKey, Secret: keys.APISecret, Passphrase: keys.APIPassphrase,
		Backoff: time.Millisecond, Tries: 1, Reach: exchange.Reach{Private: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.sender = secure
	if o := f.send(in.ID).Orders[0]; o.State != trading.IntentNotSent || o.Rule != string(trading.RuleClock) || f.sent() != 0 {
		t.Errorf("%+v", o)
	}
}

// A filled order cannot be found by its client order id: its fills are the
// evidence, until a person decides.
func TestFilledOrderIsACandidate(t *testing.T) {
	f := openFixture(t, nil, simulator.FaultRule{Fault: simulator.ExecutedError, Path: "/trade/orders", Every: 2})
	market := f.limit()
	market.Orders[0].Type, market.Orders[0].Force, market.Orders[0].Price = "market", "", ""
	market.Again = true
	f.place(market) // its fills are its own
	in := f.send(f.prepare(market).ID)
	found, err := f.desk.Resolve(context.Background(), trader, in.ID)
	if err != nil || len(found.Looks) != 1 || len(found.Looks[0].Candidates) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	c := found.Looks[0].Candidates[0]
	if truth := f.sim.Ledger().Orders[1]; c.OrderID != truth.ID || c.Quantity.Cmp("0.01") != 0 || len(c.Fills) == 0 {
		t.Errorf("%+v, truth %+v", c, truth)
	}
	if found.Intent.Orders[0].State != trading.IntentUnknown {
		t.Errorf("fills alone are no proof: %+v", found.Intent.Orders[0])
	}
	if _, err := f.desk.Decide(context.Background(), trader, in.ID, 0, true, " "); err == nil {
		t.Error("decided without a reason")
	}
	decided, err := f.desk.Decide(context.Background(), trader, in.ID, 0, true, "its fills are there")
	if err != nil || decided.Orders[0].State != trading.IntentResolved || decided.Orders[0].Verdict != "done" || decided.Orders[0].DecidedBy != "mia" {
		t.Errorf("%+v, %v", decided, err)
	}
	if status, err := f.desk.Status(context.Background()); err != nil || status.Unknown != 0 || status.Spent["USDT"].Cmp("0") <= 0 {
		t.Errorf("%+v, %v", status, err)
	}
	if _, err := f.desk.Decide(context.Background(), trader, in.ID, 0, false, "or not"); err == nil {
		t.Error("decided twice")
	}
}
