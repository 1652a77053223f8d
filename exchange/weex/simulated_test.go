package weex_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
)

var (
	background = context.Background()
	start      = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
)

const pair = "BTCUSDT_SPBL"

// simulate starts an exchange with 40 days of history.
func simulate(t testing.TB, o simulator.Options) *simulator.Server {
	t.Helper()
	o.Seed, o.Days, o.Invitees, o.Records, o.RateLimit = 7, 40, 20, 300, -1
	if o.Now == nil {
		o.Now = func() time.Time { return start }
	}
	s, err := simulator.Listen("127.0.0.1:0", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// dial returns a client of the simulator.
func dial(t testing.TB, s *simulator.Server, change ...func(*exchange.Config)) *weex.Client {
	t.Helper()
	cfg := exchange.Config{Reach: exchange.Reach{Private: true},
		BaseURL: s.BaseURL, ContractBaseURL: s.ContractBaseURL, Key: exchange.Secret(s.APIKey),
		Secret: exchange.Secret(s.APISecret), Passphrase: exchange.Secret(s.APIPassphrase),
		Budget: exchange.NewBudget(1 << 30), Backoff: time.Millisecond, Now: func() time.Time { return start },
	}
	for _, c := range change {
		c(&cfg)
	}
	c, err := weex.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// collect reads an iterator completely.
func collect[T any](t *testing.T, seq iter.Seq2[T, error]) (all []T) {
	t.Helper()
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// something fails the test if a page could not be read, is empty, or has a record that could not
// be read.
func something[T any](t *testing.T) func(exchange.Page[T], error) []T {
	return func(p exchange.Page[T], err error) []T {
		t.Helper()
		if err != nil || len(p.Records) == 0 || len(p.Quarantined) > 0 {
			t.Fatalf("%d records, %d quarantined, %v", len(p.Records), len(p.Quarantined), err)
		}
		return p.Records
	}
}

func limitOrder(id, side, price string) weex.NewOrder {
	return weex.NewOrder{
		Side: weex.Side(side), Type: weex.Limit, Force: weex.GoodTillCancelled,
		Price: affiliate.Number(price), Quantity: "0.01", ClientOrderID: id,
	}
}

// This test calls every endpoint of the interface document on the simulator, with its
// normal answers and with every variation of wording.
func TestEveryEndpoint(t *testing.T) {
	odd := []simulator.Fault{
		simulator.OtherTypes, simulator.NullFields, simulator.RequestTimeText, simulator.EmptyFields, simulator.ZeroTotals,
		simulator.DateField, simulator.ProductField,
	}
	for _, version := range []string{"v2", "v3"} {
		for _, strange := range []bool{false, true} {
			for _, order := range []simulator.RowOrder{simulator.NewestFirst, simulator.OldestFirst} {
				t.Run(fmt.Sprint(version, " odd ", strange, " ", order), func(t *testing.T) {
					o := simulator.Options{Order: order}
					if strange {
						for _, f := range odd {
							o.Rules = append(o.Rules, simulator.FaultRule{Fault: f, Probability: 1})
						}
					}
					s := simulate(t, o)
					c := dial(t, s, func(cfg *exchange.Config) { cfg.APIVersion = version })
					market(t, c)
					contracts(t, c)
					trading(t, c)
					account(t, c)
					programme(t, c)
					checkAllAsked(t, s, version)
				})
			}
		}
	}
}

// checkAllAsked compares the requests with the endpoint table: each endpoint was used,
// the affiliate ones in the configured version, and no others.
func checkAllAsked(t *testing.T, s *simulator.Server, version string) {
	t.Helper()
	asked := s.Stats().Requests
	for _, e := range weex.Endpoints() {
		name := e.Method + " " + e.PathIn(version)
		if e.Section != "" && asked[name] == 0 {
			t.Errorf("%s was not requested", name)
		}
		delete(asked, name)
	}
	if len(asked) > 0 {
		t.Errorf("the requests are %v", asked)
	}
}

func market(t *testing.T, c *weex.Client) {
	t.Helper()
	all := something[weex.TradingPair](t)(c.Pairs(background, weex.PairQuery{}))
	one := something[weex.TradingPair](t)(c.Pairs(background, weex.PairQuery{Symbol: pair}))
	if len(one) != 1 || one[0].Symbol != pair || !one[0].TickSize.Known() || !slices.Contains(all, one[0]) {
		t.Errorf("%+v", one)
	}
	two := something[weex.TradingPair](t)(c.Pairs(background, weex.PairQuery{Symbols: []string{pair, all[len(all)-1].Symbol}}))
	if len(two) == 0 || len(two) > 2 {
		t.Errorf("%d pairs, want two", len(two))
	}
	for _, coin := range something[weex.Currency](t)(c.Currencies(background)) {
		if len(coin.Chains) == 0 && coin.CoinName == "BTC" {
			t.Errorf("%+v", coin)
		}
	}
	for _, v := range something[weex.Ticker](t)(c.Tickers(background)) {
		if !v.LastPrice.Known() || !v.Time.Known() {
			t.Errorf("%+v", v)
		}
	}
	if trades := something[weex.Trade](t)(c.Trades(background, weex.TradeQuery{Symbol: pair, Limit: 50})); len(trades) > 50 || trades[0].Symbol != pair {
		t.Errorf("%d trades, %+v", len(trades), trades[0])
	}
}

func contracts(t *testing.T, c *weex.Client) {
	t.Helper()
	all := something[weex.ContractTicker](t)(c.ContractTickers(background))
	one, err := c.ContractTicker(background, all[0].Symbol)
	if err != nil || one.Symbol != all[0].Symbol || !one.Time.Known() || !one.MarkPrice.Known() {
		t.Errorf("%+v, %v", one, err)
	}
	got := c.PlaceTrigger(background, weex.TriggerOrder{
		Symbol: all[0].Symbol, ClientOID: "trigger1", Size: "1", Type: weex.OpenLong, MatchType: weex.MatchLimit,
		ExecutePrice: "100", TriggerPrice: "100", MarginMode: weex.Isolated,
	})
	if got.State != weex.Placed {
		t.Errorf("%+v", got)
	}
}

// trading places, lists and cancels orders. The open orders are those that were placed
// and not cancelled.
func trading(t *testing.T, c *weex.Client) {
	t.Helper()
	placed := []weex.Outcome{c.PlaceOrder(background, pair, limitOrder("mine-0", "buy", "1000"))}
	var batch []weex.NewOrder
	for i := range 6 {
		batch = append(batch, limitOrder(fmt.Sprintf("mine-%d", i+1), "buy", "1000"))
	}
	placed = append(placed, c.PlaceOrders(background, pair, batch)...)
	for i, o := range placed {
		if o.State != weex.Placed || o.OrderID == "" || o.ClientOrderID != fmt.Sprintf("mine-%d", i) {
			t.Fatalf("%+v", o)
		}
	}
	open := func() map[string]string {
		ids := map[string]string{}
		for _, o := range collect(t, c.AllOpenOrders(background, weex.OpenOrderQuery{Symbol: pair, Limit: 2})) {
			ids[o.OrderID] = string(o.ClientOrderID)
			if o.Side != weex.Buy || o.Type != weex.Limit || o.Status == "" || o.Price.Cmp("1000") != 0 {
				t.Errorf("%+v", o)
			}
		}
		return ids
	}
	before := open()
	for _, o := range placed {
		if before[o.OrderID] != o.ClientOrderID {
			t.Errorf("%s is open with the state %q", o.ClientOrderID, before[o.OrderID])
		}
	}
	gone := []weex.Outcome{
		c.CancelOrder(background, pair, weex.OrderRef{OrderID: placed[0].OrderID}),
		c.CancelOrder(background, pair, weex.OrderRef{ClientOrderID: "mine-1"}),
	}
	gone = append(gone, c.CancelOrders(background, pair, weex.OrderRefs{OrderIDs: []string{placed[2].OrderID}})...)
	gone = append(gone, c.CancelOrders(background, pair, weex.OrderRefs{ClientOrderIDs: []string{"mine-3", "mine-4"}})...)
	for _, o := range gone {
		if o.State != weex.Cancelled {
			t.Errorf("%+v", o)
		}
	}
	again := c.CancelOrders(background, pair, weex.OrderRefs{ClientOrderIDs: []string{"mine-4", "mine-5"}})
	if again[0].State != weex.Refused || again[0].Evidence.Code != "FAILED_ORDER_NOT_FOUND" || again[1].State != weex.Cancelled {
		t.Errorf("%+v", again)
	}
	if got := c.CancelOrder(background, pair, weex.OrderRef{OrderID: placed[0].OrderID}); got.State != weex.Refused {
		t.Errorf("%+v", got)
	}
	if after := open(); len(after) != len(before)-6 {
		t.Errorf("%d open before, %d after", len(before), len(after))
	}
	bought := c.PlaceOrder(background, pair, weex.NewOrder{Side: weex.Sell, Type: weex.Market, Quantity: "0.01", ClientOrderID: "market-1"})
	var filled affiliate.Sum
	for _, v := range collect(t, c.AllFills(background, weex.FillQuery{Symbol: pair, OrderID: bought.OrderID, PageSize: 1})) {
		if v.OrderID != bought.OrderID || v.Side != weex.Sell {
			t.Errorf("%+v", v)
		}
		filled.Add(v.FillQuantity)
	}
	if bought.State != weex.Placed || filled.String() != "0.01" {
		t.Errorf("%+v, filled %s", bought, filled.String())
	}
	if all := collect(t, c.AllFills(background, weex.FillQuery{Symbol: pair})); len(all) == 0 {
		t.Error("no fills")
	}
}

// account reads all bills and transfers with small pages and with large ones, and
// compares the results.
func account(t *testing.T, c *weex.Client) {
	t.Helper()
	few := collect(t, c.AllBills(background, weex.BillQuery{Limit: 12}))
	many := collect(t, c.AllBills(background, weex.BillQuery{}))
	if !slices.Equal(ids(few), ids(many)) || len(many) < 20 {
		t.Errorf("%d bills with small pages, %d with large ones", len(few), len(many))
	}
	for _, b := range collect(t, c.AllBills(background, weex.BillQuery{Type: weex.AgentReward})) {
		if b.Type != weex.AgentReward || b.CoinName == "" {
			t.Errorf("%+v", b)
		}
	}
	page, err := c.FundingBills(background, weex.FundingBillQuery{})
	if err != nil {
		t.Fatal(err)
	}
	paged := collect(t, c.AllFundingBills(background, weex.FundingBillQuery{PageSize: 2}))
	if len(paged) != len(page.Records) || len(paged) == 0 {
		t.Errorf("%d funding bills by twos, %d at once", len(paged), len(page.Records))
	}
	moved := something[weex.Transfer](t)(c.Transfers(background, weex.TransferQuery{}))
	byTwos := collect(t, c.AllTransfers(background, weex.TransferQuery{Limit: 2}))
	if len(byTwos) != len(moved) {
		t.Errorf("%d transfers by twos, %d at once", len(byTwos), len(moved))
	}
	// The names of the bounds are reversed; this request selects the later half.
	slices.SortFunc(moved, func(a, b weex.Transfer) int { return int(a.Time - b.Time) })
	middle := moved[len(moved)/2].Time
	for _, v := range collect(t, c.AllTransfers(background, weex.TransferQuery{From: middle})) {
		if v.Time < middle {
			t.Errorf("a transfer of %v from %v on", v.Time, middle)
		}
	}
}

func ids(bills []weex.Bill) (all []string) {
	for _, b := range bills {
		all = append(all, b.BillID)
	}
	slices.Sort(all)
	return all
}

func programme(t *testing.T, c *weex.Client) {
	t.Helper()
	begin, end := affiliate.MillisOf(start.AddDate(0, 0, -45)), affiliate.MillisOf(start)
	for _, product := range affiliate.Products() {
		got, err := c.Commissions(background, weex.CommissionQuery{Product: product, Start: begin, End: end})
		if err != nil || len(got.Records) == 0 || got.Records[0].Product != product {
			t.Errorf("%s: %+v, %v", product, got, err)
		}
		// The range is split into whole UTC days.
		days, err := c.SubAffiliateDays(background, weex.SubAffiliateQuery{Product: product, Start: begin - begin%86_400_000, End: end - end%86_400_000})
		if err != nil {
			t.Errorf("%s: %+v, %v", product, days, err)
		}
	}
	if got, err := c.Invitees(background, weex.InviteeQuery{}); err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// For every fault of an order answer that the simulator has, the client's outcome never
// contradicts the simulator, and nothing is sent twice.
func TestOrderFaults(t *testing.T) {
	for fault, want := range map[simulator.Fault]weex.OutcomeState{
		simulator.Dropped: weex.Unknown, simulator.Reset: weex.Unknown, simulator.Truncated: weex.Unknown,
		simulator.Redirected: weex.Unknown, simulator.HTMLOK: weex.Unknown, simulator.HTMLError: weex.Unknown,
		simulator.ServerError: weex.Unknown, simulator.ExecutedError: weex.Unknown, simulator.ExecutedHTML: weex.Unknown,
		simulator.ExecutedHTMLOK: weex.Unknown, simulator.WrongEcho: weex.Unknown,
		simulator.RateLimited: weex.Refused, simulator.Slow: weex.Placed,
	} {
		t.Run(string(fault), func(t *testing.T) {
			s := simulate(t, simulator.Options{Rules: []simulator.FaultRule{{Fault: fault, Path: "/trade/orders", Probability: 1}}})
			c := dial(t, s, func(cfg *exchange.Config) { cfg.BanWait = time.Millisecond })
			got := c.PlaceOrder(background, pair, limitOrder("mine-1", "buy", "1000"))
			if got.State != want || !got.Evidence.Sent {
				t.Errorf("%+v, want %s", got, want)
			}
			if n := s.Stats().Requests["POST /api/v2/trade/orders"]; n != 1 {
				t.Errorf("arrived %d times", n)
			}
			open := collect(t, c.AllOpenOrders(background, weex.OpenOrderQuery{Symbol: pair}))
			executed := slices.ContainsFunc(open, func(o weex.OpenOrder) bool { return o.ClientOrderID == "mine-1" })
			if got.State == weex.Placed && !executed || got.State == weex.Refused && executed {
				t.Errorf("%s, although executed: %v", got.State, executed)
			}
		})
	}
}

// If an affiliate call uses the version of the interface that the account may not use,
// the error says what to change.
func TestNotAnAffiliate(t *testing.T) {
	c := dial(t, simulate(t, simulator.Options{NotAffiliate: true}))
	_, err := c.Commissions(background, weex.CommissionQuery{})
	if exchange.ClassOf(err) != exchange.ClassPermission || !strings.Contains(err.Error(), "v3") {
		t.Error(err)
	}
}
