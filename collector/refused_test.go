package collector_test

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/exchange/weex/simulator/account"
	"rebatedesk/store/payments"
	"rebatedesk/store/storetest"
)

// logged makes the fixture's collector write its log into a text.
func (d *fixture) logged() *strings.Builder {
	var text strings.Builder
	d.Collector = collector.New(collector.Options{
		Store: d.store, Accounts: []collector.Target{{Name: "main", Source: d.client}}, History: d.history, Now: d.clock.now,
		Every: 15 * time.Minute, Log: slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	return &text
}

func (d *fixture) refusals() map[affiliate.StreamKind]payments.Refusal {
	d.Helper()
	list, err := payments.Refusals(context.Background(), d.store.Readers())
	if err != nil {
		d.Fatal(err)
	}
	refused := map[affiliate.StreamKind]payments.Refusal{}
	for _, f := range list {
		refused[f.Stream] = f
	}
	return refused
}

// asked returns how many requests for bills and transfers a run makes, by path.
func (d *fixture) asked(request collector.RunRequest) (spot, funding, transfers int, report collector.RunReport) {
	d.Helper()
	before := d.sim.Stats().Requests
	report = d.run(request)
	after := d.sim.Stats().Requests
	of := func(path string) int { return after[path] - before[path] }
	return of(spotBillCalls), of(fundingBillCalls), of(transferCalls), report
}

// A key that may not read bills and transfers stops nothing: the run is complete, the refusal is
// recorded and logged once, and a stream costs one request a run, in scheduled runs one an hour.
// With the permission everything is read.
func TestKeyThatMayNotReadBills(t *testing.T) {
	storetest.Engines(t, "statements about refused streams", testKeyThatMayNotReadBills)
}

func testKeyThatMayNotReadBills(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 120, Invitees: 50, Records: 300, Forbidden: []string{"4.14", "4.15", "4.16"}})
	log := d.logged()
	for i, c := range []struct {
		after   time.Duration
		request collector.RunRequest
		asked   int
	}{
		{0, collector.RunRequest{}, 1},
		{0, collector.RunRequest{}, 1},
		{time.Minute, collector.RunRequest{Scheduled: true}, 0},
		{30 * time.Minute, collector.RunRequest{Scheduled: true}, 1}, // the next hour
		{15 * time.Minute, collector.RunRequest{Scheduled: true}, 0},
		{0, collector.RunRequest{Kinds: []affiliate.StreamKind{affiliate.SpotBills, affiliate.FundingBills, affiliate.Transfers}}, 1},
	} {
		d.clock.advance(c.after)
		spot, funding, transfers, _ := d.asked(c.request)
		if spot != c.asked || funding != c.asked || transfers != c.asked {
			t.Errorf("run %d: %d, %d and %d requests, want %d each", i+1, spot, funding, transfers, c.asked)
		}
		if run := d.lastRun(); run.Failed != 0 || run.Error != "" {
			t.Errorf("run %d: the log of the run is %+v", i+1, run)
		}
	}
	d.holdsTheTruth() // of commissions
	if n := strings.Count(log.String(), "stream refused"); n != 3 || strings.Count(log.String(), "\n") != 3 || !strings.Contains(log.String(), "40014") {
		t.Errorf("the log, with %d refusals:\n%s", n, log)
	}
	refused := d.refusals()
	for _, kind := range []affiliate.StreamKind{affiliate.SpotBills, affiliate.FundingBills, affiliate.Transfers} {
		if f := refused[kind]; f.Partial() || f.Account != "main" || !strings.Contains(f.Error, "40014") || f.Since >= f.Last {
			t.Errorf("%s are refused so: %+v", kind, f)
		}
	}
	for _, c := range d.coverage() {
		if c.Stream.Kind.Money() || c.Failed.Known() {
			t.Fatalf("coverage knows of %+v", c)
		}
	}

	d.wallets().Forbid("4.16")
	_, _, transfers, report := d.asked(collector.RunRequest{Cause: "with the permission"})
	if transfers != 1 || report.Opened == 0 || len(d.transfers()) != 0 {
		t.Errorf("%d requests for transfers, %d rows, report %+v", transfers, len(d.transfers()), report)
	}
	if refused = d.refusals(); len(refused) != 1 || refused[affiliate.Transfers].Stream == "" {
		t.Errorf("still refused are %+v", refused)
	}
	d.wallets().Forbid()
	d.run(collector.RunRequest{})
	d.holdsTheTruth()
	if refused = d.refusals(); len(refused) != 0 || len(d.bills(0)) == 0 || len(d.transfers()) == 0 {
		t.Errorf("still refused are %+v", refused)
	}
}

