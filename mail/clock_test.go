package mail

import (
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/store/outbox"
)

// A clock that ran ahead for a moment costs one wrong mail, and does not silence the
// schedule until its time. What was reported too early is reported only once.
func TestClockThatRanAhead(t *testing.T) {
	for _, ahead := range []int{3, 400} {
		d := waitingFixture(t, nil)
		d.now = tomorrow(19, 0).AddDate(0, 0, ahead)
		d.queueAll()
		if kinds := d.kinds(); !slices.Equal(kinds, []outbox.SummaryKind{outbox.SummaryPartial}) {
			t.Fatalf("ahead by %d days: %v", ahead, kinds)
		}
		var days []affiliate.Day
		for day := range 6 {
			d.now = tomorrow(8, 0).AddDate(0, 0, day)
			for range 2 { // the first pass sets it back
				d.queueAll()
				d.now = d.now.Add(12 * time.Hour) // none of it is collected: they go out at the deadline
			}
			d.queueAll()
		}
		for _, one := range d.log() {
			if one.Days.First < first+1+affiliate.Day(ahead) || ahead < 10 {
				days = append(days, one.Days.First)
			}
		}
		slices.Sort(days)
		want := []affiliate.Day{first + 1, first + 2, first + 3, first + 4, first + 5, first + 6}
		if !slices.Equal(days, want) {
			t.Errorf("ahead by %d days: told of %v, want %v", ahead, days, want)
		}
	}
}

// A schedule whose hour is moved later is not mistaken for a clock that ran ahead.
func TestScheduleWithALaterHour(t *testing.T) {
	d := waitingFixture(t, nil)
	d.now = tomorrow(8, 0)
	d.readAll()
	d.queueAll()
	raw := d.named("Morning").Subscription
	raw.Hour = 18
	if err := d.Save(t.Context(), raw, someone); err != nil {
		t.Fatal(err)
	}
	d.queueAll()
	d.now = tomorrow(23, 0)
	if d.queueAll(); len(d.log()) != 1 || d.named("Morning").Through != first+1 {
		t.Errorf("queued: %v, through %v", d.kinds(), d.named("Morning").Through)
	}
}

// A schedule with a changed query has nothing to correct in its earlier summaries, and
// corrects only later ones.
func TestChangedScheduleCorrectsNothing(t *testing.T) {
	d := waitingFixture(t, func(s *outbox.Subscription) { s.CorrectAbove, s.CorrectCoin = "5", "USDT" })
	for day := range 3 {
		d.now = tomorrow(8, 0).AddDate(0, 0, day)
		d.readAll()
		d.queueAll()
	}
	if len(d.log()) != 3 {
		t.Fatalf("queued: %v", d.kinds())
	}
	raw := d.named("Morning").Subscription
	raw.Product = affiliate.Futures
	if err := d.Save(t.Context(), raw, someone); err != nil {
		t.Fatal(err)
	}
	d.now = d.now.Add(2 * correctEvery)
	if d.queueAll(); len(d.log()) != 3 {
		t.Fatalf("after the change: %v", d.kinds())
	}
	d.now = tomorrow(8, 0).AddDate(0, 0, 3)
	d.readAll()
	d.queueAll()
	late := affiliate.Commission{DealTime: affiliate.MillisOf((first + 4).Start(time.UTC).Add(time.Hour)), UID: uid(0), Product: affiliate.Futures, Symbol: "BTCUSDT",
		Source: affiliate.Direct, Coin: "USDT", TakerAmount: "1", MakerAmount: "1", Fee: "1", Rate: "0.1", Commission: "100"}
	d.now = d.now.Add(2 * correctEvery)
	d.readAll(late)
	d.queueAll()
	if kinds := d.kinds(); len(kinds) != 5 || kinds[0] != outbox.SummaryCorrected || d.log()[0].Days.First != first+4 {
		t.Errorf("what was told after the change: %v of %v", kinds, d.log()[0].Days)
	}
}

// A schedule with changed periods begins with the next one of them: earlier ones are
// never sent.
func TestScheduleWithOtherPeriods(t *testing.T) {
	for _, every := range []dispatch.Every{dispatch.Weekly, dispatch.Monthly} {
		d := waitingFixture(t, nil)
		d.now = tomorrow(8, 0)
		d.readAll()
		d.queueAll()
		raw := d.named("Morning").Subscription
		raw.Every = string(every)
		if err := d.Save(t.Context(), raw, someone); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			d.queueAll()
			d.now = d.now.Add(24 * time.Hour)
		}
		if len(d.log()) != 1 {
			t.Errorf("made %s it sent %v", every, d.kinds())
		}
	}
}
