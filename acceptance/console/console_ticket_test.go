package console_test

import (
	"context"
	"fmt"
	"html"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/exchange/weex/simulator/account"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
	"rebatedesk/web"
)

// datum returns a figure of a check.
func datum(body, name string) string {
	found := regexp.MustCompile(`data-` + name + `="([^"]*)"`).FindStringSubmatch(body)
	if found == nil {
		return "missing"
	}
	return html.UnescapeString(found[1])
}

// floorOf returns the largest multiple of a step that is not above a value.
func floorOf(value, step *big.Rat) *big.Rat {
	q := new(big.Rat).Quo(value, step)
	count := new(big.Int).Quo(q.Num(), q.Denom())
	return new(big.Rat).Mul(new(big.Rat).SetInt(count), step)
}

// What a ticket derives is exact: it equals a computation with fractions, for random input over
// pairs of different rules.
func TestTicketDerivesExactly(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	random := rand.New(rand.NewPCG(21, 3))
	decimal := func(whole, digits int) string {
		return fmt.Sprintf("%d.%0*d", random.IntN(whole), digits, 1+random.IntN(98))
	}
	rules := map[string]weex.TradingPair{}
	for _, p := range f.Pairs() {
		rules[p.Symbol] = p
	}
	balance := regexp.MustCompile(`([0-9,.]+)\x{202f}?\x{a0}? ?USDT free, none held`)
	for _, symbol := range []string{site.Spot, "ETHUSDT_SPBL", "DOGEUSDT_SPBL"} {
		tick, step, fee := site.Fraction(string(rules[symbol].TickSize)), site.Fraction(string(rules[symbol].StepSize)), site.Fraction(string(rules[symbol].TakerFeeRate))
		there := ""
		if found := balance.FindStringSubmatch(f.Checked(symbol)); found != nil {
			there = strings.ReplaceAll(found[1], ",", "")
		} else {
			t.Fatalf("no balance: %s", f.Checked(symbol))
		}
		for range 110 {
			price := new(big.Rat).Mul(tick, new(big.Rat).SetInt64(1+random.Int64N(9_000_000)))
			text := price.FloatString(10)
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
			check := func(basis, typed string, quantity *big.Rat, body string) {
				value := new(big.Rat).Mul(price, quantity)
				if basis != "quantity" && site.Fraction(datum(body, "quantity")).Cmp(quantity) != 0 {
					t.Errorf("%s: %s %s at %s: quantity %s, want %s", symbol, basis, typed, text, datum(body, "quantity"), quantity.FloatString(12))
				}
				if quantity.Sign() > 0 && site.Fraction(datum(body, "value")).Cmp(value) != 0 {
					t.Errorf("%s: %s %s at %s: value %s, want %s", symbol, basis, typed, text, datum(body, "value"), value.FloatString(20))
				}
				if quantity.Sign() <= 0 {
					return
				}
				if want := new(big.Rat).Quo(new(big.Rat).Mul(value, big.NewRat(100, 1)), site.Fraction(there)); datum(body, "share") == "" || want.FloatString(2) != site.Fraction(datum(body, "share")).FloatString(2) {
					t.Errorf("%s: %s %s at %s: share %s, want %s", symbol, basis, typed, text, datum(body, "share"), want.FloatString(2))
				}
				if want := withoutZeros(new(big.Rat).Mul(value, fee)); !strings.Contains(strings.ReplaceAll(body, ",", ""), want) {
					t.Errorf("%s: %s %s at %s: the fee is not %s", symbol, basis, typed, text, want)
				}
			}
			common := []string{"side", "buy", "orderType", "limit", "force", "normal", "price", text}
			switch random.IntN(4) {
			case 0:
				typed := decimal(90_000, 2)
				check("value", typed, floorOf(new(big.Rat).Quo(site.Fraction(typed), price), step), f.Checked(symbol, append(common, "basis", "value", "value", typed)...))
			case 1:
				typed := decimal(100, 2)
				amount := new(big.Rat).Quo(new(big.Rat).Mul(site.Fraction(there), site.Fraction(typed)), big.NewRat(100, 1))
				check("share", typed, floorOf(new(big.Rat).Quo(amount, price), step), f.Checked(symbol, append(common, "basis", "share", "share", typed)...))
			case 2:
				typed := decimal(50, 9)
				check("quantity", typed, floorOf(site.Fraction(typed), step), f.Checked(symbol, append(common, "basis", "quantity", "quantity", typed)...))
			default:
				near := decimal(90_000, 9)
				low := floorOf(site.Fraction(near), tick)
				high := new(big.Rat).Add(low, tick)
				got := site.Fraction(datum(f.Checked(symbol, append(common, "near", near)...), "price"))
				below, above := new(big.Rat).Sub(site.Fraction(near), low), new(big.Rat).Sub(high, site.Fraction(near))
				if want := map[bool]*big.Rat{true: low, false: high}[below.Cmp(above) < 0]; got.Cmp(want) != 0 && low.Sign() > 0 {
					t.Errorf("%s: the tick nearest to %s is %s, not %s", symbol, near, want.FloatString(10), got.FloatString(10))
				}
			}
		}
	}
}

