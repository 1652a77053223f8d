package collector_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/internal/race"
	"rebatedesk/store/storetest"
)

// Whatever the exchange does, the stored data is the truth in the end.
func TestCollectedEqualsTheLedger(t *testing.T) {
	for _, c := range []struct {
		faults  simulator.Faults
		records int
		days    int
		seeds   int64
	}{
		{simulator.FaultsNone, 8000, 400, 2},
		{simulator.FaultsNormal, 8000, 200, 2},
		{simulator.FaultsHarsh, 5000, 120, 6},
	} {
		if raced {
			c.seeds = 1
		}
		for seed := range c.seeds {
			t.Run(fmt.Sprintf("%s %d", c.faults, seed), func(t *testing.T) {
				t.Parallel()
				d := newFixture(t, simulator.Options{Seed: seed, Days: c.days, Invitees: 600, Records: sized(c.records), Faults: c.faults})
				report := d.run(collector.RunRequest{Cause: "test"})
				d.holdsTheTruth()
				if report.Opened != d.listed() || report.Closed != 0 {
					t.Errorf("the first run opened %d and closed %d", report.Opened, report.Closed)
				}
			})
		}
	}
}

// A window read in harsh conditions leaves a trace in the statistics of the
// simulator; without it the test above would prove nothing.
func TestHarshIsHarsh(t *testing.T) {
	race.Skip(t, "records of one simulated exchange, drawn by one goroutine")
	onlyAtFullSize(t)
	d := newFixture(t, simulator.Options{Seed: 3, Days: 200, Invitees: 600, Records: 30_000, Faults: simulator.FaultsHarsh})
	d.run(collector.RunRequest{})
	d.holdsTheTruth()
	faults := d.sim.Stats().Faults
	for _, f := range []simulator.Fault{simulator.ServerError, simulator.Truncated, simulator.HTMLOK, simulator.Inserted, simulator.Removed, simulator.Revised, simulator.RepeatedPage, simulator.EmptyPage} {
		if faults[f] == 0 {
			t.Errorf("%s did not happen (%v)", f, faults)
		}
	}
}

// The interface document leaves open whether a window includes its ends and in
// which order records come; neither may matter.
func TestBoundsAndOrderDoNotMatter(t *testing.T) {
	for _, bounds := range []simulator.Bounds{simulator.BoundsInclusive, simulator.BoundsHalfOpen, simulator.BoundsExclusive} {
		for _, order := range []simulator.RowOrder{simulator.NewestFirst, simulator.OldestFirst} {
			t.Run(string(bounds)+" "+string(order), func(t *testing.T) {
				t.Parallel()
				d := newFixture(t, simulator.Options{Seed: 5, Days: 100, Invitees: 300, Records: sized(3000), Bounds: bounds, Order: order})
				d.onTheEdges()
				d.run(collector.RunRequest{})
				d.holdsTheTruth()
			})
		}
	}
}

// onTheEdges puts records on the first and the last millisecond of every day:
// windows of any length have one at each end.
func (d *fixture) onTheEdges() {
	sample := d.sim.Ledger().Commissions[0]
	today := affiliate.DayOf(d.clock.now(), time.UTC)
	for day := today - 99; day < today; day++ {
		span := day.Range(time.UTC)
		for _, at := range []affiliate.Millis{affiliate.MillisOf(span.From), affiliate.MillisOf(span.To) - 1} {
			sample.DealTime = at
			d.sim.Insert(sample)
		}
	}
}

func TestCollectingTwiceChangesNothing(t *testing.T) {
	storetest.Engines(t, "which rows a statement with a conflict clause writes", testCollectingTwiceChangesNothing)
}

func testCollectingTwiceChangesNothing(t *testing.T) {
	for _, faults := range []simulator.Faults{simulator.FaultsNone, simulator.FaultsHarsh} {
		t.Run(string(faults), func(t *testing.T) {
			d := newFixture(t, simulator.Options{Seed: 11, Days: 120, Invitees: 300, Records: sized(4000), Faults: faults})
			d.run(collector.RunRequest{})
			before, invitees := d.commissions(0), d.invitees()
			for i, request := range []collector.RunRequest{{}, {Since: affiliate.DayOf(start.Add(-d.history), time.UTC)}} {
				report := d.run(request)
				if report.Opened != 0 || report.Closed != 0 || report.Slices == 0 {
					t.Errorf("run %d opened %d and closed %d in %d slices", i+2, report.Opened, report.Closed, report.Slices)
				}
				equal(t, "commissions", d.commissions(0), before)
				equal(t, "invitees", d.invitees(), invitees)
			}
			d.holdsTheTruth()
			for _, c := range d.coverage() {
				if c.Agreed < 2 || c.Failed.Known() {
					t.Fatalf("read twice, %s %s says %d agreeing reads (%s)", c.Stream, c.Day, c.Agreed, c.Error)
				}
			}
		})
	}
}

// One call covers one product: most of the money would be missing.
func TestBothProductsAreCollected(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 2, Days: 30, Invitees: 100, Records: sized(1000)})
	d.run(collector.RunRequest{Kinds: []affiliate.StreamKind{affiliate.Commissions}})
	records := map[affiliate.Product]int{}
	for c, n := range d.commissions(0) {
		records[c.Product] += n
	}
	if records[affiliate.Spot] == 0 || records[affiliate.Futures] == 0 || len(records) != 2 {
		t.Errorf("records by product: %v", records)
	}
	if n := len(d.invitees()) + len(d.subAffiliateDays()) + len(d.bills(0)) + len(d.transfers()); n != 0 {
		t.Errorf("%d records of streams that were not requested", n)
	}
}

// The least possible is a request for each hundred records of a product.
func TestRequestsAreFew(t *testing.T) {
	onlyAtFullSize(t)
	d := newFixture(t, simulator.Options{Seed: 9, Days: 365, Invitees: 1000, Records: 30_000})
	report := d.run(collector.RunRequest{})
	d.holdsTheTruth()
	least := 0
	perProduct := map[affiliate.Product]int{}
	for _, c := range d.sim.Ledger().Commissions {
		perProduct[c.Product]++
	}
	for _, n := range perProduct {
		least += (n + 99) / 100
	}
	requests := d.sim.Stats().Requests
	used := requests[http.MethodGet+" /api/v2/rebate/affiliate/getAffiliateCommission"]
	t.Logf("%d requests for commissions, %d at the least: %.3f", used, least, float64(used)/float64(least))
	if used*100 > least*105 {
		t.Errorf("%d requests for commissions, more than 1.05 times %d", used, least)
	}
	if all := d.sim.Stats().All(); report.Requests != int64(all) {
		t.Errorf("the report says %d requests, the exchange saw %d", report.Requests, all)
	}
	if report.Weight != int64(d.sim.Stats().Weight) {
		t.Errorf("the report says weight %d, the exchange counted %d", report.Weight, d.sim.Stats().Weight)
	}
}
