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
	"rebatedesk/exchange/weex/simulator/account"
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

// Every rule pays the commissions of each period once, after its delay, except for the
// deviations that the ledger lists.
func TestPayouts(t *testing.T) {
	for _, text := range []string{"day", "hour+40m", "week+30h", "month+52h together", "day+1h together", "week exact", "day+8h few", "hour+40m few"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			rule, err := ParsePayoutRule(text)
			if err != nil {
				t.Fatal(err)
			}
			d := newHarness(t, Options{Seed: 5, Days: 400, Invitees: 60, Records: 8000, Payouts: rule})
			checkPayouts(t, d.s, rule)
		})
	}
}

// payoutKey identifies a payout.
type payoutKey struct {
	from     affiliate.Millis
	coin     affiliate.Coin
	business string
}

// checkPayouts compares the payouts with the commissions and with the bills.
func checkPayouts(t *testing.T, s *Simulator, rule account.PayoutRule) {
	l := s.Ledger()
	owed := map[payoutKey]decimal.Decimal{}
	for _, c := range l.Commissions {
		for _, p := range l.Payouts {
			if p.From <= c.DealTime && c.DealTime < p.To && p.Coin == c.Coin && (p.Kind() == "all" || p.Kind() == string(c.Source)) {
				k := payoutKey{p.From, p.Coin, p.Business}
				owed[k] = owed[k].Add(c.Commission.Decimal())
				break
			}
		}
	}
	bills := map[string]account.BookedBill{}
	for _, b := range s.account.SpotBills {
		if b.Business == "rr_agent_reward" || b.Business == "rake_back_reward" {
			bills[fmt.Sprint(b.ID)] = b
		}
	}
	kinds := map[account.Deviation]int{}
	for _, p := range l.Payouts {
		if want := owed[payoutKey{p.From, p.Coin, p.Business}]; p.Deviation != account.DeviationStray && !p.Owed.Decimal().Equal(want) {
			t.Errorf("%+v, commissions are %v", p, want)
		}
		delete(owed, payoutKey{p.From, p.Coin, p.Business})
		kinds[p.Deviation]++
		paid := decimal.Zero
		for _, own := range p.Bills {
			b := bills[own.ID]
			delete(bills, own.ID)
			paid = paid.Add(b.Delta)
			if b.Coin != p.Coin || b.Business != p.Business || b.At != int64(own.At) || own.At < p.To || !b.Delta.Equal(own.Amount.Decimal()) {
				t.Errorf("%+v: bill %+v", p, b)
			}
		}
		if !paid.Equal(p.Paid.Decimal()) {
			t.Errorf("%+v: bills of %v", p, paid)
		}
	}
	for key, amount := range owed {
		t.Errorf("never paid: %v of %+v", amount, key)
	}
	for _, b := range bills {
		t.Errorf("no payout contains %+v", b)
	}
	total := len(l.Payouts)
	switch rule.Faults {
	case account.PayoutFaultsNone:
		if total == 0 || kinds[account.DeviationNone] != total {
			t.Errorf("%v of %d", kinds, total)
		}
	case account.PayoutFaultsFew:
		if total == 0 || kinds[account.DeviationNone] != total-3 || kinds[account.DeviationLate] != 1 || kinds[account.DeviationShort] != 1 || kinds[account.DeviationMissing] != 1 {
			t.Errorf("%v of %d", kinds, total)
		}
		for _, p := range l.Payouts {
			if p.Deviation != account.DeviationNone && int64(p.To) < instant.UnixMilli()-60*day {
				t.Errorf("%+v is too old", p)
			}
		}
	default:
		if kinds[account.DeviationNone] < total*7/10 || total > 1000 && len(kinds) != 8 {
			t.Errorf("%v of %d", kinds, total)
		}
	}
	checkPayments(t, s)
}

// checkPayments compares the lines of true books with the commissions and the rewards.
func checkPayments(t *testing.T, s *Simulator) {
	t.Helper()
	sums := map[affiliate.Coin]decimal.Decimal{} // paid − earned
	for _, c := range s.Ledger().Commissions {
		sums[c.Coin] = sums[c.Coin].Sub(c.Commission.Decimal())
	}
	rewards := map[string]bool{}
	for _, b := range s.account.SpotBills {
		if b.Business == "rr_agent_reward" || b.Business == "rake_back_reward" {
			rewards[fmt.Sprint(b.ID)] = true
			sums[b.Coin] = sums[b.Coin].Add(b.Delta)
		}
	}
	now := affiliate.MillisOf(s.options.Now())
	for _, p := range s.Payments() {
		for _, b := range p.Bills {
			if !rewards[b.ID] {
				t.Errorf("%+v: bill %s belongs to another line as well", p, b.ID)
			}
			delete(rewards, b.ID)
		}
		sums[p.Coin] = sums[p.Coin].Sub(p.Difference().Decimal())
		paid, earned := p.Paid.Decimal(), p.Earned.Decimal()
		exact := paid.Equal(earned)
		right := map[string]bool{
			"matched": exact, "late": exact, "short": paid.LessThan(earned) && len(p.Bills) > 0, "over": paid.GreaterThan(earned),
			"missing": len(p.Bills) == 0 && p.To < now, "twice": paid.GreaterThan(earned) && len(p.Bills) == 2,
			"pending": len(p.Bills) == 0 || int64(p.To) > int64(now)-3*day, "unexplained": earned.IsZero() && p.From == p.To && len(p.Bills) == 1,
		}
		if !right[p.State] {
			t.Errorf("%+v", p)
		}
	}
	if len(rewards) != 0 {
		t.Errorf("%d rewards have no line", len(rewards))
	}
	for coin, rest := range sums {
		if !rest.IsZero() {
			t.Errorf("%v %s remain", rest, coin)
		}
	}
}

