package console_test

import (
	"context"
	"html"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
	"rebatedesk/web"
)

// An order passes through all its steps: ticket, review, code, result, cancellation.
func TestOrderLifecycle(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	f.Pass(6 * time.Minute) // the code of the sign-in has expired
	form := f.FormOf(f.Theo.Get("/console/trade"))
	fields := f.Limit(form, f.Price(95), "0.0100009")
	at, review := f.Reviewed(fields...)
	text := html.UnescapeString(review.Body)
	for _, want := range []string{"LIVE", "Buy 0.01 of BTC/USDT at " + affiliate.Grouped(f.Price(95)), "is rounded down to the step of the pair: 0.01.", "Tick size", "Cap of an order", ">Buy 0.01" + phrase.Space + "BTC for ", "% below the last price ", `name="totp"`, "Send by ", "Entered by", "theo in the browser"} {
		if !strings.Contains(text, want) {
			t.Errorf("the review does not say %q", want)
		}
	}
	if len(f.Orders()) != 0 || f.State(at) != trading.IntentDrafted {
		t.Fatal("the review sent an order")
	}
	if a := f.Theo.Post(at + "/send"); a.StatusCode != 401 || len(f.Orders()) != 0 || !strings.Contains(a.Body, "Nothing was sent.") {
		t.Errorf("without a code: status %d, %d orders", a.StatusCode, len(f.Orders()))
	}
	if a := f.Theo.Post(at+"/send", "totp", "000000"); a.StatusCode != 401 || len(f.Orders()) != 0 {
		t.Errorf("with a wrong code: status %d, %d orders", a.StatusCode, len(f.Orders()))
	}
	if a := f.Theo.Post(at+"/send", f.StepUp()...); a.StatusCode != 303 || a.Header.Get("Location") != at || len(f.Orders()) != 1 {
		t.Fatalf("with the code: status %d, %d orders", a.StatusCode, len(f.Orders()))
	}
	result := f.Theo.Get(at).Body
	if o := f.Orders()[0]; !strings.Contains(result, "The exchange took the order.") || !strings.Contains(result, o.ID) || string(o.Quantity) != "0.01" {
		t.Errorf("the result does not name the order: %+v", o)
	}
	for range 2 { // once from the form, once from the back button
		if a := f.Theo.Post(at + "/send"); a.StatusCode != 303 || a.Header.Get("Location") != at {
			t.Errorf("again: status %d", a.StatusCode)
		}
		if a := f.Theo.Post("/console/trade", fields...); a.StatusCode != 303 || a.Header.Get("Location") != at {
			t.Errorf("the same ticket again: status %d", a.StatusCode)
		}
	}
	fields[len(fields)-1] = "0.02"
	if a := f.Theo.Post("/console/trade", fields...); a.StatusCode != 400 || !strings.Contains(a.Body, "used already, for something else") {
		t.Errorf("the same form with another quantity: status %d", a.StatusCode)
	}
	if n := len(f.Orders()); n != 1 {
		t.Fatalf("%d orders", n)
	}
	f.Cancels(f.Orders()[0].ID)
}

// Fifty copies of one form that arrive at once send one order.
func TestFiftyCopiesOfOneForm(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	at, _ := f.Rests()
	code, token := f.Code(f.Secret), f.Theo.Token
	f.Theo.Post(at+"/send", "totp", "000000") // only the copies below send
	var copies sync.WaitGroup
	answers := make([]int, 50)
	first := f.VisitorLike(f.Theo, token)
	if a := first.Post("/account/totp", "present", "yes", "totp", code); a.StatusCode != 303 {
		t.Fatalf("entering the code: status %d", a.StatusCode)
	}
	for i := range answers {
		v := f.VisitorLike(f.Theo, token)
		copies.Go(func() { answers[i] = v.Post(at + "/send").StatusCode })
	}
	copies.Wait()
	for _, status := range answers {
		if status != 303 {
			t.Errorf("status %d", status)
		}
	}
	if n := len(f.Orders()); n != 1 || f.State(at) != trading.IntentPlaced {
		t.Errorf("%d orders, %s", n, f.State(at))
	}
}

