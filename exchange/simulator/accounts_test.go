package simulator

import (
	"encoding/csv"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator/account"
)

// oldAccount returns a simulator with a hundred days of history.
func oldAccount(t testing.TB) *harness {
	return newHarness(t, Options{Seed: 6, Days: 100, Invitees: 60, Records: 12_000})
}

// Bills are paged by time, and the pages show each bill once.
func TestBillsByTime(t *testing.T) {
	d := oldAccount(t)
	seen := map[string]object{}
	before := d.at.Load()
	for range 100 {
		page := rows(d.data("POST", billPath, fmt.Sprintf(`{"before":%d,"limit":100}`, before)))
		if len(page) == 0 {
			break
		}
		for _, b := range page {
			seen[text(b["billId"])] = b
		}
		before = dec(page[len(page)-1]["cTime"]).IntPart()
		if len(page) == 100 {
			before++ // others of the same millisecond may follow
		}
	}
	if want := len(d.s.account.SpotBills); len(seen) != want || want < 250 {
		t.Errorf("%d bills, want %d", len(seen), want)
	}
	kinds := map[any]int{}
	for _, b := range seen {
		kinds[b["bizType"]]++
	}
	for _, kind := range []string{"transfer_in", "transfer_out", "rr_agent_reward", "rake_back_reward"} {
		if kinds[kind] == 0 {
			t.Errorf("no %s among %v", kind, kinds)
		}
	}
	d.place(d.order("ETHUSDT_SPBL", "sell", "market", "", "", "0.02"))
	at := d.at.Load()
	for body, want := range map[string]int{
		`{}`: 10, `{"limit":1000}`: 100, `{"bizType":"trade_out"}`: 1, `{"coinId":"3","bizType":"trade_out"}`: 1,
		fmt.Sprintf(`{"after":%d}`, at-1): 2, fmt.Sprintf(`{"after":%d}`, at): 0, fmt.Sprintf(`{"before":%d,"after":%d}`, at, at-1): 0,
		fmt.Sprintf(`{"before":%d,"after":%d}`, at+1, at-1): 2,
	} {
		if got := d.list(billPath, body); len(got) != want {
			t.Errorf("%s: %d bills, want %d", body, len(got), want)
		}
	}
	for _, b := range rows(d.data("POST", billPath, `{"coinId":3,"limit":100}`)) {
		if b["coinName"] != "ETH" {
			t.Errorf("%v", b)
		}
	}
}

func TestFundingBillsByPage(t *testing.T) {
	d := oldAccount(t)
	var all []object
	for n := 1; ; n++ {
		data := d.post(fundingPath, fmt.Sprintf(`{"pageIndex":%d,"pageSize":7}`, n))
		all = append(all, rows(data["items"])...)
		if text(data["page"]) != fmt.Sprint(n) || text(data["pageSize"]) != "7" || text(data["total"]) != fmt.Sprint(len(d.s.account.FundingBills)) {
			t.Fatalf("page %d: %v", n, data)
		}
		if data["hasNextPage"] == false {
			break
		}
	}
	kinds := map[any]int{}
	ids := map[string]bool{}
	for _, b := range all {
		kinds[b["bizType"]]++
		ids[text(b["billId"])] = true
	}
	if len(ids) != len(d.s.account.FundingBills) || len(all) != len(ids) {
		t.Errorf("%d bills, %d different, want %d", len(all), len(ids), len(d.s.account.FundingBills))
	}
	if kinds["withdraw_freeze"] == 0 || kinds["withdraw_freeze"] != kinds["withdraw_complete"] || kinds["deposit"] != 7 || kinds["transfer_in"] == 0 {
		t.Errorf("%v", kinds)
	}
	from := dec(all[3]["cTime"]).IntPart()
	to := dec(all[1]["cTime"]).IntPart()
	if n := text(d.post(fundingPath, fmt.Sprintf(`{"startTime":%d,"endTime":%d}`, from, to))["total"]); n != "1" {
		t.Errorf("%s bills between two others", n)
	}
	if n := len(rows(d.post(fundingPath, `{"pageSize":500,"coinId":2}`)["items"])); n == 0 || n > 100 {
		t.Errorf("%d bills on one page", n)
	}
}

