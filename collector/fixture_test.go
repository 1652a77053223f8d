package collector_test

import (
	"context"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/store"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// start is the instant at which the tests begin: fixed, so that equal seeds
// are equal programmes.
var start = time.Date(2026, 9, 15, 10, 30, 0, 0, time.UTC)

const day = 24 * time.Hour

// clock is the time of the exchange and of the collector.
type clock struct{ ms atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.ms.Store(start.UnixMilli())
	return c
}

func (c *clock) now() time.Time          { return time.UnixMilli(c.ms.Load()).UTC() }
func (c *clock) advance(d time.Duration) { c.ms.Add(d.Milliseconds()) }

// after lets a pause pass at once.
func (c *clock) after(d time.Duration) <-chan time.Time {
	c.advance(d)
	passed := make(chan time.Time, 1)
	passed <- c.now()
	return passed
}

// fixture is a collector with its environment: a simulated exchange behind real HTTP, a
// client and a database.
type fixture struct {
	testing.TB
	clock   *clock
	sim     *simulator.Simulator
	url     string
	history time.Duration
	path    string
	store   *store.Store
	client  *weex.Client
	*collector.Collector
	// ahead sees each request before the simulator and may answer it itself.
	ahead atomic.Pointer[func(w http.ResponseWriter, r *http.Request) (answered bool)]
}

// newFixture makes a fixture over a programme; its history is the programme's.
func newFixture(t testing.TB, o simulator.Options) *fixture {
	t.Helper()
	d := &fixture{TB: t, clock: newClock(), history: time.Duration(max(1, o.Days)) * day, path: storetest.Empty(t)}
	o.Now, o.RateLimit = d.clock.now, -1
	d.sim = simulator.New(o)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", d.clock.now().Format(http.TimeFormat)) // the client learns the time from it too
		if ahead := d.ahead.Load(); ahead != nil && (*ahead)(w, r) {
			return
		}
		d.sim.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	d.url = server.URL
	d.client = d.dial(nil)
	d.store = d.open(nil)
	d.Collector = d.collector(d.store, d.client)
	return d
}

// dial makes a client of the fixture's exchange.
func (d *fixture) dial(change func(*exchange.Config)) *weex.Client {
	d.Helper()
	keys := d.sim.Credentials()
	cfg := exchange.Config{
		BaseURL: d.url, Key: keys.APIKey, Secret: keys.APISecret, Passphrase: keys.APIPassphrase,
		Budget: exchange.NewBudget(1_000_000), Now: d.clock.now,
		Backoff: time.Millisecond, BanWait: 5 * time.Millisecond,
	}
	if change != nil {
		change(&cfg)
	}
	client, err := weex.New(cfg)
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(client.Close)
	return client
}

// open opens the fixture's database.
func (d *fixture) open(zone *time.Location) *store.Store {
	d.Helper()
	s, err := store.Open(context.Background(), d.path, store.Options{Now: d.clock.now, Zone: zone})
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() {
		if err := s.Close(); err != nil {
			d.Error(err)
		}
	})
	return s
}

func (d *fixture) collector(s *store.Store, client *weex.Client) *collector.Collector {
	c := collector.New(collector.Options{
		Store: s, Accounts: []collector.Target{{Name: "main", Source: client}}, History: d.history, Now: d.clock.now,
		Every: 15 * time.Minute,
	})
	c.SetAfter(d.clock.after)
	return c
}

// run collects and requires a complete run.
func (d *fixture) run(request collector.RunRequest) collector.RunReport {
	d.Helper()
	report, err := d.Collect(context.Background(), request)
	if err != nil || !report.Complete || len(report.Incomplete) > 0 {
		d.Fatalf("the run is not complete: %+v (%v)", report, err)
	}
	return report
}

// sized is a number of records where any fair number will do: the race
// detector needs few of them to see a race.
func sized(n int) int {
	if raced {
		return n / 4
	}
	return n
}

// onlyAtFullSize skips a test whose point is an amount.
func onlyAtFullSize(t testing.TB) {
	t.Helper()
	if raced {
		t.Skip("too slow under the race detector, and nothing of it is concurrent")
	}
}

// answers sets the handler that runs ahead of the simulator; nil for none.
func (d *fixture) answers(ahead func(w http.ResponseWriter, r *http.Request) bool) {
	if ahead == nil {
		d.ahead.Store(nil)
		return
	}
	d.ahead.Store(&ahead)
}

func (d *fixture) reader() *store.Tx {
	d.Helper()
	r, err := d.store.Read(context.Background())
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { _ = r.Close() }) // closed by the test already, or here
	return r
}