// A share is one of what open orders leave, on all followed pairs of the coin: the simulator's own
// balances say what that is. All of it is the most, and what is not known is not shared.
func TestTicketSharesWhatIsFree(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	f.Theo.Post("/account/totp", "present", "yes", "totp", f.Code(f.Secret))
	rest := func(symbol, side string, percent int, quantity string) {
		t.Helper()
		price := f.Sim.Price(symbol).Decimal().Mul(affiliate.Number(fmt.Sprintf("%d.%02d", percent/100, percent%100)).Decimal()).Truncate(2).String()
		at, _ := f.Reviewed(f.Limit(f.FormOf(f.Theo.Get("/console/trade")), price, quantity, "symbol", symbol, "side", side)...)
		f.Theo.Post(at + "/send")
		if f.State(at) != trading.IntentPlaced {
			t.Fatalf("%+v", f.Said(at))
		}
	}
	random := rand.New(rand.NewPCG(21, 5))
	for round, place := range []func(){
		func() { rest(site.Spot, "buy", 95, "0.01") }, func() { rest("ETHUSDT_SPBL", "buy", 93, "0.2") }, func() { rest(site.Spot, "sell", 105, "0.0123") },
	} {
		place()
		free := f.Sim.Balances()
		usdt, btc := site.Fraction(string(free["USDT"].Available)), site.Fraction(string(free["BTC"].Available))
		for range 12 {
			typed := fmt.Sprintf("%d.%02d", random.IntN(100), 1+random.IntN(98))
			part := func(of *big.Rat) *big.Rat {
				return new(big.Rat).Quo(new(big.Rat).Mul(of, site.Fraction(typed)), big.NewRat(100, 1))
			}
			price := site.Fraction(f.Price(80 + random.IntN(20)))
			for side, want := range map[string]*big.Rat{"buy": new(big.Rat).Quo(part(usdt), price), "sell": part(btc)} {
				want = floorOf(want, big.NewRat(1, 1_000_000))
				body := f.Checked(site.Spot, "side", side, "orderType", "limit", "price", withoutZeros(price), "basis", "share", "share", typed)
				if got := datum(body, "quantity"); got == "" || site.Fraction(got).Cmp(want) != 0 {
					t.Errorf("round %d: %s %s %% is %s, want %s", round, side, typed, got, want.FloatString(6))
				}
			}
		}
		// All of it leaves room for the worst price of a market order, and for nothing more.
		all := f.Checked(site.Spot, "side", "buy", "orderType", "market", "basis", "share", "share", "100")
		got, last := site.Fraction(datum(all, "quantity")), site.Fraction(datum(all, "last"))
		if want := floorOf(new(big.Rat).Quo(usdt, new(big.Rat).Mul(last, big.NewRat(105, 100))), big.NewRat(1, 1_000_000)); got.Cmp(want) != 0 {
			t.Errorf("all of it at the market is %s, want %s", got.FloatString(6), want.FloatString(6))
		}
	}
	over := f.Checked(site.Spot, "side", "buy", "orderType", "limit", "price", f.Price(95), "basis", "share", "share", "100.01")
	if datum(over, "quantity") != "" || !strings.Contains(over, "A share is at most 100 % of what is free.") {
		t.Error("more than all of it is derived")
	}
	if body := f.Checked(site.Spot, "side", "sell", "orderType", "limit", "price", f.Price(105), "quantity", "90"); !strings.Contains(body, "It takes up to 90") {
		t.Errorf("it is not said that it takes more than is free: %s", body)
	}

	blind := site.OpenTrading(t, nil, simulator.FaultRule{Fault: simulator.ServerError, Path: "trade/open-orders", Every: 1})
	body := blind.Checked(site.Spot, "side", "buy", "orderType", "limit", "price", blind.Price(95), "basis", "share", "share", "50")
	if datum(body, "quantity") != "" || !strings.Contains(body, "How much of it is free is not known: the open orders of BTC/USDT were not read yet.") {
		t.Errorf("a share of what is not known: %s", body)
	}
}