// Transfers are in both lists of bills, and the names after and before are reversed.
func TestTransfers(t *testing.T) {
	d := oldAccount(t)
	all := rows(d.get(transferPath, "limit=500"))
	types := map[string]int{}
	for _, tr := range all {
		types[text(tr["fromType"])+" to "+text(tr["toType"])]++
		if found := billsAt(d.s.account, tr, dec(tr["amount"])); found != [2]int{1, 1} {
			t.Errorf("%v: bills in and out %v", tr, found)
		}
	}
	if types["funding to spot"] != 7 || types["spot to funding"] < 10 || len(types) != 2 {
		t.Errorf("%v", types)
	}
	middle := dec(all[5]["tradeTime"]).IntPart()
	for query, want := range map[string]int{
		"": len(all), fmt.Sprintf("before=%d", middle): 5, fmt.Sprintf("after=%d", middle): len(all) - 6,
		"limit=3": 3, "limit=9999": len(all), "fromType=spot": types["spot to funding"], "coinId=1": 1,
		fmt.Sprintf("before=%d&limit=2", middle): 2,
	} {
		if got := len(rows(d.get(transferPath, query))); got != want {
			t.Errorf("%s: %d transfers, want %d", query, got, want)
		}
	}
}

// billsAt counts the bills of a transfer: those that add and those that subtract.
func billsAt(a *account.SpotAccount, tr object, amount decimal.Decimal) (found [2]int) {
	for _, b := range append(append([]account.BookedBill(nil), a.SpotBills...), a.FundingBills...) {
		if fmt.Sprint(b.At) != text(tr["tradeTime"]) || string(b.Coin) != text(tr["coinName"]) {
			continue
		}
		if b.Delta.Equal(amount) && b.Business == "transfer_in" {
			found[0]++
		}
		if b.Delta.Equal(amount.Neg()) && b.Business == "transfer_out" {
			found[1]++
		}
	}
	return found
}

// Every day's commissions are paid on the following day, except for the deviations that
// the ledger lists.
func TestPayouts(t *testing.T) {
	d := oldAccount(t)
	l := d.s.Ledger()
	type key struct {
		day        affiliate.Day
		ListedCoin affiliate.Coin
		business   string
	}
	owed := map[key]decimal.Decimal{}
	last := affiliate.Day(d.at.Load()/day) - 1
	for _, c := range l.Commissions {
		k := key{affiliate.Day(int64(c.DealTime) / day), c.Coin, "rr_agent_reward"}
		if c.Source == affiliate.SubAgent {
			k.business = "rake_back_reward"
		}
		if k.day <= last && !c.Commission.IsZero() {
			owed[k] = owed[k].Add(c.Commission.Decimal())
		}
	}
	bills := map[string]account.BookedBill{}
	for _, b := range d.s.account.SpotBills {
		bills[fmt.Sprint(b.ID)] = b
	}
	kinds := map[account.Deviation]int{}
	for _, p := range l.Payouts {
		k := key{p.Day, p.Coin, p.Business}
		if !p.Owed.Decimal().Equal(owed[k]) {
			t.Errorf("%+v, commissions are %v", p, owed[k])
		}
		delete(owed, k)
		kinds[p.Deviation]++
		paid := decimal.Zero
		for _, id := range p.BillIDs {
			b := bills[id]
			delete(bills, id)
			paid = paid.Add(b.Delta)
			if b.Coin != p.Coin || b.Business != p.Business || b.At/day != int64(p.Day)+1 || b.At != int64(p.At) {
				t.Errorf("%+v: bill %+v", p, b)
			}
		}
		due, got := p.Owed.Decimal(), p.Paid.Decimal()
		right := map[account.Deviation]bool{
			account.DeviationNone: got.Equal(due), account.DeviationMissing: got.IsZero() && len(p.BillIDs) == 0,
			account.DeviationShort: got.LessThan(due) && got.IsPositive(), account.DeviationDoubled: got.Equal(due.Add(due)) && len(p.BillIDs) == 2,
		}
		if !right[p.Deviation] || !paid.Equal(got) {
			t.Errorf("%+v: bills of %v", p, paid)
		}
	}
	if len(owed) > 0 {
		t.Errorf("never paid: %v", owed)
	}
	for _, b := range bills {
		if b.Business == "rr_agent_reward" || b.Business == "rake_back_reward" {
			t.Errorf("no payout contains %+v", b)
		}
	}
	total := len(l.Payouts)
	if len(kinds) != 4 || kinds[account.DeviationNone] < total*8/10 {
		t.Errorf("%v of %d", kinds, total)
	}
}