// A ticket can hold a batch, a trigger order, or the cancellation of a whole pair.
func TestOtherTickets(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	head := func(kind, pair string) []string {
		return []string{"form", f.FormOf(f.Theo.Get("/console/trade?kind=" + kind + "&symbol=" + site.Spot)), "kind", kind, "account", "main", "symbol", pair}
	}
	rows := "buy limit normal " + f.Price(95) + " 0.01\nbuy,limit,postOnly," + f.Price(94) + ",0.02\n\nsell\tmarket\t0.001\n"
	at, review := f.Reviewed(append(head("batch", site.Spot), "orderList", rows)...)
	if !strings.Contains(review.Body, "Sell 0.001 of BTC/USDT at the market") {
		t.Error("the review does not show the market order")
	}
	if a := f.Theo.Post(at+"/send", f.StepUp()...); a.StatusCode != 303 || len(f.Orders()) != 3 || f.State(at) != trading.IntentPlaced {
		t.Errorf("batch: status %d, %d orders, %s", a.StatusCode, len(f.Orders()), f.State(at))
	}
	for _, bad := range []string{"buy limit", "buy limit normal 1 2 3", ""} {
		if a := f.Theo.Post("/console/trade", append(head("batch", site.Spot), "orderList", bad)...); a.StatusCode != 400 || !strings.Contains(a.Body, "Nothing was sent.") && !strings.Contains(a.Body, "Not sent.") {
			t.Errorf("rows %q: status %d", bad, a.StatusCode)
		}
	}
	at, review = f.Reviewed(append(head("cancel", site.Spot), "all", "yes", "order-1", "yes")...)
	if strings.Count(review.Body, "Cancel order ") < 2 {
		t.Error("the review does not show both orders")
	}
	if a := f.Theo.Post(at + "/send"); a.StatusCode != 303 || f.State(at) != trading.IntentCancelled {
		t.Errorf("cancelling all orders of a pair: status %d, %s", a.StatusCode, f.State(at))
	}
	at, _ = f.Reviewed(append(head("trigger", "cmt_btcusdt"), "type", "2", "match_type", "1", "marginMode", "1", "size", "0.01", "trigger_price", "1000", "execute_price", "1000")...)
	if a := f.Theo.Post(at + "/send"); a.StatusCode != 303 || f.State(at) != trading.IntentPlaced || len(f.Sim.Ledger().TriggerOrders) != 1 {
		t.Errorf("trigger: status %d, %+v", a.StatusCode, f.Said(at))
	}
	list := f.Theo.Get("/console/intents?state=placed").Body
	if strings.Count(list, `href="/console/intents/`) != 2 || strings.Contains(list, "Cancel order") {
		t.Error("the filter by state does not narrow the list of intents")
	}
}

