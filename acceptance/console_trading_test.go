package acceptance_test

import (
	"context"
	"html"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator"
	"rebatedesk/exchange/simulator/account"
	"rebatedesk/trading"
	"rebatedesk/web"
)

// An order passes through all its steps: ticket, review, code, result, cancellation.
func TestOrderLifecycle(t *testing.T) {
	t.Parallel()
	f := openTrading(t, nil)
	f.pass(6 * time.Minute) // the code of the sign-in has expired
	form := f.formOf(f.theo.get("/console/trade"))
	fields := f.limit(form, f.price(95), "0.0100009")
	at, review := f.reviewed(fields...)
	text := html.UnescapeString(review.body)
	for _, want := range []string{"LIVE", "Buy 0.01 of BTC/USDT at " + affiliate.Grouped(f.price(95)), "is rounded down to the step of the pair: 0.01.", "Tick size", "Cap of an order", "Send now", `name="totp"`, "Send by ", "Entered by", "theo in the browser"} {
		if !strings.Contains(text, want) {
			t.Errorf("the review does not say %q", want)
		}
	}
	if len(f.orders()) != 0 || f.state(at) != trading.IntentDrafted {
		t.Fatal("the review sent an order")
	}
	if a := f.theo.post(at + "/send"); a.StatusCode != 401 || len(f.orders()) != 0 || !strings.Contains(a.body, "Nothing was sent.") {
		t.Errorf("without a code: status %d, %d orders", a.StatusCode, len(f.orders()))
	}
	if a := f.theo.post(at+"/send", "totp", "000000"); a.StatusCode != 401 || len(f.orders()) != 0 {
		t.Errorf("with a wrong code: status %d, %d orders", a.StatusCode, len(f.orders()))
	}
	if a := f.theo.post(at+"/send", f.stepUp()...); a.StatusCode != 303 || a.Header.Get("Location") != at || len(f.orders()) != 1 {
		t.Fatalf("with the code: status %d, %d orders", a.StatusCode, len(f.orders()))
	}
	result := f.theo.get(at).body
	if o := f.orders()[0]; !strings.Contains(result, "The exchange took the order.") || !strings.Contains(result, o.ID) || string(o.Quantity) != "0.01" {
		t.Errorf("the result does not name the order: %+v", o)
	}
	for range 2 { // once from the form, once from the back button
		if a := f.theo.post(at + "/send"); a.StatusCode != 303 || a.Header.Get("Location") != at {
			t.Errorf("again: status %d", a.StatusCode)
		}
		if a := f.theo.post("/console/trade", fields...); a.StatusCode != 303 || a.Header.Get("Location") != at {
			t.Errorf("the same ticket again: status %d", a.StatusCode)
		}
	}
	fields[len(fields)-1] = "0.02"
	if a := f.theo.post("/console/trade", fields...); a.StatusCode != 400 || !strings.Contains(a.body, "used already, for something else") {
		t.Errorf("the same form with another quantity: status %d", a.StatusCode)
	}
	if n := len(f.orders()); n != 1 {
		t.Fatalf("%d orders", n)
	}
	f.cancels(f.orders()[0].ID)
}

// cancels marks an order in the list of open orders and cancels it.
func (f *tradingSite) cancels(id string) {
	f.Helper()
	page := f.theo.get("/console/trade?kind=cancel&symbol=" + spot)
	if !strings.Contains(page.body, `name="order-`+id+`"`) || !strings.Contains(page.body, "Review cancelling all 1 of") {
		f.Fatalf("the open order is not offered: status %d", page.StatusCode)
	}
	head := []string{"form", f.formOf(page), "kind", "cancel", "account", "main", "symbol", spot}
	if a := f.theo.post("/console/trade", head...); a.StatusCode != 400 || !strings.Contains(a.body, "Mark the orders") {
		f.Errorf("no order marked: status %d", a.StatusCode)
	}
	at, _ := f.reviewed(append(head, "order-"+id, "yes")...)
	if a := f.theo.post(at + "/send"); a.StatusCode != 303 || f.state(at) != trading.IntentCancelled {
		f.Errorf("cancelling: status %d, %s", a.StatusCode, f.state(at))
	}
	if o := f.orders()[0]; o.Status != account.StatusCancelled {
		f.Errorf("%+v", o)
	}
}