// A payout includes every commission that is due, whether it is listed or not, and those
// that a test inserted.
func TestPayoutsGoOn(t *testing.T) {
	d := newHarness(t, Options{Seed: 6, Days: 2, Live: true, LiveSpeed: 5, Invitees: 30, Records: 600})
	d.s.Insert(affiliate.Commission{DealTime: affiliate.MillisOf(instant), Coin: "SOL", Source: affiliate.Direct, Commission: "0.125"})
	d.s.Insert(affiliate.Commission{DealTime: affiliate.MillisOf(instant), Coin: "SOL", Commission: "much"})
	d.s.Insert(affiliate.Commission{DealTime: affiliate.MillisOf(instant), Coin: "PEARL", Commission: "5"})
	d.wait(40 * time.Hour)
	early := d.s.Ledger().Payouts
	d.wait(60 * time.Hour) // by now the latest of those days' commissions are listed
	l := d.s.Ledger()
	sums := map[string]decimal.Decimal{}
	for _, c := range l.Commissions {
		if n, err := affiliate.ParseNumber(string(c.Commission)); err == nil {
			k := fmt.Sprint(int64(c.DealTime)/day, c.Coin, c.Source == affiliate.SubAgent)
			sums[k] = sums[k].Add(n.Decimal())
		}
	}
	sol := 0
	for _, p := range early {
		k := fmt.Sprint(int64(p.Day), p.Coin, p.Business == "rake_back_reward")
		if !p.Owed.Decimal().Equal(sums[k]) {
			t.Errorf("%+v, want %v", p, sums[k])
		}
		if p.Coin == "SOL" && p.Owed == "0.125" {
			sol++
		}
		if p.Coin == "PEARL" {
			t.Error("paid in a coin that is not listed")
		}
	}
	if sol != 1 || len(early) < 5 || len(l.Payouts) <= len(early) {
		t.Errorf("%d payouts early, %d later, %d inserted", len(early), len(l.Payouts), sol)
	}
	sound(t, d.s)
}

func TestBalancesAskedFor(t *testing.T) {
	d := newHarness(t, Options{Seed: 6, Balances: map[affiliate.Coin]affiliate.Number{"USDT": "12.5", "BTC": "0", "NONE": "7"}})
	d.wait(time.Hour)
	want := map[affiliate.Coin]account.Balance{"USDT": {Available: "12.5", Locked: "0"}}
	if got := d.s.Balances(); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := d.s.FundingBalances(); got["USDT"].Available != "0" {
		t.Errorf("%v", got)
	}
}

func TestPayoutFile(t *testing.T) {
	d := oldAccount(t)
	w := httptest.NewRecorder()
	d.s.ServeHTTP(w, httptest.NewRequest("GET", "/ledger/payouts.csv", nil))
	lines, err := csv.NewReader(w.Body).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all := d.s.Ledger().Payouts
	if w.Code != 200 || len(lines) != len(all)+1 || strings.Join(lines[0], " ") != "account date coin biz_type owed paid deviation paid_at_utc bill_ids" {
		t.Fatalf("%d, %d lines of %d, %v", w.Code, len(lines), len(all), lines[0])
	}
	for i, p := range all {
		want := []string{
			"main", p.Day.String(), string(p.Coin), p.Business, string(p.Owed), string(p.Paid), string(p.Deviation), p.At.String(), strings.Join(p.BillIDs, " "),
		}
		if !slices.Equal(lines[i+1], want) {
			t.Errorf("%v, want %v", lines[i+1], want)
		}
	}
}