// An order that breaks a rule is refused at its field, and nothing is stored.
func TestTicketErrors(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	before := f.Sim.Stats().All()
	for field, fields := range map[string][]string{
		"price":     {"1e5", "0.01"},
		"quantity":  {f.Price(95), "-1"},
		"symbol":    {f.Price(95), "0.01", "symbol", "BTC/<script>"},
		"side":      {f.Price(95), "0.01", "side", "both"},
		"force":     {f.Price(95), "0.01", "force", "gtc"},
		"orderType": {f.Price(95), "0.01", "orderType", "stop"},
	} {
		form := f.FormOf(f.Theo.Get("/console/trade"))
		a := f.Theo.Post("/console/trade", f.Limit(form, fields[0], fields[1], fields[2:]...)...)
		if a.StatusCode != 400 || !strings.Contains(a.Body, `id="ticket-`+field+`-said"`) || strings.Contains(a.Body, "<script>alert") || strings.Contains(a.Body, "/send\"") {
			t.Errorf("%s: status %d", field, a.StatusCode)
		}
	}
	for _, number := range []string{"0.123456789012345678901234567890", "１２３", "0", "", "NaN", "+1"} {
		form := f.FormOf(f.Theo.Get("/console/trade"))
		if a := f.Theo.Post("/console/trade", f.Limit(form, f.Price(95), number)...); a.StatusCode != 400 || !strings.Contains(a.Body, "quantity") {
			t.Errorf("quantity %q: status %d", number, a.StatusCode)
		}
	}
	if n := f.Sim.Stats().All(); n != before {
		t.Errorf("%d requests were sent", n-before)
	}
	form := f.FormOf(f.Theo.Get("/console/trade"))
	a := f.Theo.Post("/console/trade", f.Limit(form, f.Price(99), "2")...)
	if a.StatusCode != 400 || !strings.Contains(a.Body, "the cap of an order is 90000") {
		t.Errorf("above the cap: status %d", a.StatusCode)
	}
	if all, err := f.Desk.Intents(context.Background(), trading.IntentQuery{}); err != nil || len(all) != 0 {
		t.Errorf("%d intents, %v", len(all), err)
	}
}

// Each mode states its effect and has no other effect.
func TestTradingModes(t *testing.T) {
	t.Parallel()
	off := site.OpenTrading(t, func(o *trading.Options) { o.Mode = trading.Off })
	page := off.Theo.Get("/console/trade").Body
	a := off.Theo.Post("/console/trade", off.Limit(trading.NewID(), "1000.00", "0.01")...)
	if !strings.Contains(page, "TRADING=dry-run") || a.StatusCode != 400 || strings.Contains(a.Body, "/send\"") {
		t.Errorf("off: status %d", a.StatusCode)
	}
	dry := site.OpenTrading(t, func(o *trading.Options) { o.Mode = trading.Dry })
	at, review := dry.Rests()
	if !strings.Contains(review.Body, "DRY RUN") || strings.Contains(review.Body, "data-final>Buy") {
		t.Error("the review does not say that this is a dry run")
	}
	if a := dry.Theo.Post(at + "/send"); a.StatusCode != 303 || dry.State(at) != trading.IntentDryRun || len(dry.Orders()) != 0 {
		t.Errorf("dry: status %d, %s", a.StatusCode, dry.State(at))
	}
	bare := site.OpenSite(t, web.Options{Console: &site.ConsoleExchange{}})
	bare.AddUser("theo", access.Trader)
	v := bare.SignedInAs("theo")
	bare.Enrol(v)
	if a := v.Get("/console/trade"); a.StatusCode != 200 || v.Get("/console/intents").StatusCode != 200 || v.Get("/console/intents/x").StatusCode != 404 {
		t.Errorf("without a desk: status %d", a.StatusCode)
	}
}

// An open page asks for the state of sending. It receives a badge if the state changed,
// and otherwise an empty answer.
func TestOpenPagesFollowTheStateOfSending(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	seen := func(body string) string {
		_, after, _ := strings.Cut(body, `hx-get="/console/trading/state?seen=`)
		token, _, _ := strings.Cut(after, `"`)
		return "/console/trading/state?seen=" + token
	}
	before := seen(f.Theo.Get("/console/trade").Body)
	if a := f.Theo.Get(before); a.StatusCode != 204 || a.Body != "" {
		t.Errorf("unchanged: status %d, %q", a.StatusCode, a.Body)
	}
	f.Theo.Get("/console/trade")
	f.Theo.Post("/console/trading/stop")
	stopped := f.Theo.Get(before)
	if stopped.StatusCode != 200 || !strings.Contains(stopped.Body, ">STOPPED<") || strings.Contains(stopped.Body, "LIVE") {
		t.Errorf("stopped: status %d, %s", stopped.StatusCode, stopped.Body)
	}
	if a := f.Theo.Get(seen(stopped.Body)); a.StatusCode != 204 {
		t.Errorf("seen: status %d", a.StatusCode)
	}
}