// Fifty copies of one form that arrive at once send one order.
func TestFiftyCopiesOfOneForm(t *testing.T) {
	t.Parallel()
	f := openTrading(t, nil)
	at, _ := f.rests()
	code, token := f.code(f.secret), f.theo.token
	f.theo.post(at+"/send", "totp", "000000") // only the copies below send
	var copies sync.WaitGroup
	answers := make([]int, 50)
	first := f.visitorLike(f.theo, token)
	if a := first.post("/account/totp", "present", "yes", "totp", code); a.StatusCode != 303 {
		t.Fatalf("entering the code: status %d", a.StatusCode)
	}
	for i := range answers {
		v := f.visitorLike(f.theo, token)
		copies.Go(func() { answers[i] = v.post(at + "/send").StatusCode })
	}
	copies.Wait()
	for _, status := range answers {
		if status != 303 {
			t.Errorf("status %d", status)
		}
	}
	if n := len(f.orders()); n != 1 || f.state(at) != trading.IntentPlaced {
		t.Errorf("%d orders, %s", n, f.state(at))
	}
}

// visitorLike returns another window of the same browser.
func (f *tradingSite) visitorLike(v *visitor, token string) *visitor {
	other := f.visitor()
	for name, value := range v.cookies {
		other.cookies[name] = value
	}
	other.token = token
	return other
}

// A ticket can hold a batch, a trigger order, or the cancellation of a whole pair.
func TestOtherTickets(t *testing.T) {
	t.Parallel()
	f := openTrading(t, nil)
	head := func(kind, pair string) []string {
		return []string{"form", f.formOf(f.theo.get("/console/trade?kind=" + kind + "&symbol=" + spot)), "kind", kind, "account", "main", "symbol", pair}
	}
	rows := "buy limit normal " + f.price(95) + " 0.01\nbuy,limit,postOnly," + f.price(94) + ",0.02\n\nsell\tmarket\t0.001\n"
	at, review := f.reviewed(append(head("batch", spot), "orderList", rows)...)
	if !strings.Contains(review.body, "Sell 0.001 of BTC/USDT at the market") {
		t.Error("the review does not show the market order")
	}
	if a := f.theo.post(at+"/send", f.stepUp()...); a.StatusCode != 303 || len(f.orders()) != 3 || f.state(at) != trading.IntentPlaced {
		t.Errorf("batch: status %d, %d orders, %s", a.StatusCode, len(f.orders()), f.state(at))
	}
	for _, bad := range []string{"buy limit", "buy limit normal 1 2 3", ""} {
		if a := f.theo.post("/console/trade", append(head("batch", spot), "orderList", bad)...); a.StatusCode != 400 || !strings.Contains(a.body, "Nothing was sent.") && !strings.Contains(a.body, "Not sent.") {
			t.Errorf("rows %q: status %d", bad, a.StatusCode)
		}
	}
	at, review = f.reviewed(append(head("cancel", spot), "all", "yes", "order-1", "yes")...)
	if strings.Count(review.body, "Cancel order ") < 2 {
		t.Error("the review does not show both orders")
	}
	if a := f.theo.post(at + "/send"); a.StatusCode != 303 || f.state(at) != trading.IntentCancelled {
		t.Errorf("cancelling all orders of a pair: status %d, %s", a.StatusCode, f.state(at))
	}
	at, _ = f.reviewed(append(head("trigger", "cmt_btcusdt"), "type", "2", "match_type", "1", "marginMode", "1", "size", "0.01", "trigger_price", "1000", "execute_price", "1000")...)
	if a := f.theo.post(at + "/send"); a.StatusCode != 303 || f.state(at) != trading.IntentPlaced || len(f.sim.Ledger().TriggerOrders) != 1 {
		t.Errorf("trigger: status %d, %+v", a.StatusCode, f.said(at))
	}
	list := f.theo.get("/console/intents?state=placed").body
	if strings.Count(list, `href="/console/intents/`) != 2 || strings.Contains(list, "Cancel order") {
		t.Error("the filter by state does not narrow the list of intents")
	}
}