// If more pairs share a coin than the request budget allows to follow, what is free is not known, and
// the ticket says why and how many there are.
func TestTicketOfManyPairs(t *testing.T) {
	t.Parallel()
	f := &site.TradingSite{}
	f.Sim, f.Client = site.StartExchangeWithin(t, simulator.Options{}, 400)
	f.Desk = site.OpenDesk(t, trading.Options{Mode: trading.Live}, f.Client)
	console := &site.ConsoleExchange{Upstream: f.Client}
	f.Site = site.OpenSite(t, web.Options{Console: console, Trading: f.Desk})
	f.AddUser("theo", access.Trader)
	f.Theo = f.SignedInAs("theo")
	f.Secret, _ = f.Enrol(f.Theo)
	few, many := "Counted: open orders of this pair", "40 other followed pairs share its coins, and the request budget allows to follow the open orders of 35."
	if body := f.Checked(site.Spot, "side", "buy", "orderType", "limit", "price", f.Price(95)); !strings.Contains(body, few) || strings.Contains(body, "request budget") {
		t.Errorf("without other pairs: %s", body)
	}
	for n := range 40 {
		console.Marked = append(console.Marked, fmt.Sprintf("X%dUSDT_SPBL", n))
	}
	if body := f.Checked(site.Spot, "side", "buy", "orderType", "limit", "price", f.Price(95)); !strings.Contains(body, many) {
		t.Errorf("with 40 of them: %s", body)
	}
}

// withoutZeros writes a fraction without trailing zeros.
func withoutZeros(r *big.Rat) string {
	return strings.TrimRight(strings.TrimRight(r.FloatString(24), "0"), ".")
}

// A check changes nothing and costs no order call; whoever may not trade has no ticket.
func TestTicketCheckChangesNothing(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	for range 5 {
		f.Checked(site.Spot, "side", "buy", "orderType", "limit", "force", "normal", "price", f.Price(95), "quantity", "0.01")
	}
	if all, err := f.Desk.Intents(context.Background(), trading.IntentQuery{}); err != nil || len(all) != 0 || len(f.Orders()) != 0 {
		t.Errorf("%d intents, %d orders, %v", len(all), len(f.Orders()), err)
	}
	f.AddUser("ada", access.Admin)
	ada := f.SignedInAs("ada")
	f.Enrol(ada)
	page := ada.Get("/console/markets/" + site.Spot)
	if page.StatusCode != 200 || strings.Contains(page.Body, "data-ticket") || !strings.Contains(page.Body, "Orders are for the role trader") || strings.Contains(page.Body, "/login/demo") {
		t.Errorf("an administrator: status %d, or a ticket, or the sign-in of a demo", page.StatusCode)
	}
	if a := ada.Get("/console/ticket?account=main&symbol="+site.Spot, site.TicketHeaders...); a.StatusCode != 404 {
		t.Errorf("the ticket of an administrator: status %d", a.StatusCode)
	}
}