// Any user of the console can stop all sending; allowing it again requires proof.
func TestStopButton(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	f.AddUser("ada", access.Admin)
	ada := f.SignedInAs("ada")
	f.Enrol(ada)
	at, _ := f.Rests()
	ada.Get("/console/markets")
	if a := ada.Post("/console/trading/stop"); a.StatusCode != 303 {
		t.Fatalf("an administrator cannot stop sending: status %d", a.StatusCode)
	}
	for _, path := range []string{"/console", "/console/markets", "/console/trade", "/console/intents", at} {
		body := f.Theo.Get(path).Body
		if !strings.Contains(body, "Trading stopped") || !strings.Contains(body, ">STOPPED<") || strings.Contains(body, "LIVE") {
			t.Errorf("%s does not say that sending is stopped, or says more", path)
		}
	}
	if a := f.Theo.Post(at+"/send", f.StepUp()...); a.StatusCode != 303 || f.State(at) != trading.IntentNotSent || len(f.Orders()) != 0 {
		t.Errorf("stopped: status %d, %s, %d orders", a.StatusCode, f.State(at), len(f.Orders()))
	}
	f.Pass(6 * time.Minute)
	if a := f.Theo.Post("/console/trading/resume", "why", "it was a drill"); a.StatusCode != 401 {
		t.Errorf("resuming without a code: status %d", a.StatusCode)
	}
	if a := f.Theo.Post("/console/trading/resume", f.StepUp()...); a.StatusCode != 400 {
		t.Errorf("resuming without a reason: status %d", a.StatusCode)
	}
	if s, err := f.Desk.Status(context.Background()); err != nil || !s.Stopped() {
		t.Errorf("%+v, %v", s, err)
	}
	if a := f.Theo.Post("/console/trading/resume", "why", "it was a drill"); a.StatusCode != 303 {
		t.Errorf("resuming: status %d", a.StatusCode)
	}
	if a := f.Theo.Post(at + "/send"); a.StatusCode != 303 || len(f.Orders()) != 0 {
		t.Error("a stopped order was sent later")
	}
}

// An unknown outcome appears on every page and blocks further orders on the same side. A
// lookup or a person resolves it; nothing is sent twice.
func TestUnknownOutcomeIsResolved(t *testing.T) {
	t.Parallel()
	for _, fault := range []simulator.Fault{simulator.ExecutedError, simulator.Dropped} {
		f := site.OpenTrading(t, nil, simulator.FaultRule{Fault: fault, Path: "/trade/orders", Every: 1, Limit: 1})
		at, _ := f.Rests()
		executed := fault == simulator.ExecutedError
		f.Theo.Post(at+"/send", f.StepUp()...)
		if f.State(at) != trading.IntentUnknown {
			t.Fatalf("%s: %s", fault, f.State(at))
		}
		if page := f.Theo.Get("/console/markets").Body; !strings.Contains(page, "with an unknown outcome") || !strings.Contains(page, at) {
			t.Errorf("%s: not every page shows the unknown outcome", fault)
		}
		form := f.FormOf(f.Theo.Get("/console/trade"))
		if a := f.Theo.Post("/console/trade", f.Limit(form, f.Price(94), "0.02")...); a.StatusCode != 400 || !strings.Contains(a.Body, "resolve that first") {
			t.Errorf("%s: further orders on the side are not blocked: status %d", fault, a.StatusCode)
		}
		a := f.Theo.Post(at + "/resolve")
		if executed {
			if a.StatusCode != 200 || f.State(at) != trading.IntentPlaced || len(f.Orders()) != 1 {
				t.Errorf("looking: status %d, %s", a.StatusCode, f.State(at))
			}
			continue
		}
		if a.StatusCode != 200 || f.State(at) != trading.IntentUnknown || !strings.Contains(a.Body, "It is not among the 0 open orders.") {
			t.Errorf("looking: status %d, %s", a.StatusCode, f.State(at))
		}
		if a := f.Theo.Post(at+"/override", "n", "0", "why", ""); a.StatusCode != 400 {
			t.Errorf("removing the block without a reason: status %d", a.StatusCode)
		}
		if a := f.Theo.Post(at+"/override", "n", "0", "why", "support says no"); a.StatusCode != 303 || f.State(at) != trading.IntentUnknown {
			t.Errorf("removing the block: status %d, %s", a.StatusCode, f.State(at))
		}
		for _, bad := range [][]string{{"n", "7", "done", "no"}, {"n", "0", "done", "perhaps"}, {"n", "x", "done", "no"}} {
			if a := f.Theo.Post(at+"/decide", append(bad, "why", "I know")...); a.StatusCode != 400 {
				t.Errorf("%v: status %d", bad, a.StatusCode)
			}
		}
		if a := f.Theo.Post(at+"/decide", "n", "0", "done", "no", "why", "the exchange has none"); a.StatusCode != 303 || f.State(at) != trading.IntentResolved || len(f.Orders()) != 0 {
			t.Errorf("deciding: status %d, %s", a.StatusCode, f.State(at))
		}
		if page := f.Theo.Get(at).Body; !strings.Contains(page, "not done") || !strings.Contains(page, "the exchange has none") || strings.Contains(page, "with an unknown outcome") {
			t.Error("the result does not show the decision")
		}
	}
}

