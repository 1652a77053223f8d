package collector_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// A day without changes, in a process that has everything and has seen it twice, costs only
// the requests for its re-reads, and changes no stored data.
func TestSteadyDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newTimedFixture(t, simulator.Options{Seed: 4, Days: 120, Invitees: 200, Records: sized(10_000)}, func() time.Duration { return 0 })
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan struct{})
		go func() {
			defer close(served)
			o.Serve(ctx)
		}()
		time.Sleep(26 * time.Hour) // the second read comes a day after the first
		before, run, requests := o.stored(), o.lastRun(), maps.Clone(o.sim.Stats().Requests)
		wanted := affiliate.DayOf(time.Now().Add(-o.history), time.UTC) // older days are no longer to be collected
		for _, c := range o.coverage() {
			if c.Day >= wanted && c.Whole() && c.Agreed < 2 {
				t.Fatalf("%s %s was not verified a day after the backfill", c.Stream, c.Day)
			}
		}
		time.Sleep(day)
		cancel()
		<-served

		runs := o.runsAfter(run.ID)
		if len(runs) != 96 {
			t.Fatalf("%d runs in a day, want one in each quarter of an hour", len(runs))
		}
		want, truth := map[string]int{}, o.sim.Ledger()
		last := run.Started.Time()
		for _, r := range runs {
			if r.Opened+r.Closed+r.Failed > 0 || r.Error != "" {
				t.Errorf("a run on a day without changes: %+v", r)
			}
			needed(want, truth, last, r.Started.Time())
			last = r.Started.Time()
		}
		for path, n := range o.sim.Stats().Requests {
			if asked := n - requests[path]; asked != want[path] {
				t.Errorf("%s: %d requests on a day without changes, its re-reads need %d", path, asked, want[path])
			}
		}
		after := o.stored()
		equal(t, "commissions", after.commissions, before.commissions)
		equal(t, "sums", after.sums, before.sums)
		equal(t, "invitees", after.invitees, before.invitees)
		equal(t, "sub-affiliate days", after.subAffiliates, before.subAffiliates)
	})
}

// contents holds the data from which pages and exports are made.
type contents struct {
	commissions   count[records.CommissionRow]
	invitees      count[records.InviteeRow]
	subAffiliates count[records.SubAffiliateRow]
	sums          count[figures]
}

// figures are the figures of a day, without those of its order.
type figures struct {
	day                             affiliate.Day
	product                         affiliate.Product
	coin                            affiliate.Coin
	source                          affiliate.Source
	records                         int64
	fee, commission, takers, makers affiliate.Number
}

func (o *timedFixture) stored() contents {
	o.Helper()
	ctx, r := context.Background(), o.reader()
	defer r.Close()
	c := contents{count[records.CommissionRow]{}, count[records.InviteeRow]{}, count[records.SubAffiliateRow]{}, count[figures]{}}
	for row, err := range records.Commissions(ctx, r, records.CommissionFilter{Days: everything}, records.CommissionOrder{Column: "time"}, 0, 0) {
		o.must(err)
		c.commissions[row]++
	}
	for row, err := range records.Invitees(ctx, r, records.InviteeFilter{}) {
		o.must(err)
		row.LastSeen = 0 // follows from the log of reads
		c.invitees[row]++
	}
	for row, err := range records.SubAffiliateDays(ctx, r, records.SubAffiliateFilter{Days: everything}) {
		o.must(err)
		c.subAffiliates[row]++
	}
	days, err := sums.ByDay(ctx, r, records.CommissionFilter{Days: everything})
	o.must(err)
	for _, s := range days {
		c.sums[figures{s.Day, s.Product, s.Coin, s.Source, s.Records, s.Fee, s.Commission, s.TakerAmount, s.MakerAmount}]++
	}
	return c
}