// everything is the range of all days that records could have.
var everything = affiliate.Days{First: affiliate.DayOf(start, time.UTC) - 1000, Last: affiliate.DayOf(start, time.UTC) + 100}

// count is a multiset.
type count[T comparable] map[T]int

func countOf[T comparable](records []T, key func(T) T) count[T] {
	c := count[T]{}
	for _, record := range records {
		c[key(record)]++
	}
	return c
}

// commissions reads what is stored, as of an instant or now.
func (d *fixture) commissions(asOf affiliate.Millis) count[affiliate.Commission] {
	d.Helper()
	r := d.reader()
	defer r.Close()
	all := count[affiliate.Commission]{}
	filter := records.CommissionFilter{Days: everything, AsOf: asOf}
	for row, err := range records.Commissions(context.Background(), r, filter, records.CommissionOrder{Column: "time"}, 0, 0) {
		if err != nil {
			d.Fatal(err)
		}
		all[row.Commission.Key()]++
	}
	return all
}

func (d *fixture) subAffiliateDays() count[affiliate.SubAffiliateDay] {
	d.Helper()
	r := d.reader()
	defer r.Close()
	all := count[affiliate.SubAffiliateDay]{}
	for row, err := range records.SubAffiliateDays(context.Background(), r, records.SubAffiliateFilter{Days: everything}) {
		if err != nil {
			d.Fatal(err)
		}
		all[row.SubAffiliateDay.Key()]++
	}
	return all
}

// wallets changes what the exchange says of the wallets.
func (d *fixture) wallets() simulator.Wallets { return simulator.Wallets{Of: d.sim} }

// bills reads what is stored of both wallets, as of an instant or now.
func (d *fixture) bills(asOf affiliate.Millis) count[affiliate.Bill] {
	d.Helper()
	r := d.reader()
	defer r.Close()
	return counted(d, payments.Bills(context.Background(), r, payments.BillFilter{Days: everything, AsOf: asOf}),
		func(row payments.BillRow) affiliate.Bill { return row.Bill.Key() })
}

func (d *fixture) transfers() count[affiliate.Transfer] {
	d.Helper()
	r := d.reader()
	defer r.Close()
	return counted(d, payments.Transfers(context.Background(), r, payments.TransferFilter{Days: everything}),
		func(row payments.TransferRow) affiliate.Transfer { return row.Transfer.Key() })
}

func (d *fixture) invitees() count[affiliate.Invitee] {
	d.Helper()
	r := d.reader()
	defer r.Close()
	all := count[affiliate.Invitee]{}
	for row, err := range records.Invitees(context.Background(), r, records.InviteeFilter{}) {
		if err != nil {
			d.Fatal(err)
		}
		all[row.Invitee]++
	}
	return all
}

func (d *fixture) coverage() []records.CoverageDay {
	d.Helper()
	r := d.reader()
	defer r.Close()
	days, err := records.Coverage(context.Background(), r, "", everything)
	if err != nil {
		d.Fatal(err)
	}
	return days
}

func (d *fixture) lastRun() records.Run {
	d.Helper()
	r := d.reader()
	defer r.Close()
	run, err := records.LastRun(context.Background(), r, "main")
	if err != nil {
		d.Fatal(err)
	}
	return run
}

// equal reports every record whose count differs, a few of them in words.
func equal[T comparable](t testing.TB, what string, got, want count[T]) {
	t.Helper()
	wrong := 0
	check := func(k T) {
		if got[k] == want[k] {
			return
		}
		if wrong++; wrong <= 3 {
			t.Errorf("%s: %d times, want %d: %v", what, got[k], want[k], k)
		}
	}
	for k := range got {
		check(k)
	}
	for k := range want {
		if got[k] == 0 {
			check(k)
		}
	}
	if wrong > 3 {
		t.Errorf("%s: %d records are wrong in all", what, wrong)
	}
}

// holdsTheTruth compares all that is stored with the ledger.
func (d *fixture) holdsTheTruth() {
	d.Helper()
	truth := d.sim.Ledger()
	if len(truth.Commissions) == 0 || len(truth.SubAffiliateDays) == 0 || len(truth.Invitees) == 0 || len(truth.Bills) == 0 || len(truth.Transfers) == 0 {
		d.Fatal("the ledger is empty: there is nothing to compare with")
	}
	equal(d, "commissions", d.commissions(0), countOf(truth.Commissions, affiliate.Commission.Key))
	equal(d, "sub-affiliate days", d.subAffiliateDays(), countOf(truth.SubAffiliateDays, affiliate.SubAffiliateDay.Key))
	d.holdsReachable(truth.Invitees)
	d.holdsMoney(truth)
	d.sumsAreExact(truth.Commissions)
}