// Every refusal of one value offers the nearest right one, and with it the rule holds.
func TestRefusalOffersTheNearestValue(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	take := regexp.MustCompile(`data-take="([a-z]+)" data-text="([^"]+)"`)
	last := f.Sim.Price(site.Spot).Decimal()
	whole, _, _ := strings.Cut(f.Price(95), ".")
	odd := whole + ".127" // no multiple of the tick
	for rule, fields := range map[string]map[string]string{
		"Tick size":                {"price": odd, "quantity": "0.01"},
		"Smallest quantity":        {"price": f.Price(95), "quantity": "0.00001"},
		"Step size":                {"price": f.Price(95), "quantity": "0.00000001"},
		"Largest quantity":         {"price": "1.00", "quantity": "1000"},
		"Distance from the market": {"price": last.Add(last).Truncate(2).String(), "quantity": "0.001"},
		"Cap of an order":          {"price": f.Price(99), "quantity": "5"},
		"Largest market order":     {"orderType": "market", "quantity": "21"},
	} {
		given := map[string]string{"side": "buy", "orderType": "limit", "force": "normal"}
		for name, value := range fields {
			given[name] = value
		}
		send := func() string {
			var list []string
			for name, value := range given {
				list = append(list, name, value)
			}
			return html.UnescapeString(f.Checked(site.Spot, list...))
		}
		body := send()
		_, after, ok := strings.Cut(body, `">`+rule+`.</span>`)
		if !ok {
			t.Errorf("%s: not refused: %s", rule, body)
			continue
		}
		after, _, _ = strings.Cut(after, "</div>")
		offers := take.FindAllStringSubmatch(after, -1)
		if len(offers) == 0 {
			t.Errorf("%s offers nothing: %s", rule, after)
		}
		for _, offer := range offers {
			was := given[offer[1]]
			given[offer[1]] = offer[2]
			if again := send(); strings.Contains(again, `">`+rule+`.</span>`) {
				t.Errorf("%s: %s %s instead of %s is refused, too", rule, offer[1], offer[2], was)
			}
			given[offer[1]] = was
		}
	}
	// A refused review offers it as well.
	form := f.FormOf(f.Theo.Get("/console/markets/" + site.Spot))
	a := f.InPlace("/console/trade", f.Limit(form, odd, "0.01")...)
	offers := take.FindStringSubmatch(a.Body)
	if a.StatusCode != 400 || offers == nil || !strings.Contains(a.Body, "Not sent. The price ") {
		t.Fatalf("a refused review: status %d %s", a.StatusCode, a.Body)
	}
	if a = f.InPlace("/console/trade", f.Limit(f.FormOf(a), offers[2], "0.01")...); a.StatusCode != 200 || !strings.Contains(a.Body, "Buy 0.01"+phrase.Space+"BTC for ") || !strings.Contains(a.Body, `data-line-words="ticket: buy `) {
		t.Errorf("with the offered price: status %d, or its price is not drawn", a.StatusCode)
	}
}