// An order that breaks a rule is refused at its field, and nothing is stored.
func TestTicketErrors(t *testing.T) {
	t.Parallel()
	f := openTrading(t, nil)
	before := f.sim.Stats().All()
	for field, fields := range map[string][]string{
		"price":     {"1e5", "0.01"},
		"quantity":  {f.price(95), "-1"},
		"symbol":    {f.price(95), "0.01", "symbol", "BTC/<script>"},
		"side":      {f.price(95), "0.01", "side", "both"},
		"force":     {f.price(95), "0.01", "force", "gtc"},
		"orderType": {f.price(95), "0.01", "orderType", "stop"},
	} {
		form := f.formOf(f.theo.get("/console/trade"))
		a := f.theo.post("/console/trade", f.limit(form, fields[0], fields[1], fields[2:]...)...)
		if a.StatusCode != 400 || !strings.Contains(a.body, `id="ticket-`+field+`-said"`) || strings.Contains(a.body, "<script>alert") || strings.Contains(a.body, "/send\"") {
			t.Errorf("%s: status %d", field, a.StatusCode)
		}
	}
	for _, number := range []string{"0.123456789012345678901234567890", "１２３", "0", "", "NaN", "+1"} {
		form := f.formOf(f.theo.get("/console/trade"))
		if a := f.theo.post("/console/trade", f.limit(form, f.price(95), number)...); a.StatusCode != 400 || !strings.Contains(a.body, "quantity") {
			t.Errorf("quantity %q: status %d", number, a.StatusCode)
		}
	}
	if n := f.sim.Stats().All(); n != before {
		t.Errorf("%d requests were sent", n-before)
	}
	form := f.formOf(f.theo.get("/console/trade"))
	a := f.theo.post("/console/trade", f.limit(form, f.price(99), "2")...)
	if a.StatusCode != 400 || !strings.Contains(a.body, "the cap of an order is 90000") {
		t.Errorf("above the cap: status %d", a.StatusCode)
	}
	if all, err := f.desk.Intents(context.Background(), trading.IntentQuery{}); err != nil || len(all) != 0 {
		t.Errorf("%d intents, %v", len(all), err)
	}
}

// Each mode states its effect and has no other effect.
func TestTradingModes(t *testing.T) {
	t.Parallel()
	off := openTrading(t, func(o *trading.Options) { o.Mode = trading.Off })
	page := off.theo.get("/console/trade").body
	a := off.theo.post("/console/trade", off.limit(trading.NewID(), "1000.00", "0.01")...)
	if !strings.Contains(page, "TRADING=dry-run") || a.StatusCode != 400 || strings.Contains(a.body, "/send\"") {
		t.Errorf("off: status %d", a.StatusCode)
	}
	dry := openTrading(t, func(o *trading.Options) { o.Mode = trading.Dry })
	at, review := dry.rests()
	if !strings.Contains(review.body, "DRY RUN") || strings.Contains(review.body, "Send now") {
		t.Error("the review does not say that this is a dry run")
	}
	if a := dry.theo.post(at + "/send"); a.StatusCode != 303 || dry.state(at) != trading.IntentDryRun || len(dry.orders()) != 0 {
		t.Errorf("dry: status %d, %s", a.StatusCode, dry.state(at))
	}
	bare := openSite(t, web.Options{Console: &consoleExchange{}})
	bare.addUser("theo", access.Trader)
	v := bare.signedInAs("theo")
	bare.enrol(v)
	if a := v.get("/console/trade"); a.StatusCode != 200 || v.get("/console/intents").StatusCode != 200 || v.get("/console/intents/x").StatusCode != 404 {
		t.Errorf("without a desk: status %d", a.StatusCode)
	}
}

// An open page asks for the state of sending. It receives a badge if the state changed,
// and otherwise an empty answer.
func TestOpenPagesFollowTheStateOfSending(t *testing.T) {
	t.Parallel()
	f := openTrading(t, nil)
	seen := func(body string) string {
		_, after, _ := strings.Cut(body, `hx-get="/console/trading/state?seen=`)
		token, _, _ := strings.Cut(after, `"`)
		return "/console/trading/state?seen=" + token
	}
	before := seen(f.theo.get("/console/trade").body)
	if a := f.theo.get(before); a.StatusCode != 204 || a.body != "" {
		t.Errorf("unchanged: status %d, %q", a.StatusCode, a.body)
	}
	f.theo.get("/console/trade")
	f.theo.post("/console/trading/stop")
	stopped := f.theo.get(before)
	if stopped.StatusCode != 200 || !strings.Contains(stopped.body, ">STOPPED<") || strings.Contains(stopped.body, "LIVE") {
		t.Errorf("stopped: status %d, %s", stopped.StatusCode, stopped.body)
	}
	if a := f.theo.get(seen(stopped.body)); a.StatusCode != 204 {
		t.Errorf("seen: status %d", a.StatusCode)
	}
}

