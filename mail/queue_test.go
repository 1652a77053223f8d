package mail

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// waitingFixture has a daily schedule whose next period, 2 September, is not due yet, and
// no data of it.
func waitingFixture(t *testing.T, change func(*outbox.Subscription)) *fixture {
	t.Helper()
	d := collected(t, mailer.Server{Host: "127.0.0.1"})
	d.schedule(change)
	return d
}

// tomorrow returns 3 September at a time of the day.
func tomorrow(hour, minute int) time.Time {
	return time.Date(2026, time.September, 3, hour, minute, 0, 0, time.UTC)
}

// readAll collects everything up to now, with the records of 2 September.
func (d *fixture) readAll(more ...affiliate.Commission) {
	days := daysOf(first-40, affiliate.DayOf(d.now, time.UTC))
	d.collect(days, append(programme(daysOf(days.First, first+1)), more...)...)
}

func (d *fixture) kinds() (kinds []outbox.SummaryKind) {
	for _, one := range d.log() {
		kinds = append(kinds, one.Kind)
	}
	return kinds
}

func TestASummaryWaitsForItsPeriod(t *testing.T) {
	d := waitingFixture(t, nil)
	d.now = tomorrow(0, 30)
	d.readAll()
	d.now = tomorrow(6, 59)
	if d.queueAll(); len(d.log()) != 0 {
		t.Fatal("it was sent before its hour")
	}
	d.now = tomorrow(7, 0)
	if d.queueAll(); len(d.log()) != 0 {
		t.Fatal("it was sent though the last hour may lack records")
	}
	d.now = tomorrow(7, 10)
	d.readAll()
	d.queueAll()
	log := d.log()
	if len(log) != 1 || log[0].Kind != outbox.SummaryWhole || log[0].Days != daysOf(first+1, first+1) || log[0].Subject != "Affiliate report – 2 Sep 2026 (UTC) – main" {
		t.Fatalf("queued: %+v", log)
	}
	d.now = tomorrow(6, 0) // the clock was set back
	d.queueAll()
	d.now = tomorrow(23, 0)
	if d.queueAll(); len(d.log()) != 1 {
		t.Errorf("queued again: %+v", d.log())
	}
}

// At the deadline the summary is sent and states what is missing. Later data is
// reported in a correction, once.
func TestPartialThenCorrected(t *testing.T) {
	d := waitingFixture(t, func(s *outbox.Subscription) { s.CorrectAbove, s.CorrectCoin = "5", "USDT" })
	d.now = tomorrow(18, 59)
	if d.queueAll(); len(d.log()) != 0 {
		t.Fatal("it was sent before its deadline")
	}
	d.now = tomorrow(19, 0)
	d.queueAll()
	log := d.log()
	if len(log) != 1 || log[0].Kind != outbox.SummaryPartial || !strings.HasPrefix(log[0].Subject, "[PARTIAL] Affiliate report – 2 Sep 2026") {
		t.Fatalf("queued: %+v", log)
	}
	if text := d.stored(log[0].Message).Text; !strings.Contains(text, "\nMissing:\n- Spot commissions of main, 2 Sep 2026") || !strings.Contains(text, "Not complete") {
		t.Errorf("it says\n%s", text)
	}
	d.now = tomorrow(21, 0)
	d.readAll()
	d.queueAll()
	d.now = d.now.Add(2 * correctEvery)
	d.queueAll()
	log = d.log()
	if !slices.Equal(d.kinds(), []outbox.SummaryKind{outbox.SummaryCorrected, outbox.SummaryPartial}) || !strings.HasPrefix(log[0].Subject, "[CORRECTED] ") || log[0].HeaderID == log[1].HeaderID {
		t.Fatalf("queued: %+v", log)
	}
	if text := oneLine(d.stored(log[0].Message).Text); !strings.Contains(text, "Corrected: commission is ") || !strings.Contains(text, " USDT, and was not known on 3 Sep 2026 19:00 UTC.") {
		t.Errorf("it says\n%s", text)
	}
}

// A complete summary is corrected if its total changed by more than the limit, at each
// such change.
func TestCorrections(t *testing.T) { storetest.Engines(t, "states of the past", testCorrections) }

