package collector_test

import (
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/internal/pipes"
	"rebatedesk/internal/soak"
	"rebatedesk/store"
)

// timedFixture is the composition of a real process, with its real budget, over an
// exchange that enforces its limit. Nothing in it knows that the time is simulated.
type timedFixture struct {
	*fixture
	latency func() time.Duration // of half a way
}

// holdsTheTruth compares what is stored with the ledger as of now.
func (o *timedFixture) holdsTheTruth() {
	o.Helper()
	o.clock.ms.Store(time.Now().UnixMilli())
	o.fixture.holdsTheTruth()
}

// newTimedFixture returns a fixture in the bubble of a test, in the year of the other
// tests.
func newTimedFixture(t *testing.T, o simulator.Options, latency func() time.Duration) *timedFixture {
	t.Helper()
	time.Sleep(time.Until(start))
	timed := &timedFixture{latency: latency, fixture: &fixture{
		TB: t, clock: &clock{}, history: time.Duration(o.Days) * day, path: filepath.Join(t.TempDir(), "timed.db"),
	}}
	timed.sim = simulator.New(o)
	dial := pipes.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(timed.latency())
		timed.sim.ServeHTTP(w, r)
		time.Sleep(timed.latency())
	}))
	keys := timed.sim.Credentials()
	client, err := weex.New(exchange.Config{
		BaseURL: "http://127.0.0.1", Key: keys.APIKey, Secret: keys.APISecret, Passphrase: keys.APIPassphrase, Dial: dial,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	st, err := store.Open(t.Context(), timed.path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	timed.client, timed.store = client, st
	timed.Collector = collector.New(collector.Options{
		Store: st, Accounts: []collector.Target{{Name: "main", Source: client}}, History: timed.history, Every: 15 * time.Minute,
	})
	return timed
}

// realLatency takes from 80 to 240 ms for both ways, and now and then up to a
// second longer.
func realLatency() func() time.Duration {
	random := rand.New(rand.NewPCG(7, 7))
	var mu sync.Mutex
	return func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		half := time.Duration(40+random.IntN(80)) * time.Millisecond
		if random.IntN(200) == 0 {
			half += time.Duration(random.IntN(1000)) * time.Millisecond
		}
		return half
	}
}

// A backfill of a year at the default budget: the exchange never refuses, the
// budget is used while there is work, and hardly a request is wasted.
func TestSoakBackfillUsesItsBudget(t *testing.T) {
	records := soak.Times(50_000, 250_000)
	if raced {
		records = 5_000
	}
	synctest.Test(t, func(t *testing.T) {
		o := newTimedFixture(t, simulator.Options{Seed: 9, Days: 365, Invitees: records / 50, Records: records}, realLatency())
		began := time.Now()
		report := o.run(collector.RunRequest{Cause: "test"})
		took := time.Since(began)
		stats := o.sim.Stats()
		if stats.Exceeded > 0 || o.client.Usage().RateLimited > 0 {
			t.Errorf("the exchange refused %d calls because of their number", stats.Exceeded)
		}
		// In any ten seconds: however the windows of an exchange lie, it
		// counts no more.
		if stats.PeakWeight > exchange.DefaultBudget {
			t.Errorf("a weight of %d arrived within ten seconds, the budget is %d", stats.PeakWeight, exchange.DefaultBudget)
		}
		const perSecond = exchange.DefaultBudget / 10.0
		used := float64(stats.Weight) / (perSecond * took.Seconds())
		if used < 0.95 {
			t.Errorf("%.1f %% of the budget was used", 100*used)
		}
		truth := o.sim.Ledger()
		least := leastRequests(truth, 365)
		if ratio := float64(stats.All()) / float64(least); ratio > 1.05 && !raced {
			t.Errorf("%d requests, %d are needed at the least: %.3f times as many", stats.All(), least, ratio)
		}
		t.Logf("%d records in %s: %.1f %% of the budget, at most %d in 10 s, %d requests of at least %d",
			report.Records, took.Round(time.Second), 100*used, stats.PeakWeight, stats.All(), least)
		o.holdsTheTruth()
	})
}

// leastRequests returns how many requests give all records if every page is full and every
// window as long as the exchange allows: 92 days are the longest three months (4.17), 4.18
// allows 90 days, and 4.19 has no limit. For 4.14 to 4.16 none is documented, and three months
// are taken for it: an exchange that shortened a longer window would hide bills. A page has 100
// records, of transfers 500.
func leastRequests(truth simulator.Ledger, days int) int {
	perProduct := map[affiliate.Product]int{}
	for _, c := range truth.Commissions {
		perProduct[c.Product]++
	}
	invitees := 0
	for _, i := range truth.Invitees {
		if i.RegisterTime >= affiliate.MillisOf(time.Now().Add(-365*day)) {
			invitees++ // older ones cannot be asked for
		}
	}
	least := max(over(invitees, 100), over(days, 90))
	for _, n := range perProduct {
		least += max(over(n, 100), over(days, 92))
	}
	clear(perProduct)
	for _, d := range truth.SubAffiliateDays {
		perProduct[d.Product]++
	}
	for _, n := range perProduct {
		least += over(n, 100)
	}
	perWallet := map[affiliate.Wallet]int{}
	for _, b := range truth.Bills {
		perWallet[b.Wallet]++
	}
	for _, n := range perWallet {
		least += max(over(n, 100), over(days, 92))
	}
	return least + max(over(len(truth.Transfers), 500), over(days, 92))
}

// over divides and rounds up.
func over(n, by int) int { return (n + by - 1) / by }
