package mail

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// lateOn is a commission that the exchange lists late.
func lateOn(day affiliate.Day, commission affiliate.Number) affiliate.Commission {
	return affiliate.Commission{DealTime: affiliate.MillisOf(day.Start(time.UTC).Add(time.Hour)), UID: uid(1), Product: affiliate.Spot, Symbol: "BTCUSDT",
		Source: affiliate.Direct, Coin: "USDT", TakerAmount: "1", MakerAmount: "1", Fee: "1", Rate: "0.1", Commission: commission}
}

// sentDays returns a fixture that has sent the summaries of some days from 2 September.
func sentDays(t *testing.T, days int, change func(*outbox.Subscription)) *fixture {
	t.Helper()
	d := waitingFixture(t, change)
	for i := range days {
		d.now = tomorrow(8, 0).AddDate(0, 0, i)
		d.readAll()
		d.queueAll()
	}
	return d
}

// A restatement of many days is reported by one mail that lists each of them; it is
// reported once, and later changes are compared with that mail.
func TestMassRestatementIsOneMail(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements about messages and their deliveries", testMassRestatementIsOneMail)
}

func testMassRestatementIsOneMail(t *testing.T) {
	const days = 6
	d := sentDays(t, days, func(s *outbox.Subscription) { s.CorrectAbove, s.CorrectCoin = "5", "USDT" })
	if len(d.log()) != days {
		t.Fatalf("%d mails of %d days", len(d.log()), days)
	}
	var late []affiliate.Commission
	for i := range days {
		late = append(late, lateOn(first+1+affiliate.Day(i), affiliate.Number(fmt.Sprintf("%d.000000000000000001", 10+i))))
	}
	for range 3 { // it is reported once
		d.now = d.now.Add(2 * correctEvery)
		d.readAll(late...)
		d.queueAll()
	}
	log := d.log()
	if len(log) != days+1 || log[0].Kind != outbox.SummaryCorrected || log[0].Days != daysOf(first+1, first+days) {
		t.Fatalf("%d mails, the newest %+v", len(log), log[0])
	}
	m := d.stored(log[0].Message)
	if want := "[CORRECTED] Affiliate report – 6 days changed, 2 Sep 2026 – 7 Sep 2026 (UTC) – main"; m.Subject != want {
		t.Errorf("the subject is %q, want %q", m.Subject, want)
	}
	for i := range days {
		for _, words := range []string{(first + 1 + affiliate.Day(i)).Format("2 Jan 2006"), fmt.Sprintf("+%d.000000000000000001", 10+i)} {
			if !strings.Contains(m.Text, words) || !strings.Contains(m.HTML, words) {
				t.Errorf("it does not say %q", words)
			}
		}
	}
	if !strings.Contains(m.Text, "+75.000000000000000006") { // 10 + 11 + … + 15
		t.Errorf("it does not add up:\n%s", m.Text)
	}
	// Fewer changes are reported by separate mails, compared with the digest.
	late[2].Commission = "100"
	d.now = d.now.Add(2 * correctEvery)
	d.readAll(late...)
	d.queueAll()
	if log = d.log(); len(log) != days+2 || log[0].Days != daysOf(first+3, first+3) {
		t.Fatalf("%d mails, the newest %+v", len(log), log[0])
	}
	if text := d.stored(log[0].Message).Text; !strings.Contains(text, ": +87.999999999999999999 USDT.") {
		t.Errorf("it says\n%s", text)
	}
	// Another change of the same days is another mail.
	d.now = d.now.Add(2 * correctEvery)
	d.readAll()
	d.queueAll()
	if log = d.log(); len(log) != days+3 || log[0].Days != daysOf(first+1, first+days) {
		t.Fatalf("%d mails, the newest %+v", len(log), log[0])
	}
	ids := map[string]bool{}
	for _, one := range log {
		ids[one.HeaderID] = true
	}
	if len(ids) != len(log) {
		t.Errorf("%d Message-IDs for %d mails", len(ids), len(log))
	}
}

// A period that was skipped as too small is sent once it has grown, and only once.
func TestSkippedPeriodCatchesUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*outbox.Subscription)
		late   affiliate.Number
		after  time.Duration
		want   int
	}{
		{"grown", func(s *outbox.Subscription) { s.SkipBelow, s.SkipCoin = "1000", "USDT" }, "2000", time.Hour, 1},
		{"not by enough", func(s *outbox.Subscription) { s.SkipBelow, s.SkipCoin = "1000", "USDT" }, "1", time.Hour, 0},
		{"too long after", func(s *outbox.Subscription) { s.SkipBelow, s.SkipCoin = "1000", "USDT" }, "2000", (correctFor + 2) * 24 * time.Hour, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := sentDays(t, 1, c.change)
			if len(d.log()) != 0 {
				t.Fatal("it was not skipped")
			}
			if c.want == 0 && c.after > time.Hour { // nothing else is due then
				if err := d.pause(outbox.KindSchedule, "morning", true); err != nil {
					t.Fatal(err)
				}
				d.now = d.now.Add(c.after)
				if err := d.pause(outbox.KindSchedule, "morning", false); err != nil {
					t.Fatal(err)
				}
			}
			for range 3 {
				d.now = d.now.Add(2 * correctEvery)
				d.readAll(lateOn(first+1, c.late))
				d.queueAll()
			}
			log := d.log()
			if len(log) != c.want {
				t.Fatalf("%d mails: %+v", len(log), log)
			}
			if c.want == 0 {
				return
			}
			m := d.stored(log[0].Message)
			if m.Subject != "Affiliate report – 2 Sep 2026 (UTC) – main" || !strings.Contains(oneLine(m.Text), "since there was too little to tell") {
				t.Errorf("%q says\n%s", m.Subject, m.Text)
			}
		})
	}
	// A relaxed rule sends nothing of the past.
	d := sentDays(t, 1, func(s *outbox.Subscription) { s.SkipBelow, s.SkipCoin = "1000", "USDT" })
	raw := d.named("morning").Subscription
	raw.SkipBelow, raw.SkipCoin = "", ""
	if err := d.Save(t.Context(), raw, someone); err != nil {
		t.Fatal(err)
	}
	d.now = d.now.Add(2 * correctEvery)
	d.readAll()
	if d.queueAll(); len(d.log()) != 0 {
		t.Errorf("sent: %+v", d.log())
	}
}