// holdsMoney compares bills and transfers with those of the ledger up to the last reading: while
// time passes there are more of them.
func (d *fixture) holdsMoney(truth simulator.Ledger) {
	d.Helper()
	through := map[affiliate.StreamKind]affiliate.Millis{}
	for _, c := range d.coverage() {
		through[c.Stream.Kind] = max(through[c.Stream.Kind], c.Through)
	}
	bills := slices.DeleteFunc(truth.Bills, func(b affiliate.Bill) bool { return b.Created >= through[kindOf(b.Wallet)] })
	transfers := slices.DeleteFunc(truth.Transfers, func(t affiliate.Transfer) bool { return t.Time >= through[affiliate.Transfers] })
	equal(d, "bills", d.bills(0), countOf(bills, affiliate.Bill.Key))
	equal(d, "transfers", d.transfers(), countOf(transfers, affiliate.Transfer.Key))
}

// listed returns how many records the exchange lists, of which the store has all invitees.
func (d *fixture) listed() int64 {
	truth := d.sim.Ledger()
	return int64(len(truth.Commissions) + len(truth.SubAffiliateDays) + len(d.invitees()) + len(truth.Bills) + len(truth.Transfers))
}

// kindOf returns the stream of the bills of a wallet.
func kindOf(wallet affiliate.Wallet) affiliate.StreamKind {
	if wallet == affiliate.FundingWallet {
		return affiliate.FundingBills
	}
	return affiliate.SpotBills
}

// holdsReachable compares invitees with those of the ledger that can be requested: 4.18
// lists registrations of the last 365 days.
func (d *fixture) holdsReachable(invitees []affiliate.Invitee) {
	d.Helper()
	first := affiliate.MillisOf(affiliate.DayOf(d.clock.now().Add(-d.history), time.UTC).Start(time.UTC))
	reach := affiliate.MillisOf(d.clock.now().Add(-365*day + 15*time.Minute))
	got, want := d.invitees(), count[affiliate.Invitee]{}
	for _, i := range invitees {
		if i.RegisterTime >= max(first, reach) {
			want[i]++
		} else {
			delete(got, i) // from an earlier run, which reached back further
		}
	}
	if len(want) == 0 {
		d.Fatal("no invitee is within reach")
	}
	equal(d, "invitees", got, want)
}

// sumsAreExact compares the sums used by reports with sums by an independent arithmetic.
func (d *fixture) sumsAreExact(rows []affiliate.Commission) {
	d.Helper()
	type key struct {
		product affiliate.Product
		coin    affiliate.Coin
		source  affiliate.Source
		figure  string
	}
	want := map[key]*big.Rat{}
	add := func(to map[key]*big.Rat, k key, n affiliate.Number) {
		value, ok := new(big.Rat).SetString(string(n))
		if !ok {
			d.Fatalf("%q is not a number", n)
		}
		if to[k] == nil {
			to[k] = new(big.Rat)
		}
		to[k].Add(to[k], value)
	}
	for _, c := range rows {
		add(want, key{c.Product, c.Coin, c.Source, "commission"}, c.Commission)
		add(want, key{c.Product, c.Coin, c.Source, "fee"}, c.Fee)
		add(want, key{c.Product, c.Coin, c.Source, "taker"}, c.TakerAmount)
		add(want, key{c.Product, c.Coin, c.Source, "maker"}, c.MakerAmount)
	}
	r := d.reader()
	defer r.Close()
	days, err := sums.ByDay(context.Background(), r, records.CommissionFilter{Days: everything})
	if err != nil {
		d.Fatal(err)
	}
	got := map[key]*big.Rat{}
	stored := 0
	for _, s := range days {
		stored += int(s.Records)
		add(got, key{s.Product, s.Coin, s.Source, "commission"}, s.Commission)
		add(got, key{s.Product, s.Coin, s.Source, "fee"}, s.Fee)
		add(got, key{s.Product, s.Coin, s.Source, "taker"}, s.TakerAmount)
		add(got, key{s.Product, s.Coin, s.Source, "maker"}, s.MakerAmount)
	}
	if stored != len(rows) || len(got) != len(want) {
		d.Errorf("sums of %d records in %d groups, want %d in %d", stored, len(got), len(rows), len(want))
	}
	for k, sum := range want {
		if got[k] == nil || got[k].Cmp(sum) != 0 {
			d.Errorf("sum of %v is %v, want %v", k, got[k], sum)
		}
	}
}
