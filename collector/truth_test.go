package collector_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/store/records"
	"rebatedesk/store/upkeep"
)

// streamDay is one day of a stream.
type streamDay struct {
	stream affiliate.Stream
	day    affiliate.Day
}

type truthOfDays struct {
	commissions map[streamDay]count[affiliate.Commission]
	subs        map[streamDay]count[affiliate.SubAffiliateDay]
	invitees    map[streamDay]count[affiliate.Invitee]
	bills       map[streamDay]count[affiliate.Bill]
	transfers   map[streamDay]count[affiliate.Transfer]
}

func add[T comparable](to map[streamDay]count[T], stream affiliate.Stream, day affiliate.Day, record T, n int) {
	at := streamDay{stream, day}
	if to[at] == nil {
		to[at] = count[T]{}
	}
	to[at][record] += n
}

func newTruth() truthOfDays {
	return truthOfDays{map[streamDay]count[affiliate.Commission]{}, map[streamDay]count[affiliate.SubAffiliateDay]{}, map[streamDay]count[affiliate.Invitee]{},
		map[streamDay]count[affiliate.Bill]{}, map[streamDay]count[affiliate.Transfer]{}}
}

func (t truthOfDays) addCommission(c affiliate.Commission, n int) {
	add(t.commissions, affiliate.Stream{Kind: affiliate.Commissions, Product: c.Product}, affiliate.DayOf(c.DealTime.Time(), time.UTC), c, n)
}

func (t truthOfDays) addSubAffiliateDay(s affiliate.SubAffiliateDay, n int) {
	add(t.subs, affiliate.Stream{Kind: affiliate.SubAffiliates, Product: s.Product}, s.Date, s, n)
}

func (t truthOfDays) addInvitee(i affiliate.Invitee, n int) {
	add(t.invitees, affiliate.Stream{Kind: affiliate.Invitees}, affiliate.DayOf(i.RegisterTime.Time(), time.UTC), i, n)
}

func (t truthOfDays) addBill(b affiliate.Bill, n int) {
	add(t.bills, affiliate.Stream{Kind: kindOf(b.Wallet)}, affiliate.DayOf(b.Created.Time(), time.UTC), b, n)
}

func (t truthOfDays) addTransfer(v affiliate.Transfer, n int) {
	add(t.transfers, affiliate.Stream{Kind: affiliate.Transfers}, affiliate.DayOf(v.Time.Time(), time.UTC), v, n)
}

// truthByDay returns the truth before an instant.
func truthByDay(l simulator.Ledger, now affiliate.Millis) truthOfDays {
	t := newTruth()
	for _, c := range l.Commissions {
		t.addCommission(c.Key(), 1)
	}
	for _, s := range l.SubAffiliateDays {
		t.addSubAffiliateDay(s.Key(), 1)
	}
	for _, i := range l.Invitees {
		t.addInvitee(i, 1)
	}
	for _, b := range l.Bills {
		if b.Created < now {
			t.addBill(b.Key(), 1)
		}
	}
	for _, v := range l.Transfers {
		if v.Time < now {
			t.addTransfer(v.Key(), 1)
		}
	}
	return t
}

// chronicle is the truth as it was, state by state.
type chronicle []truthSince

type truthSince struct {
	since affiliate.Millis
	truthOfDays
}

// at returns the truth of an instant. Nothing is known from before the first state.
func (c chronicle) at(instant affiliate.Millis) truthOfDays {
	for i := len(c) - 1; i > 0; i-- {
		if c[i].since <= instant {
			return c[i].truthOfDays
		}
	}
	return c[0].truthOfDays
}

// stored is what the database holds, by days.
func (d *fixture) stored() truthOfDays {
	d.Helper()
	t := newTruth()
	for c, n := range d.commissions(0) {
		t.addCommission(c, n)
	}
	for s, n := range d.subAffiliateDays() {
		t.addSubAffiliateDay(s, n)
	}
	for i, n := range d.invitees() {
		t.addInvitee(i, n)
	}
	for b, n := range d.bills(0) {
		t.addBill(b, n)
	}
	for v, n := range d.transfers() {
		t.addTransfer(v, n)
	}
	return t
}

// isWhole compares the stored data with the truth: a covered day holds exactly the records
// that it had when it was last read, and any other day holds none.
func (d *fixture) isWhole(truth chronicle) {
	d.Helper()
	stored := d.stored()
	read := map[streamDay]truthOfDays{}
	for _, c := range d.coverage() {
		if c.Through.Known() {
			read[streamDay{c.Stream, c.Day}] = truth.at(c.LastRead)
		}
	}
	compareDays(d, read, stored, func(t truthOfDays) map[streamDay]count[affiliate.Commission] { return t.commissions })
	compareDays(d, read, stored, func(t truthOfDays) map[streamDay]count[affiliate.SubAffiliateDay] { return t.subs })
	compareDays(d, read, stored, func(t truthOfDays) map[streamDay]count[affiliate.Invitee] { return t.invitees })
	compareDays(d, read, stored, func(t truthOfDays) map[streamDay]count[affiliate.Bill] { return t.bills })
	compareDays(d, read, stored, func(t truthOfDays) map[streamDay]count[affiliate.Transfer] { return t.transfers })
}

func compareDays[T comparable](t testing.TB, read map[streamDay]truthOfDays, stored truthOfDays, of func(truthOfDays) map[streamDay]count[T]) {
	t.Helper()
	for at, records := range of(stored) {
		if _, covered := read[at]; !covered {
			t.Errorf("%s %s is not covered and has %d records", at.stream, at.day, len(records))
		}
	}
	for at, truth := range read {
		equal(t, fmt.Sprintf("%s %s", at.stream, at.day), of(stored)[at], of(truth)[at])
	}
}

// verifies runs every check of the store over the database.
func (d *fixture) verifies() {
	d.Helper()
	for finding, err := range upkeep.Verify(context.Background(), d.store) {
		if err != nil {
			d.Fatal(err)
		}
		if !finding.Sound() {
			d.Errorf("%s: %q and %d more", finding.Check, finding.Faults, finding.More)
		}
	}
}

// logAddsUp compares the log of the runs with the rows: each run counts the
// slices that were committed and no other.
func (d *fixture) logAddsUp() {
	d.Helper()
	r := d.reader()
	defer r.Close()
	runs, _, err := records.Runs(context.Background(), r, "", 1_000_000, 0)
	if err != nil {
		d.Fatal(err)
	}
	logged, rows := 0, 0
	for _, run := range runs {
		logged += int(run.Opened - run.Closed)
	}
	for _, n := range d.commissions(0) {
		rows += n
	}
	for _, n := range d.subAffiliateDays() {
		rows += n
	}
	for _, n := range d.bills(0) {
		rows += n
	}
	for _, n := range d.transfers() {
		rows += n
	}
	if rows += len(d.invitees()); logged != rows {
		d.Errorf("the runs opened %d rows more than they closed, %d are there", logged, rows)
	}
}