// Any user of the console can stop all sending; allowing it again requires proof.
func TestStopButton(t *testing.T) {
	t.Parallel()
	f := openTrading(t, nil)
	f.addUser("ada", access.Admin)
	ada := f.signedInAs("ada")
	f.enrol(ada)
	at, _ := f.rests()
	ada.get("/console/markets")
	if a := ada.post("/console/trading/stop"); a.StatusCode != 303 {
		t.Fatalf("an administrator cannot stop sending: status %d", a.StatusCode)
	}
	for _, path := range []string{"/console", "/console/markets", "/console/trade", "/console/intents", at} {
		body := f.theo.get(path).body
		if !strings.Contains(body, "Trading stopped") || !strings.Contains(body, ">STOPPED<") || strings.Contains(body, "LIVE") {
			t.Errorf("%s does not say that sending is stopped, or says more", path)
		}
	}
	if a := f.theo.post(at+"/send", f.stepUp()...); a.StatusCode != 303 || f.state(at) != trading.IntentNotSent || len(f.orders()) != 0 {
		t.Errorf("stopped: status %d, %s, %d orders", a.StatusCode, f.state(at), len(f.orders()))
	}
	f.pass(6 * time.Minute)
	if a := f.theo.post("/console/trading/resume", "why", "it was a drill"); a.StatusCode != 401 {
		t.Errorf("resuming without a code: status %d", a.StatusCode)
	}
	if a := f.theo.post("/console/trading/resume", f.stepUp()...); a.StatusCode != 400 {
		t.Errorf("resuming without a reason: status %d", a.StatusCode)
	}
	if s, err := f.desk.Status(context.Background()); err != nil || !s.Stopped() {
		t.Errorf("%+v, %v", s, err)
	}
	if a := f.theo.post("/console/trading/resume", "why", "it was a drill"); a.StatusCode != 303 {
		t.Errorf("resuming: status %d", a.StatusCode)
	}
	if a := f.theo.post(at + "/send"); a.StatusCode != 303 || len(f.orders()) != 0 {
		t.Error("a stopped order was sent later")
	}
}

// An unknown outcome appears on every page and blocks further orders on the same side. A
// lookup or a person resolves it; nothing is sent twice.
func TestUnknownOutcomeIsResolved(t *testing.T) {
	t.Parallel()
	for _, fault := range []simulator.Fault{simulator.ExecutedError, simulator.Dropped} {
		f := openTrading(t, nil, simulator.FaultRule{Fault: fault, Path: "/trade/orders", Every: 1, Limit: 1})
		at, _ := f.rests()
		executed := fault == simulator.ExecutedError
		f.theo.post(at+"/send", f.stepUp()...)
		if f.state(at) != trading.IntentUnknown {
			t.Fatalf("%s: %s", fault, f.state(at))
		}
		if page := f.theo.get("/console/markets").body; !strings.Contains(page, "with an unknown outcome") || !strings.Contains(page, at) {
			t.Errorf("%s: not every page shows the unknown outcome", fault)
		}
		form := f.formOf(f.theo.get("/console/trade"))
		if a := f.theo.post("/console/trade", f.limit(form, f.price(94), "0.02")...); a.StatusCode != 400 || !strings.Contains(a.body, "resolve that first") {
			t.Errorf("%s: further orders on the side are not blocked: status %d", fault, a.StatusCode)
		}
		a := f.theo.post(at + "/resolve")
		if executed {
			if a.StatusCode != 200 || f.state(at) != trading.IntentPlaced || len(f.orders()) != 1 {
				t.Errorf("looking: status %d, %s", a.StatusCode, f.state(at))
			}
			continue
		}
		if a.StatusCode != 200 || f.state(at) != trading.IntentUnknown || !strings.Contains(a.body, "It is not among the 0 open orders.") {
			t.Errorf("looking: status %d, %s", a.StatusCode, f.state(at))
		}
		if a := f.theo.post(at+"/override", "n", "0", "why", ""); a.StatusCode != 400 {
			t.Errorf("removing the block without a reason: status %d", a.StatusCode)
		}
		if a := f.theo.post(at+"/override", "n", "0", "why", "support says no"); a.StatusCode != 303 || f.state(at) != trading.IntentUnknown {
			t.Errorf("removing the block: status %d, %s", a.StatusCode, f.state(at))
		}
		for _, bad := range [][]string{{"n", "7", "done", "no"}, {"n", "0", "done", "perhaps"}, {"n", "x", "done", "no"}} {
			if a := f.theo.post(at+"/decide", append(bad, "why", "I know")...); a.StatusCode != 400 {
				t.Errorf("%v: status %d", bad, a.StatusCode)
			}
		}
		if a := f.theo.post(at+"/decide", "n", "0", "done", "no", "why", "the exchange has none"); a.StatusCode != 303 || f.state(at) != trading.IntentResolved || len(f.orders()) != 0 {
			t.Errorf("deciding: status %d, %s", a.StatusCode, f.state(at))
		}
		if page := f.theo.get(at).body; !strings.Contains(page, "not done") || !strings.Contains(page, "the exchange has none") || strings.Contains(page, "with an unknown outcome") {
			t.Error("the result does not show the decision")
		}
	}
}