func TestPayoutRuleWords(t *testing.T) {
	for text, want := range map[string]account.PayoutRule{
		"day":                      {Period: account.PayDaily},
		"hour+40m":                 {Period: account.PayHourly, Delay: 40 * time.Minute},
		"day+8h few":               {Period: account.PayDaily, Delay: 8 * time.Hour, Faults: account.PayoutFaultsFew},
		"month+52h together exact": {Period: account.PayMonthly, Delay: 52 * time.Hour, Together: true, Faults: account.PayoutFaultsNone},
	} {
		if got, err := ParsePayoutRule(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "year", "day+soon", "day+-3h", "together", "day apart"} {
		if got, err := ParsePayoutRule(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// billIDs returns the identifiers of the bills in order.
func billIDs(l Ledger) []string {
	var ids []string
	for _, b := range l.Bills {
		ids = append(ids, b.ID)
	}
	slices.Sort(ids)
	return ids
}

// A programme that is not live pays and moves nothing after its start, even where a payout was
// under way, so two collections at any hour of the day find the same.
func TestProgrammeAtRest(t *testing.T) {
	for _, into := range []time.Duration{0, 8 * time.Hour, 8*time.Hour + 10*time.Second, 23 * time.Hour} {
		d := newHarness(t, Options{Seed: 6, Days: 20, Invitees: 30, Records: 600, Start: instant.Truncate(24 * time.Hour).Add(into - 24*time.Hour)})
		before := d.s.Ledger()
		d.wait(45 * 24 * time.Hour)
		after := d.s.Ledger()
		if len(before.Bills) < 50 || len(before.Transfers) == 0 {
			t.Fatalf("%v: %d bills, %d transfers", into, len(before.Bills), len(before.Transfers))
		}
		if fmt.Sprint(billIDs(before), before.Transfers, before.Payouts) != fmt.Sprint(billIDs(after), after.Transfers, after.Payouts) {
			t.Errorf("%v: %d bills and %d transfers became %d and %d", into, len(before.Bills), len(before.Transfers), len(after.Bills), len(after.Transfers))
		}
		sound(t, d.s)
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
		if p.Deviation == account.DeviationStray {
			continue
		}
		k := fmt.Sprint(int64(p.From)/day, p.Coin, p.Business == "rake_back_reward")
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

func TestPaymentFile(t *testing.T) {
	d := oldAccount(t)
	w := httptest.NewRecorder()
	d.s.ServeHTTP(w, httptest.NewRequest("GET", "/ledger/payments.csv", nil))
	lines, err := csv.NewReader(w.Body).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all := d.s.Payments()
	if w.Code != 200 || len(lines) != len(all)+1 || strings.Join(lines[0], ",") != "period_from_utc,period_to_utc,account,coin,kind,earned,paid,difference,state,bills,first_paid_utc,last_paid_utc" {
		t.Fatalf("%d, %d lines of %d, %v", w.Code, len(lines), len(all), lines[0])
	}
	for i, p := range all {
		difference := p.Paid.Decimal().Sub(p.Earned.Decimal())
		want := []string{
			p.From.String(), p.To.String(), "main", string(p.Coin), p.Kind, string(p.Earned), string(p.Paid), difference.String(), p.State,
			fmt.Sprint(len(p.Bills)), p.FirstPaid().String(), p.LastPaid().String(),
		}
		if !slices.Equal(lines[i+1], want) {
			t.Errorf("%v, want %v", lines[i+1], want)
		}
	}
}

// The payments show commissions as they are now: after a payment that was right, a record
// that grows makes it short, and one that is removed makes it too much.
func TestPaymentsAfterChanges(t *testing.T) {
	rule := account.PayoutRule{Faults: account.PayoutFaultsNone}
	d := newHarness(t, Options{Seed: 5, Days: 20, Invitees: 30, Records: 300, Payouts: rule})
	before := d.s.Payments()
	i := slices.IndexFunc(before, func(p account.Payment) bool { return p.State == "matched" })
	p := before[i]
	d.s.Insert(affiliate.Commission{DealTime: p.From, Source: affiliate.Source(p.Kind), Coin: p.Coin, Commission: "0.5"})
	if after := d.s.Payments()[i]; after.State != "short" || after.Difference() != "-0.5" || after.Paid != p.Paid {
		t.Errorf("%+v became %+v", p, after)
	}
	removed := d.s.RemoveFunc(func(c affiliate.Commission) bool {
		return c.DealTime >= p.From && c.DealTime < p.To && c.Coin == p.Coin && string(c.Source) == p.Kind
	})
	if after := d.s.Payments()[i]; removed < 2 || after.State != "over" || after.Earned != "0" || after.Difference() != p.Paid {
		t.Errorf("%+v became %+v, %d removed", p, after, removed)
	}
	d.s.Insert(affiliate.Commission{DealTime: p.From, Source: affiliate.Direct, Coin: "PEARL", Commission: "7"})
	checkPayments(t, d.s)
	d.s.Insert(affiliate.Commission{DealTime: affiliate.MillisOf(instant) - 1, Source: affiliate.Direct, Coin: "PEARL", Commission: "3"})
	states := map[string]string{}
	for _, p := range d.s.Payments() {
		if p.Coin == "PEARL" {
			states[string(p.Earned)] = p.State
		}
	}
	if want := map[string]string{"7": "missing", "3": "pending"}; !maps.Equal(states, want) {
		t.Errorf("%v", states)
	}
}