// An exchange that gives bills of recent days only gives those. Older days are beyond reach and
// no failure, and are tried no more than once a day.
func TestOldBillsAreBeyondReach(t *testing.T) {
	const reach = 40
	d := newFixture(t, simulator.Options{Seed: 2, Days: 120, Invitees: 50, Records: 300, BillDays: reach})
	d.history += 5 * day // so that no day falls out of it
	log := d.logged()
	first := affiliate.DayOf(start, time.UTC) - reach + 1
	spot, funding, transfers, _ := d.asked(collector.RunRequest{})
	if most := 20; spot > most || funding > most || transfers > most {
		t.Errorf("%d, %d and %d requests to find the first day", spot, funding, transfers)
	}
	money := func() (days int) {
		t.Helper()
		for _, c := range d.coverage() {
			if c.Failed.Known() || c.Stream.Kind.Money() && c.Day < first {
				t.Fatalf("coverage knows of %+v", c)
			}
			if c.Stream.Kind.Money() {
				days++
			}
		}
		return days
	}
	for kind, f := range d.refusals() {
		if f.FirstDay != first || !strings.Contains(f.Error, "40017") {
			t.Errorf("%s are given from %s: %+v", kind, f.FirstDay, f)
		}
	}
	if n := money(); n != 3*reach || len(d.refusals()) != 3 {
		t.Errorf("%d days of bills and transfers are covered, want %d", n, 3*reach)
	}
	for i, c := range []struct {
		after time.Duration
		most  int
	}{
		{15 * time.Minute, 1},
		{day, 15}, // old days are read a second time, of which one is too old by now; an older one is tried
		{15 * time.Minute, 1},
		{day, 5},
		{15 * time.Minute, 1},
	} {
		d.clock.advance(c.after)
		if spot, funding, transfers, _ := d.asked(collector.RunRequest{Scheduled: true}); max(spot, funding, transfers) > c.most {
			t.Errorf("run %d: %d, %d and %d requests, want at most %d each", i+2, spot, funding, transfers, c.most)
		}
	}
	if n := strings.Count(log.String(), "does not give older days"); n != 3 || strings.Count(log.String(), "\n") != 3 {
		t.Errorf("the log, with %d refusals:\n%s", n, log)
	}
	d.wallets().LimitBills(0)
	d.clock.advance(day)
	for range 2 { // the first tries one day
		d.run(collector.RunRequest{Scheduled: true})
	}
	if refused := d.refusals(); len(refused) != 0 {
		t.Errorf("still refused are %+v", refused)
	}
	d.holdsTheTruth()
}

// A bill that appears late, one that vanishes and one that changes are found by the next run, and
// coverage counts the readings that agree anew. Earlier states remain.
func TestLateBill(t *testing.T) { storetest.Engines(t, "statements about bills", testLateBill) }