// Only traders write orders, and only the author of an order sends it.
func TestOnlyTheAuthorSends(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	for name, role := range map[string]access.Role{"vera": access.Viewer, "mia": access.Manager, "ada": access.Admin, "tom": access.Trader} {
		f.AddUser(name, role)
	}
	at, _ := f.Rests()
	for _, name := range []string{"vera", "mia", "ada", "tom"} {
		v := f.SignedInAs(name)
		if name == "ada" || name == "tom" {
			f.Enrol(v)
		}
		v.Get("/account")
		reads := name == "ada" || name == "tom"
		for _, path := range []string{"/console/trade", "/console/intents", at} {
			if a := v.Get(path); (a.StatusCode == 200) != reads || !reads && a.StatusCode != 403 || strings.Contains(a.Body, "/send\"") {
				t.Errorf("%s opens %s: status %d", name, path, a.StatusCode)
			}
		}
		if a := v.Post(at + "/send"); a.StatusCode != 403 {
			t.Errorf("%s sends: status %d", name, a.StatusCode)
		}
		if a := v.Post("/console/trade", f.Limit(trading.NewID(), f.Price(95), "0.01")...); (a.StatusCode == 200) != (name == "tom") {
			t.Errorf("%s writes: status %d", name, a.StatusCode)
		}
		own := f.Theo.Token
		f.Theo.Token = v.Token
		if a := f.Theo.Post(at+"/send", f.StepUp()...); a.StatusCode != 403 {
			t.Errorf("with the form of %s: status %d", name, a.StatusCode)
		}
		f.Theo.Token = own
	}
	if f.State(at) != trading.IntentDrafted || len(f.Orders()) != 0 {
		t.Error("another user sent the order")
	}
}

// While the exchange's answers are invalid nothing can be sent, and the page names the
// unknown data.
func TestTicketWithoutExchange(t *testing.T) {
	t.Parallel()
	for _, fault := range []simulator.Fault{simulator.HTMLOK, simulator.ServerError, simulator.Truncated, simulator.Reset} {
		f := site.OpenTrading(t, nil, simulator.FaultRule{Fault: fault, Every: 1})
		a := f.Theo.Post("/console/trade", f.Limit(trading.NewID(), "1000.00", "0.01")...)
		if a.StatusCode != 400 || !strings.Contains(a.Body, "cannot tell") || strings.Contains(a.Body, "/send\"") {
			t.Errorf("%s: status %d", fault, a.StatusCode)
		}
		if a := f.Theo.Get("/console/trade?kind=cancel&symbol=" + site.Spot); !strings.Contains(a.Body, "That is not the same as none.") {
			t.Errorf("%s: open orders: status %d", fault, a.StatusCode)
		}
	}
}
