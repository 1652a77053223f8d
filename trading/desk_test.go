package trading_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/exchange/weex/simulator/account"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/store/audit"
	"rebatedesk/store/orders"
	"rebatedesk/store/storetest"
	"rebatedesk/trading"
)

// A dry run does everything except sending.
func TestDryRun(t *testing.T) {
	f := openFixture(t, func(o *trading.Options) { o.Mode = trading.Dry })
	in := f.send(f.prepare(f.limit()).ID)
	if in.Orders[0].State != trading.IntentDryRun || f.sent() != 0 {
		t.Errorf("%+v", in.Orders[0])
	}
	if status, err := f.desk.Status(context.Background()); err != nil || len(status.Spent) != 0 || status.Mode != trading.Dry {
		t.Errorf("%+v, %v", status, err)
	}
}

// Whatever stops sending between the review and the last moment, the order is not sent,
// names the rule, and is never sent afterwards.
func TestStoppedAfterTheReview(t *testing.T) {
	storetest.Engines(t, "statements about orders", testStoppedAfterTheReview)
}

func testStoppedAfterTheReview(t *testing.T) {
	for name, test := range map[string]struct {
		between func(*fixture)
		rule    trading.Rule
	}{
		"kill file":  {(*fixture).makeKillFile, trading.RuleKill},
		"switch":     {(*fixture).stop, trading.RuleKill},
		"too old":    {func(f *fixture) { f.after.Add(int64(11 * time.Minute)) }, trading.RuleExpired},
		"same order": {func(f *fixture) { f.place(f.limit()) }, trading.RuleDuplicate},
		"prices":     {func(f *fixture) { f.fails("/market/tickers") }, trading.RuleTicker},
		"new tick":   {func(f *fixture) { f.rewrites("/exchangeInfo", `"tickSize":"0.01"`, `"tickSize":"0.07"`, 0) }, trading.RuleTick},
		"new step":   {func(f *fixture) { f.rewrites("/exchangeInfo", `"stepSize":"0.000001"`, `"stepSize":"0.007"`, 0) }, trading.RuleStep},
	} {
		t.Run(name, func(t *testing.T) {
			f := openFixture(t, nil)
			draft := f.limit()
			in := f.prepare(draft)
			test.between(f)
			before := f.sent()
			got := f.send(in.ID)
			if o := got.Orders[0]; o.State != trading.IntentNotSent || o.Rule != string(test.rule) || o.Message == "" || got.Sent.Known() {
				t.Errorf("%v %+v", got.Sent, o)
			}
			f.answer.Store(nil)
			if again := f.send(in.ID); again.Orders[0].State != trading.IntentNotSent || f.sent() != before {
				t.Errorf("sent again: %+v", again.Orders[0])
			}
		})
	}
}