func (o *timedFixture) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// runsAfter lists the runs after the given one, oldest first.
func (o *timedFixture) runsAfter(id int64) []records.Run {
	o.Helper()
	r := o.reader()
	defer r.Close()
	runs, _, err := records.Runs(context.Background(), r, "", 1000, 0)
	o.must(err)
	runs = slices.DeleteFunc(runs, func(r records.Run) bool { return r.ID <= id })
	slices.Reverse(runs)
	return runs
}

const (
	commissionCalls   = "GET /api/v2/rebate/affiliate/getAffiliateCommission"
	inviteeCalls      = "GET /api/v2/rebate/affiliate/getAffiliateUIDs"
	subAffiliateCalls = "POST /api/v2/rebate/affiliate/querySubChannelTransactions"
	spotBillCalls     = "POST /api/v2/account/bills"
	fundingBillCalls  = "POST /api/v2/account/fundingBills"
	transferCalls     = "GET /api/v2/account/transferRecords"
)

// needed adds the requests of one run, by what is promised and by nothing that
// the collector says: days until 72 hours after their end in every run, those
// of sub-affiliates in the first run of each hour, and of bills and transfers those that are over
// as well; on the first run of a day
// those that have become 3, 35 and 80 days old, and all invitees.
func needed(want map[string]int, truth simulator.Ledger, last, now time.Time) {
	today := affiliate.DayOf(now, time.UTC)
	recent := affiliate.Days{First: today - 3, Last: today}
	midnight := affiliate.DayOf(last, time.UTC) < today
	var aged []affiliate.Days
	for _, age := range []affiliate.Day{3, 35, 80} {
		aged = append(aged, affiliate.Days{First: today - age - 1, Last: today - age - 1})
	}
	for _, product := range []affiliate.Product{affiliate.Spot, affiliate.Futures} {
		commissions, subs := []affiliate.Days{recent}, []affiliate.Days(nil)
		if last.Hour() != now.Hour() {
			subs = append(subs, recent)
		}
		if midnight {
			commissions, subs = append(commissions, aged...), append(subs, aged...)
		}
		want[commissionCalls] += pages(commissions, truth.Commissions, func(c affiliate.Commission) (affiliate.Day, bool) {
			return affiliate.DayOf(c.DealTime.Time(), time.UTC), c.Product == product
		})
		want[subAffiliateCalls] += pages(subs, truth.SubAffiliateDays, func(d affiliate.SubAffiliateDay) (affiliate.Day, bool) {
			return d.Date, d.Product == product
		})
	}
	money := []affiliate.Days{{First: today, Last: today}}
	if last.Hour() != now.Hour() {
		money[0] = recent
	}
	if midnight {
		money = append(money, aged...)
	}
	for path, wallet := range map[string]affiliate.Wallet{spotBillCalls: affiliate.SpotWallet, fundingBillCalls: affiliate.FundingWallet} {
		want[path] += pages(money, truth.Bills, func(b affiliate.Bill) (affiliate.Day, bool) {
			return affiliate.DayOf(b.Created.Time(), time.UTC), b.Wallet == wallet
		})
	}
	want[transferCalls] += pages(money, truth.Transfers, func(v affiliate.Transfer) (affiliate.Day, bool) {
		return affiliate.DayOf(v.Time.Time(), time.UTC), true
	})
	invitees := []affiliate.Days{recent}
	if midnight {
		for last := today - 4; last >= today-120; last -= 88 { // a window of 4.18 is at most 90 days
			invitees = append(invitees, affiliate.Days{First: max(last-87, today-120), Last: last})
		}
	}
	want[inviteeCalls] += pages(invitees, truth.Invitees, func(i affiliate.Invitee) (affiliate.Day, bool) {
		return affiliate.DayOf(i.RegisterTime.Time(), time.UTC), true
	})
}

// pages returns how many pages the windows with records have. A full last page does not
// show that it is the last.
func pages[T any](windows []affiliate.Days, records []T, of func(T) (affiliate.Day, bool)) int {
	all := 0
	for _, w := range windows {
		n := 0
		for _, record := range records {
			if day, ours := of(record); ours && w.Contains(day) {
				n++
			}
		}
		all += n/100 + 1
	}
	return all
}
