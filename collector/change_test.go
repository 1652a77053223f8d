package collector_test

import (
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/store/storetest"
)

// recent is a record of the ledger that lies so far back, or nearly so.
func (d *fixture) recent(back time.Duration) affiliate.Commission {
	d.Helper()
	at := affiliate.MillisOf(d.clock.now().Add(-back))
	all := d.sim.Ledger().Commissions
	i := slices.IndexFunc(all, func(c affiliate.Commission) bool { return c.DealTime >= at })
	if i < 0 {
		d.Fatalf("no record is less than %s old", back)
	}
	return all[i]
}

// Records of the last days come late, change and vanish. The next run sees it,
// and what was known before stays readable.
func TestNextRunSeesWhatChangedLately(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 4, Days: 40, Invitees: 200, Records: sized(4000)})
	d.run(collector.RunRequest{})
	before, then := d.commissions(0), d.lastRun().Finished

	d.clock.advance(time.Hour)
	late := d.recent(70 * time.Hour)
	late.UID, late.Commission = "4242424242", "0.000000000001"
	d.sim.Insert(late)
	d.sim.Insert(late) // and its twin
	gone := d.recent(60 * time.Hour)
	if !d.sim.Remove(gone) {
		t.Fatal("nothing was removed")
	}
	revised := d.recent(20 * time.Hour)
	if n := d.sim.Revise(func(c affiliate.Commission) bool { return c == revised }, func(c *affiliate.Commission) { c.Fee = "77.5" }); n != 1 {
		t.Fatalf("%d records were revised, want 1", n)
	}

	report := d.run(collector.RunRequest{})
	if report.Opened != 3 || report.Closed != 2 {
		t.Errorf("opened %d and closed %d, want 3 and 2", report.Opened, report.Closed)
	}
	d.holdsTheTruth()
	equal(t, "state of before", d.commissions(then), before)
}

// A settled day is left alone until a user requests it.
func TestSinceReadsOldDaysAgain(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 4, Days: 120, Invitees: 200, Records: sized(3000)})
	d.run(collector.RunRequest{})
	old := d.recent(100 * day)
	if !d.sim.Remove(old) {
		t.Fatal("nothing was removed")
	}
	if report := d.run(collector.RunRequest{}); report.Closed != 0 {
		t.Errorf("an ordinary run closed %d rows of a settled day", report.Closed)
	}
	oldDay := affiliate.DayOf(old.DealTime.Time(), time.UTC)
	if report := d.run(collector.RunRequest{Since: oldDay + 1}); report.Closed != 0 {
		t.Errorf("a run since the day after closed %d rows", report.Closed)
	}
	if report := d.run(collector.RunRequest{Since: oldDay}); report.Closed != 1 || report.Opened != 0 {
		t.Errorf("a run since that day opened %d and closed %d, want 0 and 1", report.Opened, report.Closed)
	}
	d.holdsTheTruth()
}

// Since may reach further back than the history that is kept up.
func TestSinceBeforeTheHistory(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 4, Days: 60, Invitees: 200, Records: sized(1000)})
	d.history = 10 * day
	d.Collector = d.collector(d.store, d.client)
	d.run(collector.RunRequest{})
	if n := len(d.commissions(0)); n == 0 || n >= len(d.sim.Ledger().Commissions) {
		t.Fatalf("%d records of ten days", n)
	}
	d.history = 60 * day
	d.run(collector.RunRequest{Since: affiliate.DayOf(start, time.UTC) - 60})
	d.holdsTheTruth()
}

// KYC, deposits and trades of a user change long after the registration.
func TestOldInviteesAreReadAgainOnceADay(t *testing.T) {
	storetest.Engines(t, "statements about what is read", testOldInviteesAreReadAgainOnceADay)
}

func testOldInviteesAreReadAgainOnceADay(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 6, Days: 365, Invitees: 400, Records: sized(1000)})
	d.run(collector.RunRequest{})
	var old affiliate.Invitee
	for i := range d.invitees() {
		if i.RegisterTime < affiliate.MillisOf(start.Add(-200*day)) && i.KYC == "false" {
			old = i
		}
	}
	change := func(i *affiliate.Invitee) { i.KYC, i.LastTrade = "true", affiliate.MillisOf(start) }
	if !d.sim.ReviseInvitee(old.UID, change) {
		t.Fatalf("no invitee %q", old.UID)
	}
	d.clock.advance(13 * time.Hour) // 23:30
	d.run(collector.RunRequest{})
	if d.invitees()[old] != 1 {
		t.Error("an old registration was read twice on one day")
	}
	d.clock.advance(time.Hour)
	d.run(collector.RunRequest{})
	change(&old)
	if d.invitees()[old] != 1 {
		t.Errorf("the change of invitee %s was not seen on the next day", old.UID)
	}
}

// Days go by between two runs; the day that was read in its middle is read
// again, the days since for the first time.
func TestRunAfterAFewDays(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 8, Days: 30, Invitees: 200, Records: sized(2000)})
	d.run(collector.RunRequest{})
	sample := d.recent(2 * time.Hour)
	for range 6 {
		d.clock.advance(20 * time.Hour)
		sample.DealTime = affiliate.MillisOf(d.clock.now()) - 1
		d.sim.Insert(sample)
	}
	report := d.run(collector.RunRequest{Kinds: []affiliate.StreamKind{affiliate.Commissions}})
	if report.Opened != 6 || report.Closed != 0 {
		t.Errorf("opened %d and closed %d, want 6 and 0", report.Opened, report.Closed)
	}
	equal(t, "commissions", d.commissions(0), countOf(d.sim.Ledger().Commissions, affiliate.Commission.Key))
}

// A programme that continues to change is followed.
func TestLiveProgrammeIsFollowed(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 12, Days: 30, Invitees: 100, Records: 1500, Live: true})
	d.history = 60 * day
	d.Collector = d.collector(d.store, d.client)
	for range 6 {
		d.run(collector.RunRequest{})
		d.clock.advance(15*time.Hour + 7*time.Minute)
	}
	d.clock.advance(21 * time.Hour) // old registrations are due again
	d.run(collector.RunRequest{})
	d.holdsTheTruth()
	if n := len(d.sim.Ledger().Commissions); n <= 1500 {
		t.Errorf("the programme did not change at %d records", n)
	}
}