// Only traders write orders, and only the author of an order sends it.
func TestOnlyTheAuthorSends(t *testing.T) {
	t.Parallel()
	f := openTrading(t, nil)
	for name, role := range map[string]access.Role{"vera": access.Viewer, "mia": access.Manager, "ada": access.Admin, "tom": access.Trader} {
		f.addUser(name, role)
	}
	at, _ := f.rests()
	for _, name := range []string{"vera", "mia", "ada", "tom"} {
		v := f.signedInAs(name)
		if name == "ada" || name == "tom" {
			f.enrol(v)
		}
		v.get("/account")
		reads := name == "ada" || name == "tom"
		for _, path := range []string{"/console/trade", "/console/intents", at} {
			if a := v.get(path); (a.StatusCode == 200) != reads || !reads && a.StatusCode != 403 || strings.Contains(a.body, "/send\"") {
				t.Errorf("%s opens %s: status %d", name, path, a.StatusCode)
			}
		}
		if a := v.post(at + "/send"); a.StatusCode != 403 {
			t.Errorf("%s sends: status %d", name, a.StatusCode)
		}
		if a := v.post("/console/trade", f.limit(trading.NewID(), f.price(95), "0.01")...); (a.StatusCode == 200) != (name == "tom") {
			t.Errorf("%s writes: status %d", name, a.StatusCode)
		}
		own := f.theo.token
		f.theo.token = v.token
		if a := f.theo.post(at+"/send", f.stepUp()...); a.StatusCode != 403 {
			t.Errorf("with the form of %s: status %d", name, a.StatusCode)
		}
		f.theo.token = own
	}
	if f.state(at) != trading.IntentDrafted || len(f.orders()) != 0 {
		t.Error("another user sent the order")
	}
}

// While the exchange's answers are invalid nothing can be sent, and the page names the
// unknown data.
func TestTicketWithoutExchange(t *testing.T) {
	t.Parallel()
	for _, fault := range []simulator.Fault{simulator.HTMLOK, simulator.ServerError, simulator.Truncated, simulator.Reset} {
		f := openTrading(t, nil, simulator.FaultRule{Fault: fault, Every: 1})
		a := f.theo.post("/console/trade", f.limit(trading.NewID(), "1000.00", "0.01")...)
		if a.StatusCode != 400 || !strings.Contains(a.body, "cannot tell") || strings.Contains(a.body, "/send\"") {
			t.Errorf("%s: status %d", fault, a.StatusCode)
		}
		if a := f.theo.get("/console/trade?kind=cancel&symbol=" + spot); !strings.Contains(a.body, "That is not the same as none.") {
			t.Errorf("%s: open orders: status %d", fault, a.StatusCode)
		}
	}
}