// IntentSending is stopped until the very last: after the order was let go, before a
// byte of it has left.
func TestStoppedAtTheLastMoment(t *testing.T) {
	for name, stop := range map[string]func(*fixture){"kill file": (*fixture).makeKillFile, "switch": (*fixture).stop} {
		f := openFixture(t, nil)
		in := f.prepare(f.limit())
		crashpoint.Watch(func(p crashpoint.Point) {
			if p == crashpoint.SendingCommitted {
				stop(f)
			}
		})
		got := f.send(in.ID)
		crashpoint.Watch(nil)
		if o := got.Orders[0]; o.State != trading.IntentNotSent || o.Rule != string(trading.RuleKill) || !got.Sent.Known() || f.sent() != 0 {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// An order that the database delays is not sent at an outdated price.
func TestOldPriceAtTheLastMoment(t *testing.T) {
	f := openFixture(t, nil)
	in := f.prepare(f.limit())
	f.answers(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/market/tickers") {
			f.after.Add(int64(11 * time.Second)) // between the check and the claim
		}
		return false
	})
	if o := f.send(in.ID).Orders[0]; o.State != trading.IntentNotSent || o.Rule != string(trading.RuleTicker) || f.sent() != 0 {
		t.Errorf("%+v", o)
	}
}

// A form that was sent is not sent again.
func TestFormsAreUsedOnce(t *testing.T) {
	storetest.Engines(t, "what is unique among writers", testFormsAreUsedOnce)
}

func testFormsAreUsedOnce(t *testing.T) {
	f := openFixture(t, nil)
	draft := f.limit()
	draft.ID = trading.NewID()
	f.place(draft)
	if in, err := f.desk.Prepare(context.Background(), trader, draft); err != nil || in.Orders[0].State != trading.IntentPlaced {
		t.Errorf("the same again: %+v, %v", in, err)
	}
	if _, err := f.desk.Send(context.Background(), trader, "r'; DROP"); !errors.Is(err, trading.ErrNoIntent) {
		t.Error(err)
	}
}

// An unknown blocks its side until it is overridden with a reason; it counts in
// the cap all the same.
func TestOverride(t *testing.T) { storetest.Engines(t, "statements about limits", testOverride) }

func testOverride(t *testing.T) {
	f := openFixture(t, nil, simulator.FaultRule{Fault: simulator.Dropped, Path: "/trade/orders", Every: 1, Limit: 1})
	in := f.send(f.prepare(f.limit()).ID)
	unknowns, err := f.desk.Unknowns(context.Background())
	if err != nil || len(unknowns) != 1 || unknowns[0].ID != in.ID || in.Orders[0].State != trading.IntentUnknown {
		t.Fatalf("%+v, %v", unknowns, err)
	}
	next := f.limit()
	next.Orders[0].Quantity = "0.02"
	if flight := f.desk.Check(context.Background(), next); flight.Clear() || flight.Stops()[0].Rule != trading.RuleBlock {
		t.Errorf("%+v", flight.Stops())
	}
	if _, err := f.desk.Override(context.Background(), trader, in.ID, 0, ""); err == nil {
		t.Error("overridden without a reason")
	}
	before := f.sent()
	got, err := f.desk.Override(context.Background(), trader, in.ID, 0, "the exchange says it has none")
	if err != nil || got.Orders[0].State != trading.IntentUnknown || !got.Orders[0].Overridden.Known() || f.sent() != before {
		t.Errorf("%+v, %v", got, err)
	}
	status, err := f.desk.Status(context.Background())
	if err != nil || status.Unknown != 1 || status.Spent["USDT"].Cmp(in.Orders[0].Worth) != 0 {
		t.Errorf("%+v, %v", status, err)
	}
	f.place(next)
}

// An order counts in the cap of the day, and the same one repeats it, as long as it had an effect or may
// have had one. The cap is that of all accounts; the other rules are about one.
func TestWhatCounts(t *testing.T) { storetest.Engines(t, "statements about limits", testWhatCounts) }

func testWhatCounts(t *testing.T) {
	ctx := context.Background()
	both := func(o *trading.Options) {
		accounts := o.Accounts
		o.Accounts = func(affiliate.Account) (trading.Venue, bool) { return accounts("main") }
	}
	decide := func(done bool) func(*fixture, trading.Intent) error {
		return func(f *fixture, in trading.Intent) error {
			_, err := f.desk.Decide(ctx, trader, in.ID, 0, done, "the exchange says so")
			return err
		}
	}
	for name, test := range map[string]struct {
		account                 affiliate.Account
		lost                    bool
		after                   func(*fixture, trading.Intent) error
		counts, repeats, blocks bool
	}{
		"placed":             {account: "main", counts: true, repeats: true},
		"of another":         {account: "other", counts: true},
		"unknown":            {account: "main", lost: true, counts: true, repeats: true, blocks: true},
		"unknown of another": {account: "other", lost: true, counts: true},
		"overridden": {account: "main", lost: true, counts: true, repeats: true, after: func(f *fixture, in trading.Intent) error {
			_, err := f.desk.Override(ctx, trader, in.ID, 0, "the exchange says so")
			return err
		}},
		"done":     {account: "main", lost: true, after: decide(true), counts: true, repeats: true},
		"not done": {account: "main", lost: true, after: decide(false)},
	} {
		var rules []simulator.FaultRule
		if test.lost {
			rules = append(rules, simulator.FaultRule{Fault: simulator.Dropped, Path: "/trade/orders", Every: 1, Limit: 1})
		}
		f := openFixture(t, both, rules...)
		draft := f.limit()
		draft.Account = test.account
		in := f.send(f.prepare(draft).ID)
		if unknown := in.Orders[0].State == trading.IntentUnknown; unknown != test.lost {
			t.Fatalf("%s: %+v", name, in.Orders[0])
		}
		if test.after != nil {
			if err := test.after(f, in); err != nil {
				t.Fatal(err)
			}
		}
		status, err := f.desk.Status(ctx)
		if spent := status.Spent["USDT"]; err != nil || spent.Known() != test.counts || test.counts && spent.Cmp(in.Orders[0].Worth) != 0 {
			t.Errorf("%s: %q is spent of %s, counts %v, %v", name, spent, in.Orders[0].Worth, test.counts, err)
		}
		if got := f.repeats(f.limit()); got != test.repeats {
			t.Errorf("%s: the same order is a repetition: %v", name, got)
		}
		if got := f.breaks(f.limit(), trading.RuleBlock); got != test.blocks {
			t.Errorf("%s: it blocks: %v", name, got)
		}
		f.open(func(o *trading.Options) { both(o); o.Caps.Day = in.Orders[0].Worth })
		if got := f.breaks(f.limit(), trading.RuleDayCap); got != test.counts {
			t.Errorf("%s: another one is beyond the cap of the day: %v", name, got)
		}
	}
}

// Cancelling a pair covers the orders open at the review, 50 per call, and stops if the
// exchange leaves a call in doubt.
func TestCancelAll(t *testing.T) { storetest.Engines(t, "statements about open orders", testCancelAll) }

func testCancelAll(t *testing.T) {
	for _, rule := range []simulator.FaultRule{{}, {Fault: simulator.ExecutedError, Path: "cancel-batch", Every: 2, Limit: 1}} {
		var rules []simulator.FaultRule
		if rule.Fault != "" {
			rules = append(rules, rule)
		}
		f := openFixture(t, nil, rules...)
		draft := f.limit()
		draft.Kind, draft.Again = trading.PlaceBatch, true
		for len(draft.Orders) < 40 {
			draft.Orders = append(draft.Orders, draft.Orders[0])
		}
		for range 3 {
			f.place(draft)
		}
		before := f.sent()
		in := f.prepare(trading.Draft{Account: "main", Kind: trading.CancelAll, Pair: pair, Source: trading.FromPage})
		later := f.limit()
		later.Again = true
		f.place(later)
		got := f.send(in.ID)
		counts := map[trading.IntentState]int{}
		for _, o := range got.Orders {
			counts[o.State]++
		}
		want, calls := map[trading.IntentState]int{trading.IntentCancelled: 120}, 3
		if rule.Fault != "" {
			want, calls = map[trading.IntentState]int{trading.IntentCancelled: 50, trading.IntentUnknown: 50, trading.IntentNotSent: 20}, 2
		}
		for state, n := range want {
			if counts[state] != n {
				t.Errorf("%v, want %v", counts, want)
			}
		}
		if n := f.sent() - before - 1; n != calls {
			t.Errorf("%d calls, want %d", n, calls)
		}
		f.tellsTheTruth(got)
	}
}

// A program's call is forwarded unchanged, under the same rules, and its id identifies one
// order.
func TestForwarded(t *testing.T) {
	f := openFixture(t, nil)
	order := func(id string) string {
		return fmt.Sprintf(`{"side":"buy","orderType":"limit","force":"normal","price":"%s","quantity":"0.01","clientOrderId":"%s"}`, f.price(95), id)
	}
	of := func(list string) string { return `{"symbol":"` + pair + `",` + list + `}` }
	for _, step := range []struct{ path, body, word string }{
		{"/api/v2/trade/orders", of(order("one")[1 : len(order("one"))-1]), ""},
		{"/api/v2/trade/orders", of(order("one")[1 : len(order("one"))-1]), "refused"},
		{"/api/v2/trade/batch-orders", of(`"orderList":[` + order("two") + `,` + order("three") + `]`), ""},
		{"/api/v2/trade/cancel-order", of(`"clientOid":"one"`), ""},
		{"/api/v2/trade/cancel-order", of(`"clientOid":"one"`), ""}, // the exchange's own refusal
		{"/api/v2/trade/cancel-batch-orders", of(`"clientOids":["two","three"]`), ""},
		{"/capi/v2/order/plan_order", `{"symbol":"` + contract + `","client_oid":"four","size":"0.01","type":"2","match_type":"1","execute_price":"1000","trigger_price":"1000"}`, ""},
		{"/capi/v2/order/plan_order", `{"symbol":"` + contract + `","client_oid":"","size":"0.01","type":"2","match_type":"1","execute_price":"0","trigger_price":"1000"}`, "refused"},
	} {
		word, sent := f.forward(step.path, step.body)
		if word != step.word || sent != (step.word == "") {
			t.Errorf("%s %s: %q, sent %v", step.path, step.body, word, sent)
		}
	}
	l := f.sim.Ledger()
	if len(l.Orders) != 3 || len(l.TriggerOrders) != 1 || f.sent() != 6 {
		t.Errorf("%d orders, %d trigger orders, %d calls", len(l.Orders), len(l.TriggerOrders), f.sent())
	}
	for _, o := range l.Orders {
		if o.Status != account.StatusCancelled {
			t.Errorf("%+v", o)
		}
	}
}

// forward is what the proxy does with an order call.
func (f *fixture) forward(path, body string) (word string, sent bool) {
	f.Helper()
	contents, err := f.sender.Read(weex.Request{Method: http.MethodPost, Path: path, Body: []byte(body)})
	if err != nil {
		return trading.WordRefused, false
	}
	in, err := f.desk.Submit(context.Background(), trader, trading.Forwarded("main", contents), func(ctx context.Context, c *weex.Client, preflight weex.OrderOption) []weex.Outcome {
		sent = true
		answer, err := c.ForwardRead(ctx, contents, preflight)
		if err != nil {
			f.Error(err)
		}
		return answer.Outcomes
	})
	if refusal, ok := errors.AsType[*trading.RefusedDraft](err); ok {
		return refusal.Word(), sent
	}
	if err != nil {
		f.Fatal(err)
	}
	word, _ = trading.Word(in)
	return word, sent
}

// An open order under the id of one whose answer was lost is that one only if its side and quantity are
// the same and it is not older: another program can use the same id.
func TestForeignOrderOfTheSameID(t *testing.T) {
	storetest.Engines(t, "what is unique", testForeignOrderOfTheSameID)
}

func testForeignOrderOfTheSameID(t *testing.T) {
	for name, test := range map[string]struct {
		side     weex.Side
		percent  int64 // of the last price, so that it stays open
		quantity affiliate.Number
		age      time.Duration
		state    trading.IntentState
	}{
		"the order":      {weex.Buy, 95, "0.01", 0, trading.IntentPlaced},
		"an older one":   {weex.Buy, 95, "0.01", time.Hour, trading.IntentUnknown},
		"other side":     {weex.Sell, 105, "0.01", 0, trading.IntentUnknown},
		"other quantity": {weex.Buy, 95, "0.02", 0, trading.IntentUnknown},
	} {
		f := openFixture(t, nil)
		open := weex.NewOrder{Side: test.side, Type: weex.Limit, Force: weex.GoodTillCancelled, Price: f.price(test.percent), Quantity: test.quantity, ClientOrderID: "mine"}
		if got := f.sender.PlaceOrder(context.Background(), pair, open); got.State != weex.Placed {
			t.Fatalf("%+v", got)
		}
		f.after.Add(int64(test.age))
		draft := f.limit()
		draft.Source, draft.Orders[0].ClientID = trading.FromProxy, "mine"
		in, err := f.desk.Submit(context.Background(), trader, draft, func(context.Context, *weex.Client, weex.OrderOption) []weex.Outcome { return nil })
		if err != nil {
			t.Fatal(err)
		}
		found, err := f.desk.Resolve(context.Background(), trader, in.ID)
		if err != nil || found.Intent.Orders[0].State != test.state || (len(found.Looks) == 1) != (test.state == trading.IntentUnknown) {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
}

// A call that breaks off leaves its orders in doubt, and says so.
func TestCallThatBreaksOff(t *testing.T) {
	f := openFixture(t, nil)
	for i, call := range []trading.Call{
		func(context.Context, *weex.Client, weex.OrderOption) []weex.Outcome { panic("lost") },
		func(context.Context, *weex.Client, weex.OrderOption) []weex.Outcome { return nil },
	} {
		draft := f.limit()
		draft.Source, draft.Orders[0].ClientID, draft.Orders[0].Side, draft.Orders[0].Price = trading.FromProxy, fmt.Sprint("prog-", i), "buy", f.price(95)
		if i == 1 {
			draft.Orders[0].Side, draft.Orders[0].Price = "sell", f.price(105)
		}
		in, err := f.desk.Submit(context.Background(), trader, draft, call)
		if word, why := trading.Word(in); err != nil || in.Orders[0].State != trading.IntentUnknown || word != trading.WordUnknown || why == "" {
			t.Errorf("%+v, %v", in, err)
		}
	}
}

// Every step has its line, with the answer of the exchange and without a secret, and the
// log is valid.
func TestAudit(t *testing.T) { storetest.Engines(t, "the order goes with its line", testAudit) }

func testAudit(t *testing.T) {
	f := openFixture(t, nil)
	placed := f.place(f.limit())
	too := f.limit()
	too.Orders[0].Side, too.Orders[0].Price, too.Orders[0].Quantity = "sell", f.price(105), "99"
	keys := f.sim.Credentials()
	for range 12 { // the account runs out of coins
		too.Again = true
		if in := f.send(f.prepare(too).ID); in.Orders[0].State == trading.IntentRefused {
			break
		}
	}
	f.stop()
	lines := f.audit()
	var actions []string
	for _, line := range lines {
		actions = append(actions, line.Action)
		text := line.Detail + line.Outcome + line.Object
		for _, secret := range []exchange.Secret{keys.APIKey, keys.APISecret, keys.APIPassphrase} {
			if strings.Contains(text, secret.Reveal()) {
				t.Errorf("a secret in %+v", line)
			}
		}
		if line.Actor != "mia" || line.Via != "session" || line.Address != "192.0.2.1" {
			t.Errorf("%+v", line)
		}
	}
	all := strings.Join(actions, ",")
	for _, want := range []string{"trading stopped,order refused,order sending,order prepared", "order placed,order sending,order prepared"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s has no %s", all, want)
		}
	}
	last := lines[len(lines)-3] // newest first: the first order's outcome
	if !strings.Contains(last.Outcome, "placed, HTTP 200") || !strings.Contains(last.Detail, placed.Orders[0].OrderID) || !strings.Contains(last.Object, placed.ID) {
		t.Errorf("%+v", last)
	}
}

// A desk that opens treats orders in flight as lost, with a line of the log.
func TestOpenEndsWhatWasOnItsWay(t *testing.T) {
	f := openFixture(t, nil)
	in := f.prepare(f.limit())
	_, claimed, err := orders.ClaimIntent(context.Background(), f.store, in.ID, orders.ExposureQuery{}, audit.Line{Actor: "mia"},
		func(trading.Intent, orders.Exposure) orders.Claim { return orders.Claim{State: trading.IntentSending} })
	if err != nil || !claimed {
		t.Fatal(err)
	}
	if unknowns, err := f.desk.Unknowns(context.Background()); err != nil || len(unknowns) != 0 {
		t.Errorf("%+v, %v", unknowns, err)
	}
	f.after.Add(int64(2 * time.Minute))
	if flight := f.desk.Check(context.Background(), f.limit()); flight.Clear() {
		t.Error("an order that has been on its way for minutes does not block")
	}
	f.open(nil)
	unknowns, err := f.desk.Unknowns(context.Background())
	if err != nil || len(unknowns) != 1 || unknowns[0].Orders[0].State != trading.IntentUnknown || f.sent() != 0 {
		t.Errorf("%+v, %v", unknowns, err)
	}
	if line := f.audit()[0]; line.Action != "order unknown" || line.Via != "server" || !strings.HasPrefix(line.Object, in.ID) {
		t.Errorf("%+v", line)
	}
	list, err := f.desk.Intents(context.Background(), trading.IntentQuery{Account: "main", Pair: pair, State: trading.IntentUnknown, Limit: 5})
	if err != nil || len(list) != 1 || list[0].Orders[0].ClientID != in.ID+"00" {
		t.Errorf("%+v, %v", list, err)
	}
	if other, err := f.desk.Intents(context.Background(), trading.IntentQuery{Account: affiliate.Account("other")}); err != nil || len(other) != 0 {
		t.Errorf("%+v, %v", other, err)
	}
}

// An order that waits for its turn is no exception: sending is stopped before its turn.
func TestStoppedWhileWaitingForItsTurn(t *testing.T) {
	storetest.Engines(t, "a writer that waits for another", testStoppedWhileWaitingForItsTurn)
}

func testStoppedWhileWaitingForItsTurn(t *testing.T) {
	f := openFixture(t, nil)
	keys := f.sim.Credentials()
	var err error
	f.sender, err = weex.New(exchange.Config{
		BaseURL: f.url, Key: keys.APIKey, Secret: keys.APISecret, Passphrase: keys.APIPassphrase,
		Budget: exchange.NewBudget(1 << 30), BanWait: time.Second, Now: f.now, Tries: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.sender.Close)
	in := f.prepare(f.limit())
	f.answers(func(w http.ResponseWriter, r *http.Request) bool {
		banned := strings.HasSuffix(r.URL.Path, "/market/fills")
		if banned {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		return banned
	})
	crashpoint.Watch(func(p crashpoint.Point) {
		if p != crashpoint.SendingCommitted {
			return
		}
		if _, err := f.sender.Trades(context.Background(), weex.TradeQuery{Symbol: pair}); err == nil {
			t.Error("the exchange refuses no call")
		}
		time.AfterFunc(200*time.Millisecond, f.stop)
	})
	got := f.send(in.ID)
	crashpoint.Watch(nil)
	if o := got.Orders[0]; o.State != trading.IntentNotSent || o.Rule != string(trading.RuleKill) || f.sent() != 0 {
		t.Errorf("%d sent: %+v", f.sent(), o)
	}
}