func testLateBill(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 3, Days: 20, Invitees: 50, Records: 300})
	d.run(collector.RunRequest{})
	d.clock.advance(time.Minute)
	d.run(collector.RunRequest{})
	known, stamp := d.bills(0), affiliate.MillisOf(d.clock.now())
	d.clock.advance(time.Minute)
	yesterday := affiliate.DayOf(start, time.UTC) - 1
	late := account.BookedBill{ID: 4711, Coin: "USDT", Business: "rr_agent_reward", At: yesterday.Start(time.UTC).Add(time.Hour).UnixMilli()}
	d.wallets().ReviseBills(affiliate.SpotWallet, func(all []account.BookedBill) []account.BookedBill {
		return placed(placed(all, late, billTime), late, billTime)
	})
	if report := d.run(collector.RunRequest{}); report.Opened != 2 || report.Closed != 0 {
		t.Errorf("the run opened %d and closed %d rows, want a late bill and its twin", report.Opened, report.Closed)
	}
	d.holdsTheTruth()
	equal(t, "bills as of before", d.bills(stamp), known)
	for _, c := range d.coverage() {
		if c.Stream.Kind != affiliate.SpotBills || c.Day < yesterday-1 || c.Day > yesterday {
			continue
		}
		if want := map[bool]int{true: 1, false: 3}[c.Day == yesterday]; c.Agreed != want {
			t.Errorf("%d readings of %s agree, want %d", c.Agreed, c.Day, want)
		}
	}
}

// A window of bills with too many of them is split, as one of commissions is.
func TestManyBills(t *testing.T) {
	onlyAtFullSize(t)
	d := newFixture(t, simulator.Options{Seed: 4, Days: 6, Invitees: 20, Records: 100})
	d.wallets().ReviseBills(affiliate.SpotWallet, func(all []account.BookedBill) []account.BookedBill {
		const n = 9000
		var trades []account.BookedBill
		first := d.clock.now().Add(-5 * day).UnixMilli()
		for i := range int64(n) {
			trades = append(trades, account.BookedBill{ID: i + 1, Coin: "BTC", Business: "trade_in", At: first + i/3*140_000})
		}
		return trades
	})
	spot, _, _, report := d.asked(collector.RunRequest{})
	d.holdsTheTruth()
	if report.Slices < 2 || spot > 190 {
		t.Errorf("%d requests for 9000 bills in %d slices", spot, report.Slices)
	}
}

// The name or the id of a coin that a bill lacks is taken from the list of currencies. What the
// list does not know stays as it is.
func TestBillsWithoutCoins(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 5, Days: 5, Invitees: 20, Records: 100})
	at := start.Add(-time.Hour).UnixMilli()
	names := map[string]affiliate.Coin{}
	for _, b := range d.sim.Ledger().Bills {
		names[b.CoinID] = b.Coin
	}
	var usdt string
	for id, name := range names {
		if name == "USDT" {
			usdt = id
		}
	}
	bill := func(id, coin string) string {
		return `{"billId":"` + id + `","bizType":"new_type",` + coin + `"deltaAmount":"-0.000000000000000001","afterAmount":"0","cTime":` + strconv.FormatInt(at, 10) + `}`
	}
	d.answers(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/api/v2/account/bills" {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"code":"00000","msg":"success","requestTime":` + strconv.FormatInt(at, 10) + `,"data":[` + // the client sees what is missing
			bill("1", `"coinId":`+usdt+`,`) + "," + bill("2", `"coinName":"USDT",`) + "," + bill("3", `"coinId":999999,"coinName":"",`) + "," + bill("4", `"coinName":"NEWCOIN",`) + `]}`))
		return true
	})
	d.run(collector.RunRequest{Kinds: []affiliate.StreamKind{affiliate.SpotBills}, Since: affiliate.DayOf(start, time.UTC)})
	d.answers(nil)
	want := map[string][2]string{"1": {usdt, "USDT"}, "2": {usdt, "USDT"}, "3": {"999999", ""}, "4": {"", "NEWCOIN"}}
	for b := range d.bills(0) {
		if got := [2]string{b.CoinID, string(b.Coin)}; got != want[b.ID] || b.Business != "new_type" || b.Amount != "-0.000000000000000001" {
			t.Errorf("%+v, want the coin %q", b, want[b.ID])
		}
		delete(want, b.ID)
	}
	if len(want) > 0 {
		t.Errorf("not stored: %v", want)
	}
	if n := d.sim.Stats().Requests["GET /api/v2/public/currencies"]; n != 1 {
		t.Errorf("%d requests for currencies", n)
	}
}
