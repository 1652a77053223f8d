package mail

import (
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
)

// read stores an empty reading of 2 September in one stream.
func (d *fixture) read(account affiliate.Account, stream affiliate.Stream) {
	d.Helper()
	slice := records.Slice{Account: account, Stream: stream, Days: daysOf(first+1, first+1), Started: d.now, Through: affiliate.MillisOf(d.now)}
	var err error
	switch stream.Kind {
	case affiliate.Commissions:
		_, err = records.ReplaceCommissions(d.Context(), d.store, slice, nil)
	case affiliate.Invitees:
		_, err = records.ReplaceInvitees(d.Context(), d.store, slice, nil)
	default:
		_, err = records.ReplaceSubAffiliateDays(d.Context(), d.store, slice, nil)
	}
	if err != nil {
		d.Fatal(err)
	}
}

// A period is closed by its collected data, stream by stream, and not by a started run:
// that may be in progress, have failed, or belong to another account.
func TestEveryStreamClosesThePeriod(t *testing.T) {
	d := collected(t, mailer.Server{Host: "127.0.0.1"})
	wallets := func(s affiliate.Stream) bool { return s.Kind.Money() } // no figure of a summary needs these
	streams := slices.DeleteFunc(affiliate.Streams(), wallets)
	whole := d.schedule(func(s *outbox.Subscription) { s.Sections = Sections() })
	narrow := d.schedule(func(s *outbox.Subscription) { s.Name, s.Sections = "Narrow", []string{SectionChart} })
	futures := d.schedule(func(s *outbox.Subscription) { s.Name, s.Product, s.Coin = "Futures", affiliate.Futures, "USDT" })
	d.now = tomorrow(0, 30)
	for _, stream := range streams {
		d.read("main", stream) // too early for records that are listed late
	}
	d.now = tomorrow(3, 0)
	if _, err := records.StartRun(t.Context(), d.store, "main", "test"); err != nil {
		t.Fatal(err) // a run that never ends
	}
	period := dispatch.Daily.Of(first + 1)
	closed := func(sc Schedule) bool {
		t.Helper()
		gate, err := d.gate(t.Context(), sc, period)
		if err != nil || gate.Closed != (len(gate.Missing) == 0) {
			t.Fatal(gate, err)
		}
		return gate.Closed
	}
	var read []affiliate.Stream
	for _, stream := range streams {
		has := func(kind affiliate.StreamKind, product affiliate.Product) bool {
			return slices.Contains(read, affiliate.Stream{Kind: kind, Product: product})
		}
		both := has(affiliate.Commissions, affiliate.Spot) && has(affiliate.Commissions, affiliate.Futures)
		if want := both; closed(narrow) != want {
			t.Errorf("after %v the narrow one is closed: %t", read, !want)
		}
		if want := has(affiliate.Commissions, affiliate.Futures); closed(futures) != want {
			t.Errorf("after %v the one of futures is closed: %t", read, !want)
		}
		if closed(whole) {
			t.Errorf("after %v all is closed", read)
		}
		d.read("main", stream)
		read = append(read, stream)
	}
	if !closed(whole) || !closed(narrow) || !closed(futures) {
		t.Error("after all streams something is open")
	}
	if err := d.store.WantFrom(t.Context(), "second", first-40); err != nil {
		t.Fatal(err)
	}
	if closed(whole) {
		t.Error("closed without the second account")
	}
}

// A day without registrations is read on the day itself, so invitees count as well.
func TestInviteesCloseThePeriod(t *testing.T) {
	d := collected(t, mailer.Server{Host: "127.0.0.1"})
	sc := d.schedule(func(s *outbox.Subscription) { s.Sections = []string{SectionChart} })
	d.now = tomorrow(3, 0)
	for _, stream := range affiliate.Streams() {
		if stream.Kind == affiliate.Commissions {
			d.read("main", stream)
		}
	}
	gate, err := d.gate(t.Context(), sc, dispatch.Daily.Of(first+1))
	if err != nil || gate.Closed || len(gate.Missing) != 1 || !strings.Contains(gate.Missing[0], "invitees of main, 2 Sep 2026") {
		t.Fatal(gate, err)
	}
}