// The promises of orders through the ticket beside a chart: whatever is pressed twice, and
// whatever is cut, one order arrives.
func TestTicketSendsOnce(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil, simulator.FaultRule{Fault: simulator.Slow, Path: "/trade/orders", Every: 1, Delay: 700 * time.Millisecond})
	at, fields := f.Beside("0.0100009")
	// Two tabs with the same form, and the button of the review pressed twice.
	if a := f.InPlace("/console/trade", fields...); a.StatusCode != 200 || !strings.Contains(a.Body, at+"/send") {
		t.Errorf("the same form again: status %d", a.StatusCode)
	}
	if a := f.InPlace(at+"/send", "totp", "000000"); a.StatusCode != 303 && a.StatusCode != 200 && a.StatusCode != 401 {
		t.Errorf("status %d", a.StatusCode)
	}
	f.Theo.Post("/account/totp", "present", "yes", "totp", f.Code(f.Secret))
	live := f.Theo.Stream(marketStream)
	live.Until(t, "beat", "", 10*time.Second)
	var pressed sync.WaitGroup
	answers := make([]site.Answer, 8)
	for i := range answers {
		v := f.VisitorLike(f.Theo, f.Theo.Token)
		pressed.Go(func() { answers[i] = v.PostWith(site.TicketHeaders, at+"/send") })
	}
	time.Sleep(200 * time.Millisecond)
	live.Close() // in the middle of sending
	pressed.Wait()
	for _, a := range answers {
		if a.StatusCode != 200 || !strings.Contains(a.Body, "Result: placed") {
			t.Errorf("status %d %.300s", a.StatusCode, a.Body)
		}
	}
	// Back, and the ticket once more.
	if a := f.InPlace("/console/trade", fields...); a.StatusCode != 200 || !strings.Contains(a.Body, "Result: placed") {
		t.Errorf("the form once more: status %d", a.StatusCode)
	}
	// Another tab with the same order: a mistake, unless it is meant.
	other := f.InPlace("/console/trade", f.Limit(f.FormOf(f.Theo.Get("/console/markets/"+site.Spot)), f.Price(95), "0.01")...)
	if other.StatusCode != 400 || !strings.Contains(other.Body, "same order") {
		t.Errorf("the same order from another tab: status %d", other.StatusCode)
	}
	if n := len(f.Orders()); n != 1 || f.State(at) != trading.IntentPlaced {
		t.Errorf("%d orders, %s", n, f.State(at))
	}
	if a := f.Theo.Get("/console/ticket?account=main&kind=place&symbol="+site.Spot+"&from="+at[len("/console/intents/"):], site.TicketHeaders...); !strings.Contains(a.Body, `value="`+f.Price(95)+`"`) {
		t.Errorf("the ticket does not begin again with the values: status %d", a.StatusCode)
	}
}

// Without scripts, the ticket of the page of a pair leads through the plain pages to its result: every
// field of its form is sent as it stands in the page.
func TestTicketWithoutScripts(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	page := f.Theo.Get("/console/markets/" + site.Spot)
	_, form, _ := strings.Cut(page.Body, "<form")
	for !strings.Contains(form[:strings.Index(form, ">")], "data-ticket") {
		_, form, _ = strings.Cut(form, "<form")
	}
	form, _, _ = strings.Cut(form, "</form>")
	given := map[string]string{}
	for _, tag := range regexp.MustCompile(`<input[^>]*>`).FindAllString(form, -1) {
		part := func(name string) string {
			if found := regexp.MustCompile(` ` + name + `="([^"]*)"`).FindStringSubmatch(tag); found != nil {
				return html.UnescapeString(found[1])
			}
			return ""
		}
		if kind := part("type"); (kind == "radio" || kind == "checkbox") && !strings.Contains(tag, " checked") {
			continue
		}
		given[part("name")] = part("value")
	}
	given["force"], given["price"], given["quantity"] = "normal", f.Price(95), "0.01"
	delete(given, "token")
	var fields []string
	for name, value := range given {
		fields = append(fields, name, value)
	}
	at, _ := f.Reviewed(fields...)
	if a := f.Theo.Post(at+"/send", f.StepUp()...); a.StatusCode != 303 || f.State(at) != trading.IntentPlaced || len(f.Orders()) != 1 {
		t.Errorf("status %d, %s, %d orders", a.StatusCode, f.State(at), len(f.Orders()))
	}
	given["form"], given["price"] = trading.NewID(), "" // forgotten: the plain page says so, and keeps the rest
	fields = nil
	for name, value := range given {
		fields = append(fields, name, value)
	}
	if a := f.Theo.Post("/console/trade", fields...); a.StatusCode != 400 || !strings.Contains(a.Body, `id="ticket-price-said"`) || !strings.Contains(a.Body, `value="0.01"`) || !strings.Contains(a.Body, "<html") {
		t.Errorf("without a price: status %d", a.StatusCode)
	}
}