func testCorrections(t *testing.T) {
	d := waitingFixture(t, func(s *outbox.Subscription) { s.CorrectAbove, s.CorrectCoin = "5", "USDT" })
	late := func(commission affiliate.Number) affiliate.Commission {
		return affiliate.Commission{DealTime: affiliate.MillisOf((first + 1).Start(time.UTC).Add(time.Hour)), UID: uid(1), Product: affiliate.Spot, Symbol: "BTCUSDT",
			Source: affiliate.Direct, Coin: "USDT", TakerAmount: "1", MakerAmount: "1", Fee: "1", Rate: "0.1", Commission: commission}
	}
	d.now = tomorrow(8, 0)
	d.readAll()
	d.queueAll()
	for _, step := range []struct {
		more affiliate.Number
		want int
	}{{"5", 1}, {"5.000000000000000001", 2}, {"5.000000000000000001", 2}, {"10", 2}, {"10.1", 3}, {"0", 4}} {
		d.now = d.now.Add(2 * correctEvery)
		d.readAll(late(step.more))
		if d.queueAll(); len(d.log()) != step.want {
			t.Fatalf("with %s more: %v, want %d", step.more, d.kinds(), step.want)
		}
	}
	if text := d.stored(d.log()[0].Message).Text; !strings.Contains(text, ": -10.1 USDT.") {
		t.Errorf("the newest says\n%s", text)
	}
}

// After thirty hours of downtime the newest period is sent, and names the ones that
// were not sent.
func TestDowntime(t *testing.T) {
	d := waitingFixture(t, nil)
	d.now = tomorrow(8, 0).Add(48 * time.Hour)
	d.readAll()
	d.queueAll()
	log := d.log()
	if len(log) != 1 || log[0].Days != daysOf(first+3, first+3) {
		t.Fatalf("queued: %+v", log)
	}
	if text := d.stored(log[0].Message).Text; !strings.Contains(text, "No summary was sent of: 3 Sep 2026 (UTC); 2 Sep 2026 (UTC).") {
		t.Errorf("it says\n%s", text)
	}
	if through := d.named("morning").Through; through != first+3 {
		t.Errorf("the schedule is through %s", through)
	}
}

func TestSkips(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*outbox.Subscription)
		want   int
	}{
		{"something", func(s *outbox.Subscription) { s.SkipEmpty = true }, 1},
		{"nothing in the coin", func(s *outbox.Subscription) { s.Coin, s.SkipEmpty = "DOGE", true }, 0},
		{"nothing, and sent all the same", func(s *outbox.Subscription) { s.Coin = "DOGE" }, 1},
		{"below", func(s *outbox.Subscription) { s.SkipBelow, s.SkipCoin = "1000", "USDT" }, 0},
		{"above", func(s *outbox.Subscription) { s.SkipBelow, s.SkipCoin = "1", "USDT" }, 1},
		{"below in a coin that brought nothing", func(s *outbox.Subscription) { s.SkipBelow, s.SkipCoin = "0.1", "DOGE" }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := waitingFixture(t, c.change)
			d.now = tomorrow(8, 0)
			d.readAll()
			d.queueAll()
			if got, through := len(d.log()), d.named("morning").Through; got != c.want || through != first+1 {
				t.Errorf("%d queued, through %s", got, through)
			}
		})
	}
}

// Recipients who unsubscribed get no more mails, the others do. While paused, no
// recipient does.
func TestRecipientsWhoStop(t *testing.T) {
	d := waitingFixture(t, func(s *outbox.Subscription) {
		s.Recipients = append(s.Recipients, outbox.Recipient{Address: "cfo@example.com"})
	})
	if err := d.Stop(t.Context(), stopToken(d.key, firstSchedule, "CFO@example.com"), someone); err != nil {
		t.Fatal(err)
	}
	if err := d.Stop(t.Context(), stopToken([]byte("forged"), firstSchedule, "boss@example.com"), someone); err == nil {
		t.Error("a forged link stopped the mails")
	}
	d.now = tomorrow(8, 0)
	d.readAll()
	d.queueAll()
	if log := d.log(); len(log) != 1 || log[0].Recipient != "boss@example.com" {
		t.Errorf("queued: %+v", log)
	}
	if err := d.pause(outbox.KindSchedule, "MORNING", true); err != nil {
		t.Fatal(err)
	}
	d.now = d.now.Add(72 * time.Hour)
	d.readAll()
	if d.queueAll(); len(d.log()) != 1 {
		t.Error("queued while paused")
	}
	if err := d.pause(outbox.KindSchedule, "morning", false); err != nil {
		t.Fatal(err)
	}
	if d.queueAll(); len(d.log()) != 1 {
		t.Error("what was due during the pause was queued after it")
	}
}