// The page of tickets has a stream: the price of the pair, the state of sending, and what others
// do arrive within seconds. The pair may change.
func TestTicketPageIsTold(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	page := f.Theo.Get("/console/trade?kind=place&symbol=ETHUSDT_SPBL").Body
	if !strings.Contains(page, `data-live="/console/stream?account=main&amp;page=ticket&amp;symbol=ETHUSDT_SPBL"`) {
		t.Error("the page has no stream")
	}
	f.AddUser("mira", access.Trader)
	mira := f.SignedInAs("mira")
	f.Enrol(mira)
	live := mira.Stream("page=ticket&account=main&symbol=" + site.Spot)
	live.Until(t, "part", affiliate.Grouped(datum(f.Checked(site.Spot), "last")), 10*time.Second)
	f.Beside("0.01")
	live.Until(t, "part", `>theo</bdi>`, 5*time.Second)
	f.Theo.Post("/console/trading/stop", "why", "a drill")
	live.Until(t, "part", "Trading stopped by theo", 5*time.Second)
	if s := mira.Stream("page=ticket&account=main&symbol=%3Cx%3E"); s.Status != 400 {
		t.Errorf("a stream of no pair: status %d", s.Status)
	}
}

// A quantity that was derived from another value than the one in the form is not reviewed.
func TestTicketOfAnOldFigure(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	form := f.FormOf(f.Theo.Get("/console/markets/" + site.Spot))
	old := datum(f.Checked(site.Spot, "side", "buy", "orderType", "limit", "price", f.Price(95), "basis", "value", "value", "500"), "derived")
	a := f.InPlace("/console/trade", f.Limit(form, f.Price(95), "0.01", "basis", "value", "value", "900", "derived", old)...)
	if a.StatusCode != 400 || !strings.Contains(a.Body, "does not belong to the value") {
		t.Errorf("status %d", a.StatusCode)
	}
	if a = f.InPlace("/console/trade", f.Limit(f.FormOf(a), f.Price(95), "0.005", "basis", "value", "value", "500", "derived", old)...); a.StatusCode != 200 {
		t.Errorf("with the right one: status %d", a.StatusCode)
	}
}

// While a ticket is open, it says that sending was stopped and what others do, and nothing is
// sent.
func TestOpenTicketIsTold(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	f.AddUser("mira", access.Trader)
	mira := f.SignedInAs("mira")
	f.Enrol(mira)
	live := mira.Stream(marketStream)
	live.Until(t, "beat", "", 10*time.Second)
	at, _ := f.Beside("0.01")
	live.Until(t, "part", `>theo</bdi>`, 5*time.Second)
	f.Theo.Post("/console/trading/stop", "why", "a drill")
	live.Until(t, "part", "Trading stopped by theo", 5*time.Second)
	if a := f.InPlace(at+"/send", f.StepUp()...); a.StatusCode != 200 || !strings.Contains(a.Body, "Result: not sent") || len(f.Orders()) != 0 {
		t.Errorf("sending while stopped: status %d, %d orders %.400s", a.StatusCode, len(f.Orders()), a.Body)
	}
	for symbol, words := range map[string]string{"LUNCUSDT_SPBL": "has suspended this pair", "AVAXUSDT_SPBL": "is newly listed", "NOSUCHUSDT_SPBL": "does not list this pair: no order"} {
		if a := mira.Get("/console/markets/" + symbol); !strings.Contains(a.Body, words) {
			t.Errorf("%s: the ticket does not say %q", symbol, words)
		}
	}
}

// Open orders of followed pairs are on one page, filtered exactly; one, several and all of a
// pair are cancelled after a review with count and worth.
func TestOpenOrdersOfAllPairs(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	f.Theo.Post("/account/totp", "present", "yes", "totp", f.Code(f.Secret))
	for _, percent := range []int{99, 95, 92, 91} {
		at, _ := f.Reviewed(f.Limit(f.FormOf(f.Theo.Get("/console/trade")), f.Price(percent), "0.01")...)
		f.Theo.Post(at+"/send", f.StepUp()...)
	}
	if len(f.Orders()) != 4 {
		t.Fatalf("%d orders", len(f.Orders()))
	}
	rows := func(query string) int {
		a := f.Theo.Get("/console/orders" + query)
		if a.StatusCode != 200 {
			t.Errorf("%s: status %d", query, a.StatusCode)
		}
		return strings.Count(a.Body, "data-mark")
	}
	old := map[bool]int{true: 4}[time.Since(site.Now) >= 7*24*time.Hour] // the page reads the clock, the orders are of now
	for query, want := range map[string]int{"": 4, "?side=buy": 4, "?side=sell": 0, "?beyond=4": 3, "?within=4": 1, "?beyond=4&within=8.5": 2, "?pair=btc%2Fusdt": 4, "?older=7d&pair=" + site.Spot: old} {
		if n := rows(query); n != want {
			t.Errorf("%s shows %d orders, want %d", query, n, want)
		}
	}
	for _, query := range []string{"?side=both", "?older=2h", "?beyond=-1", "?pair=BTC+USDT%21", "?within=x", "?beyond=5&within=1", "?pair=cmt_btcusdt"} {
		if a := f.Theo.Get("/console/orders" + query); a.StatusCode != 400 {
			t.Errorf("%s: status %d", query, a.StatusCode)
		}
	}
	orders := f.Orders()
	cancel := func(want string, status int, fields ...string) {
		t.Helper()
		page := f.Theo.Get("/console/orders")
		review := f.Theo.Post("/console/trade", append([]string{"form", f.FormOf(page), "kind", "cancel", "account", "main"}, fields...)...)
		text := html.UnescapeString(review.Body)
		found := site.SendField.FindStringSubmatch(review.Body)
		if found == nil || !strings.Contains(text, want) {
			t.Fatalf("the review does not say %q: status %d", want, review.StatusCode)
		}
		open := 0
		for range 2 {
			f.Theo.Post(found[1] + "/send")
		}
		for _, o := range f.Orders() {
			if o.Status != account.StatusCancelled {
				open++
			}
		}
		if open != status || f.State(found[1]) != trading.IntentCancelled {
			t.Errorf("%d orders are open, want %d; %s", open, status, f.State(found[1]))
		}
	}
	worth := new(big.Rat).Mul(site.Fraction(f.Price(99)), site.Fraction("0.01"))
	if !strings.Contains(strings.ReplaceAll(f.Theo.Get("/console/orders?within=4").Body, ",", ""), "1 order worth "+withoutZeros(worth)) {
		t.Error("the page does not say what the order is worth")
	}
	cancel("1 order, worth ", 3, "cancel-one", site.Spot+" "+orders[0].ID)
	cancel("1 order, worth ", 2, "cancel-marked", site.Spot, "order-"+orders[1].ID, site.Spot, "order-99", "ETHUSDT_SPBL")
	cancel("2 orders, worth ", 0, "cancel-all", site.Spot)
	page := f.Theo.Get("/console/orders").Body
	if !strings.Contains(page, "Sent from here") || !strings.Contains(page, "theo in the browser") {
		t.Error("the page does not say what was sent, and by whom")
	}
	live := f.Theo.Stream("page=orders&account=main")
	live.Until(t, "part", `id="orders-list"`, 10*time.Second)
	at, _ := f.Reviewed(f.Limit(f.FormOf(f.Theo.Get("/console/trade")), f.Price(94), "0.02")...)
	f.Theo.Post(at + "/send")
	live.Until(t, "part", "0.02", 6*time.Second)
}