func TestSendNow(t *testing.T) {
	o := newMailServer(t)
	d := collected(t, o.Server)
	sc := planned(t, nil)
	send := func(p dispatch.Period, options SendOptions, to ...string) error {
		return d.sendNow(sc, p, to, options)
	}
	if err := send(dispatch.Daily.Of(first), SendOptions{}, "a@example.com", "A@example.com"); err != nil {
		t.Fatal(err)
	}
	if got := o.copies("a@example.com"); len(got) != 1 {
		t.Fatalf("%d copies", len(got))
	}
	if sent, ok := errors.AsType[*SentError](send(dispatch.Daily.Of(first), SendOptions{}, "A@example.com")); !ok || sent.State != outbox.Sent {
		t.Errorf("again: %v", sent)
	}
	if err := send(dispatch.Daily.Of(first), SendOptions{Again: true}, "a@example.com"); err != nil {
		t.Error(err)
	}
	if got := o.copies("a@example.com"); len(got) != 2 || got[0].id == got[1].id {
		t.Errorf("sent again: %v", got)
	}
	if _, ok := errors.AsType[*IncompleteError](send(dispatch.Daily.Of(first+1), SendOptions{}, "a@example.com")); !ok {
		t.Error("an incomplete period was sent")
	}
	if err := send(dispatch.Daily.Of(first+1), SendOptions{Partial: true}, "a@example.com"); err != nil {
		t.Error(err)
	}
	header, _ := parse(t, o.copies("a@example.com")[2].content)
	if !strings.Contains(header.Get("Subject"), "PARTIAL") {
		t.Errorf("its subject is %q", header.Get("Subject"))
	}
	// A failed recipient is reported at once, the others get theirs, and nothing is
	// sent later.
	err := send(dispatch.Daily.Of(first-1), SendOptions{}, "nobody@example.com", "b@example.com")
	if err == nil || !strings.Contains(err.Error(), "nobody@example.com: RCPT TO: 550") || len(o.copies("b@example.com")) != 1 {
		t.Errorf("with a bad recipient: %v", err)
	}
	o.breaks(&fault{stage: mailer.StageRcpt, code: 451})
	if err := send(dispatch.Daily.Of(first-2), SendOptions{}, "b@example.com"); err == nil {
		t.Error("a failure was not told")
	}
	o.breaks(nil)
	d.now = d.now.Add(time.Hour)
	if d.drain(); len(o.copies("b@example.com")) != 1 {
		t.Error("what was told to have failed was sent later")
	}
	if err := send(dispatch.Daily.Of(first-2), SendOptions{}, "b@example.com"); err != nil {
		t.Errorf("after the failure: %v", err)
	}
	if err := collected(t, mailer.Server{}).sendNow(sc, dispatch.Daily.Of(first), []string{"a@example.com"}, SendOptions{}); !errors.Is(err, ErrNoServer) {
		t.Errorf("without a server: %v", err)
	}
}

// The complete flow: due messages are sent automatically while the service runs.
func TestRun(t *testing.T) {
	o := newMailServer(t)
	d := collected(t, o.Server)
	d.schedule(nil)
	d.now = tomorrow(8, 0)
	d.readAll()
	done := make(chan struct{})
	ctx, stop := contextOf(t)
	go func() { d.Run(ctx); close(done) }()
	soon(t, "the log says that the summary was sent", func() bool { log := d.log(); return len(log) == 1 && log[0].State == outbox.Sent })
	stop()
	<-done
	if log := d.log(); len(log) != 1 || !strings.HasPrefix(log[0].Answer, "250 ") || len(o.copies("boss@example.com")) != 1 {
		t.Errorf("%d copies, the log: %+v", len(o.copies("boss@example.com")), log)
	}
}

func TestSchedulesOfUnknownAccounts(t *testing.T) {
	d := collected(t, mailer.Server{})
	raw := planned(t, func(s *outbox.Subscription) { s.Account = "nobody" }).Subscription
	err := d.Save(t.Context(), raw, someone)
	if _, ok := errors.AsType[*store.RuleError](err); !ok || !strings.Contains(err.Error(), "there is no such account") {
		t.Errorf("saved: %v", err)
	}
}
