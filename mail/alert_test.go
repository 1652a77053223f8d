package mail

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// watching stores an alert for the boss.
func (d *fixture) watching(watches string, change func(*outbox.Subscription)) Alert {
	d.Helper()
	raw := outbox.Subscription{Ref: outbox.Ref{Kind: outbox.KindAlert}, Name: "On " + watches, Watches: watches, Hours: 3, Percent: 50, Amount: "100", Coin: "USDT", Zone: "UTC",
		Recipients: []outbox.Recipient{{Address: "boss@example.com"}}}
	if change != nil {
		change(&raw)
	}
	if err := d.Save(d.Context(), raw, someone); err != nil {
		d.Fatal(err)
	}
	return d.alertOf(raw.Name)
}

func (d *fixture) alertOf(name string) Alert {
	d.Helper()
	list, err := d.Subscriptions(d.Context(), outbox.KindAlert)
	if err != nil {
		d.Fatal(err)
	}
	i := slices.IndexFunc(list, func(a outbox.Subscription) bool { return a.Name == name })
	if i < 0 {
		d.Fatalf("there is no alert %q", name)
	}
	a, err := ParseAlert(list[i])
	if err != nil {
		d.Fatal(err)
	}
	return a
}

// factsOf returns the facts that an alert knows.
func (d *fixture) factsOf(a Alert) ([]outbox.Fact, error) {
	return store.Reading(d.Context(), d.store, func(r *store.Tx) ([]outbox.Fact, error) { return outbox.Facts(d.Context(), r, a.ID) })
}

// look checks all alerts, whenever they were last checked.
func (d *fixture) look() {
	d.Helper()
	d.alerted = time.Time{}
	if err := d.lookAtAlerts(d.Context()); err != nil {
		d.Fatal(err)
	}
}

// after lets time pass and checks the alerts. It returns the subjects of all queued
// messages, oldest first.
func (d *fixture) after(wait time.Duration) (subjects []string) {
	d.Helper()
	d.now = d.now.Add(wait)
	d.look()
	for _, one := range slices.Backward(d.log()) {
		subjects = append(subjects, one.Subject)
	}
	return subjects
}

// run logs a run that ended now, a failed one if cause is not empty.
func (d *fixture) run(cause string) {
	d.Helper()
	id, err := records.StartRun(d.Context(), d.store, "main", "test")
	if err == nil {
		err = records.FinishRun(d.Context(), d.store, id, 1, 1, cause)
	}
	if err != nil {
		d.Fatal(err)
	}
}

// newest returns the text of the newest message.
func (d *fixture) newest() outbox.Summary {
	d.Helper()
	log := d.log()
	if len(log) == 0 {
		d.Fatal("nothing was queued")
	}
	return d.stored(log[0].Message)
}

func told(t testing.TB, when string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("%s:\n%q, want\n%q", when, got, want)
	}
}

const (
	failing = "Alert: collection is failing – all accounts (UTC)"
	again   = "Alert: collecting again – all accounts (UTC)"
)

// A failing collection is reported once, however long it fails and however often the
// program restarts, and so is its recovery.
func TestAlertOfCollection(t *testing.T) {
	storetest.Engines(t, "statements about findings", testAlertOfCollection)
}

func testAlertOfCollection(t *testing.T) {
	d := collected(t, mailer.Server{})
	d.watching("collection", nil)
	d.now = d.now.Add(time.Hour)
	d.run("")
	for range 11 {
		d.now = d.now.Add(15 * time.Minute)
		d.run("HTTP 502")
		told(t, "early", d.after(0))
	}
	told(t, "after three hours", d.after(16*time.Minute), failing)
	if text := unwrapped(d.newest().Text); !strings.Contains(text, "The collection of main has not gone well since 2 Sep 2026 09:00 UTC: HTTP 502") ||
		!strings.Contains(text, "https://desk.example.com/collection?account=main") {
		t.Errorf("it says\n%s", text)
	}
	for range 60 { // more than a list of runs has
		d.now = d.now.Add(15 * time.Minute)
		d.run("HTTP 502")
	}
	d.alerted = time.Time{}
	told(t, "later", d.after(0), failing)
	told(t, "with the clock set back", d.after(-48*time.Hour), failing)
	d.now = d.now.Add(49 * time.Hour)
	d.run("")
	told(t, "after its end", d.after(0), failing, again)
	told(t, "later still", d.after(time.Hour), failing, again)
	told(t, "failing anew", d.after(3*time.Hour+time.Minute), failing, again, failing)
}

// A run without failures so far counts as successful, however long it takes.
func TestAlertOfLongRun(t *testing.T) {
	d := collected(t, mailer.Server{})
	d.watching("collection", nil)
	run, err := records.StartRun(t.Context(), d.store, "main", "test")
	if err != nil {
		t.Fatal(err)
	}
	slice := records.Slice{Run: run, Account: "main", Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}, Days: daysOf(first, first), Through: affiliate.MillisOf(d.now)}
	for range 6 {
		d.now = d.now.Add(time.Hour)
		slice.Started = d.now
		if _, err := records.ReplaceCommissions(t.Context(), d.store, slice, nil); err != nil {
			t.Fatal(err)
		}
		told(t, "while it reads", d.after(0))
	}
	told(t, "while it hangs", d.after(3*time.Hour+time.Minute), failing)
}

// A day is reported once it has been missing for long enough, and not if it is
// collected before that.
func TestAlertOfGap(t *testing.T) {
	d := collected(t, mailer.Server{})
	d.watching("gap", func(a *outbox.Subscription) { a.Hours = 6 })
	told(t, "with nothing missing", d.after(0))
	d.now = tomorrow(9, 0).Add(24 * time.Hour) // 4 September: of the 2nd 8 hours were read, of the 3rd nothing
	told(t, "seen first", d.after(0))
	told(t, "too short", d.after(5*time.Hour))
	d.collect(daysOf(first+1, first+1))
	told(t, "one of them collected", d.after(0))
	told(t, "the other is missing for six hours", d.after(time.Hour), "Alert: 1 day not collected – all accounts (UTC)")
	if text := unwrapped(d.newest().Text); !strings.Contains(text, "\n- main, 3 Sep 2026 (UTC): Spot commissions, Futures commissions, invitees, Spot sub-affiliates, Futures sub-affiliates not collected\n") || strings.Contains(text, "2 Sep 2026 (UTC)") {
		t.Errorf("it says\n%s", text)
	}
	d.collect(daysOf(first+2, first+3))
	told(t, "after its end", d.after(time.Hour), "Alert: 1 day not collected – all accounts (UTC)")
	if known, err := d.factsOf(d.alertOf("On gap")); err != nil || len(known) != 1 {
		t.Errorf("what was over is still kept: %v, %v", known, err)
	}
}

// steady returns a fixture whose invitee brings 10 USDT and 1 BTC on each day of ten weeks
// up to yesterday, all of it collected.
func steady(t testing.TB, server mailer.Server) *fixture {
	t.Helper()
	d := newFixture(t, server)
	days := daysOf(first-70, first+1)
	if err := d.store.WantFrom(t.Context(), "main", days.First); err != nil {
		t.Fatal(err)
	}
	var records []affiliate.Commission
	for day := days.First; day <= first; day++ {
		records = append(records, brings(day, "10", "USDT"), brings(day, "1", "BTC"))
	}
	d.collect(days, records...)
	return d
}

func brings(day affiliate.Day, commission affiliate.Number, coin affiliate.Coin) affiliate.Commission {
	return affiliate.Commission{DealTime: affiliate.MillisOf(day.Start(time.UTC).Add(time.Hour)), UID: uid(1), Product: affiliate.Spot, Symbol: "BTCUSDT",
		Source: affiliate.Direct, Coin: coin, TakerAmount: "1", MakerAmount: "1", Fee: "1", Rate: "0.1", Commission: commission}
}

// A day with little commission is reported, but only once it is known completely:
// unknown is not little.
func TestAlertOfDrop(t *testing.T) {
	d := steady(t, mailer.Server{})
	d.watching("drop", func(a *outbox.Subscription) { a.Coin, a.Amount = "", "" })
	told(t, "days before the alert", d.after(0))
	d.now = tomorrow(0, 30) // the day is over, and its last hour may still come
	d.collect(daysOf(first+1, first+2), brings(first+1, "4.99", "USDT"), brings(first+1, "0.5", "BTC"))
	told(t, "too early", d.after(0))
	told(t, "hours later, and nothing read since", d.after(9*time.Hour))
	d.collect(daysOf(first+1, first+2), brings(first+1, "4.99", "USDT"), brings(first+1, "0.5", "BTC"))
	told(t, "read to the end", d.after(0), "Alert: a day with low commission – all accounts (UTC)")
	text := unwrapped(d.newest().Text)
	if !strings.Contains(text, "\n- Wed 2 Sep 2026 (UTC) brought 4.99 USDT: 49.9\u00a0% of the usual 10.00 USDT, the mean of 8 Wednesdays before\n") || strings.Contains(text, "BTC") {
		t.Errorf("it says\n%s", text)
	}
	told(t, "later", d.after(30*time.Hour), "Alert: a day with low commission – all accounts (UTC)")
}

// Changes of past days are reported together, each once.
func TestAlertOfRestatement(t *testing.T) {
	d := steady(t, mailer.Server{})
	d.watching("restatement", nil)
	restate := func(usdt affiliate.Number) []string {
		d.now = d.now.Add(15 * time.Minute)
		d.collect(daysOf(first-9, first-9), brings(first-9, usdt, "USDT"), brings(first-9, "900", "BTC"))
		return d.after(0)
	}
	const one = "Alert: figures of past days changed – all accounts (UTC)"
	told(t, "by 60", restate("70"))
	told(t, "by 40 more, which is no more than 100", restate("110"))
	told(t, "by 120 in all", restate("90"), one)
	text := unwrapped(d.newest().Text)
	if !strings.Contains(text, "- 3 records of 23 Aug 2026 (UTC) changed after the day had been collected, by +100.00 and -20.00 USDT, found 2 Sep 2026 08:45 UTC") {
		t.Errorf("it says\n%s", text)
	}
	told(t, "nothing more", restate("90"), one)
	told(t, "by 90", restate("0"), one)
	told(t, "by 100 more, a day later", func() []string { d.now = d.now.Add(24 * time.Hour); return restate("100") }(), one)
	told(t, "by 101 in a day", restate("99"), one, one)
}

// A change counts whatever the age of its day, and a summary reports the same as an
// alert.
func TestAlertOfOldRestatement(t *testing.T) {
	d := steady(t, mailer.Server{})
	old := first - 200
	d.collect(daysOf(old, old), brings(old, "300.000000000000000001", "USDT"))
	d.watching("restatement", nil)
	d.now = d.now.Add(time.Hour)
	d.collect(daysOf(old, old), brings(old, "0", "USDT"))
	d.now = d.now.Add(time.Hour)
	d.collect(daysOf(old, old), brings(old, "301", "USDT"))
	told(t, "of 200 days ago", d.after(0), "Alert: figures of past days changed – all accounts (UTC)")
	const words = "changed after the day had been collected, by +301.00 and -300.00 USDT"
	if text := unwrapped(d.newest().Text); !strings.Contains(text, words) {
		t.Errorf("the alert says\n%s", text)
	}
	view, err := d.reports.Attention(t.Context(), query.Query{Zone: time.UTC, Today: affiliate.DayOf(d.now, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(view.Findings, func(f findings.Finding) bool {
		return strings.Contains(findings.About{Zone: time.UTC}.Finding(f).String(), words)
	}) {
		t.Errorf("a summary does not say it: %+v", view.Findings)
	}
}

// A silent invitee is reported once, and again after it has traded again.
func TestAlertOfSilence(t *testing.T) {
	d := steady(t, mailer.Server{})
	d.watching("silence", nil)
	days := func(until affiliate.Day, traded ...affiliate.Day) []string {
		d.now = until.Start(time.UTC).Add(32 * time.Hour)
		var records []affiliate.Commission
		for _, day := range traded {
			records = append(records, brings(day, "10", "USDT"))
		}
		d.collect(daysOf(first+1, until+1), records...)
		return d.after(0)
	}
	told(t, "two days", days(first+2))
	const one = "Alert: 1 invitee stopped trading – all accounts (UTC)"
	told(t, "ten days", days(first+10), one)
	text := unwrapped(d.newest().Text)
	if !strings.Contains(text, "- Invitee 4667776801 of main stopped trading: the last trade was 1 Sep 2026, 11 days ago, the usual gap is 1 day; it used to bring 300.00 USDT in 30 days") ||
		!strings.Contains(text, "https://desk.example.com/invitees/4667776801?account=main") {
		t.Errorf("it says\n%s", text)
	}
	told(t, "eleven", days(first+11), one)
	told(t, "it trades again", days(first+12, first+12), one)
	told(t, "silent again", days(first+20, first+12), one, one)
}

// Events in the quiet time are reported at its end, even if they are over by then.
func TestAlertInQuietTime(t *testing.T) {
	d := collected(t, mailer.Server{})
	d.watching("collection", func(a *outbox.Subscription) { a.QuietFrom, a.QuietUntil, a.Zone = 12*60, 20*60+30, "Europe/Berlin" }) // 10:00 to 18:30 UTC
	told(t, "in quiet time", d.after(4*time.Hour))
	state, err := d.AlertStates(t.Context())
	if err != nil || len(state) != 1 || len(state[0].Waiting) != 1 || state[0].Held != HeldByQuiet || phrase.Clock(state[0].Until, time.UTC) != "2 Sep 2026 18:30 UTC" {
		t.Fatalf("%+v, %v", state, err)
	}
	d.now = d.now.Add(time.Hour)
	d.run("")
	told(t, "over in quiet time", d.after(5*time.Minute))
	d.run("")
	d.now = d.now.Add(3*time.Hour - 10*time.Minute)
	d.run("")
	told(t, "a minute before its end", d.after(2*time.Hour+34*time.Minute))
	told(t, "at its end", d.after(time.Minute), "Alert: collection failed, and goes on again – all accounts (UTC)")
	if text := d.newest().Text; strings.Count(text, "\n- ") != 2 || !strings.Contains(text, "  Found 2 Sep 2026 12:00 UTC\n") {
		t.Errorf("it says\n%s", text)
	}
}

// An alert sends at most one mail in a number of hours; the next mail reports what
// happened meanwhile.
func TestAlertPace(t *testing.T) {
	d := steady(t, mailer.Server{})
	d.watching("restatement", func(a *outbox.Subscription) { a.Apart = 6 })
	restate := func(wait time.Duration, usdt affiliate.Number) []string {
		d.now = d.now.Add(wait)
		d.collect(daysOf(first-9, first-9), brings(first-9, usdt, "USDT"), brings(first-9, "1", "BTC"))
		return d.after(0)
	}
	const one = "Alert: figures of past days changed – all accounts (UTC)"
	told(t, "the first", restate(time.Hour, "1000"), one)
	told(t, "an hour later", restate(time.Hour, "2000"), one)
	told(t, "two hours later", restate(time.Hour, "3000"), one)
	told(t, "six hours later", d.after(4*time.Hour), one, one)
	if text := d.newest().Text; strings.Count(text, "\n- ") != 2 {
		t.Errorf("it says\n%s", text)
	}
	told(t, "with the clock set back", restate(-100*time.Hour, "4000"), one, one, one)
}

func TestHeld(t *testing.T) {
	at := func(text string) time.Time {
		when, err := time.Parse("2006-01-02 15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	for _, c := range []struct {
		name, now, from, until, zone, told string
		apart                              int
		want                               string // until when; empty: not held back
	}{
		{name: "never quiet", now: "2026-09-01 03:00", from: "00:00", until: "00:00", zone: "UTC"},
		{name: "before", now: "2026-09-01 11:59", from: "12:00", until: "13:00", zone: "UTC"},
		{name: "within", now: "2026-09-01 12:00", from: "12:00", until: "13:00", zone: "UTC", want: "2026-09-01 13:00"},
		{name: "at the end", now: "2026-09-01 13:00", from: "12:00", until: "13:00", zone: "UTC"},
		{name: "before midnight", now: "2026-09-01 23:00", from: "22:00", until: "07:00", zone: "UTC", want: "2026-09-02 07:00"},
		{name: "after midnight", now: "2026-09-02 06:59", from: "22:00", until: "07:00", zone: "UTC", want: "2026-09-02 07:00"},
		{name: "of another zone", now: "2026-09-01 20:30", from: "22:00", until: "07:00", zone: "Europe/Berlin", want: "2026-09-02 05:00"},
		{name: "its end is skipped by the clocks", now: "2026-03-29 00:30", from: "22:00", until: "02:30", zone: "Europe/Berlin", want: "2026-03-29 01:00"},
		{name: "its end comes twice", now: "2026-10-25 00:15", from: "22:00", until: "02:30", zone: "Europe/Berlin", want: "2026-10-25 00:30"},
		{name: "the second time", now: "2026-10-25 01:15", from: "22:00", until: "02:30", zone: "Europe/Berlin"},
		{name: "paced", now: "2026-09-01 12:00", from: "00:00", until: "00:00", zone: "UTC", told: "2026-09-01 10:01", apart: 2, want: "2026-09-01 12:01"},
		{name: "paced enough", now: "2026-09-01 12:01", from: "00:00", until: "00:00", zone: "UTC", told: "2026-09-01 10:01", apart: 2},
		{name: "paced into the quiet time", now: "2026-09-01 21:00", from: "22:00", until: "07:00", zone: "UTC", told: "2026-09-01 20:30", apart: 2, want: "2026-09-02 07:00"},
		{name: "told in the future", now: "2026-09-01 12:00", from: "00:00", until: "00:00", zone: "UTC", told: "2026-09-01 12:30", apart: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			minute := func(text string) int { when := at("2026-01-01 " + text); return when.Hour()*60 + when.Minute() }
			a, err := ParseAlert(outbox.Subscription{Ref: outbox.Ref{Kind: outbox.KindAlert}, Watches: "collection", Hours: 1, Zone: c.zone, QuietFrom: minute(c.from), QuietUntil: minute(c.until), Apart: c.apart,
				Recipients: []outbox.Recipient{{Address: "a@example.com"}}})
			if err != nil {
				t.Fatal(err)
			}
			if c.told != "" {
				a.Told = affiliate.MillisOf(at(c.told))
			}
			until, why := a.Held(at(c.now))
			if got := until.UTC().Format("2006-01-02 15:04"); (why != "") != (c.want != "") || c.want != "" && got != c.want {
				t.Errorf("held until %s since %q, want %s", got, why, c.want)
			}
		})
	}
}

// A recipient who unsubscribed gets no more mails, a paused alert sends none, and its
// findings are not reported later.
func TestAlertsStopAndPause(t *testing.T) {
	d := steady(t, mailer.Server{})
	a := d.watching("restatement", func(a *outbox.Subscription) {
		a.Recipients = append(a.Recipients, outbox.Recipient{Address: "cfo@example.com"})
	})
	token, ok := strings.CutPrefix(d.stopLink(a.Ref, "CFO@example.com"), "https://desk.example.com"+StopPath)
	if !ok {
		t.Fatal("no link")
	}
	if err := d.Stop(t.Context(), token, someone); err != nil {
		t.Fatal(err)
	}
	restate := func(usdt affiliate.Number) int {
		d.now = d.now.Add(time.Hour)
		d.collect(daysOf(first-9, first-9), brings(first-9, usdt, "USDT"), brings(first-9, "1", "BTC"))
		return len(d.after(0))
	}
	if n := restate("1000"); n != 1 || d.log()[0].Recipient != "boss@example.com" || d.log()[0].Name != "On restatement" {
		t.Fatalf("queued: %+v", d.log())
	}
	for _, paused := range []bool{true, false} {
		if err := d.pause(outbox.KindAlert, "ON RESTATEMENT", paused); err != nil {
			t.Fatal(err)
		}
		if n := restate("2000"); n != 1 {
			t.Errorf("paused %t: %d queued", paused, n)
		}
	}
	if n := restate("3000"); n != 2 {
		t.Errorf("after the pause: %d", n)
	}
	if err := d.Remove(t.Context(), d.alertOf("On restatement").Subscription, someone); err != nil {
		t.Fatal(err)
	}
	if n := restate("5000"); n != 2 || d.log()[0].State != outbox.Dead {
		t.Errorf("removed: %+v", d.log())
	}
	if missing, ok := errors.AsType[*store.RuleError](d.Pause(t.Context(), a.Subscription, true, someone)); !ok || !missing.Missing {
		t.Error("an alert that was removed was paused")
	}
}

// An alert that fails or panics delays neither the others nor the summaries.
func TestAlertThatPanics(t *testing.T) {
	d := collected(t, mailer.Server{})
	d.watching("gap", func(a *outbox.Subscription) { a.Name = "A" })
	d.watching("collection", func(a *outbox.Subscription) { a.Name = "B" })
	d.watching("collection", func(a *outbox.Subscription) { a.Name = "C" })
	broken := d.alertOf("B").Subscription
	broken.Zone = "Mars/Olympus"
	if _, err := outbox.Save(t.Context(), d.store, broken, someone); err != nil {
		t.Fatal(err)
	}
	whole := d.Service.reports
	d.Service.reports = nil // every request for figures panics
	told(t, "one panics, one cannot be used", d.after(4*time.Hour), failing)
	d.Service.reports = whole
	if name := d.log()[0].Name; name != "C" {
		t.Errorf("told by %s", name)
	}
}

func TestAlertsThatCannotBe(t *testing.T) {
	d := newFixture(t, mailer.Server{})
	for field, change := range map[string]func(*outbox.Subscription){
		"watches": func(a *outbox.Subscription) { a.Watches = "weather" }, "zone": func(a *outbox.Subscription) { a.Zone = "Local" }, "hours": func(a *outbox.Subscription) { a.Hours = 0 },
		"percent": func(a *outbox.Subscription) { a.Watches, a.Percent = "drop", 100 }, "quiet": func(a *outbox.Subscription) { a.QuietUntil = 1440 },
		"amount": func(a *outbox.Subscription) { a.Watches, a.Amount = "silence", "-1" }, "apart": func(a *outbox.Subscription) { a.Apart = 169 },
		"recipients": func(a *outbox.Subscription) { a.Recipients[0].Address = "a@example.com\r\nBcc: b@example.com" }, "account": func(a *outbox.Subscription) { a.Account = "nobody" },
		"name": func(a *outbox.Subscription) { a.Name = "a\r\nb" },
	} {
		a := outbox.Subscription{Ref: outbox.Ref{Kind: outbox.KindAlert}, Name: "x", Watches: "collection", Hours: 1, Zone: "UTC", Coin: "USDT", Recipients: []outbox.Recipient{{Address: "a@example.com"}}}
		change(&a)
		if rule, ok := errors.AsType[*store.RuleError](d.Save(t.Context(), a, someone)); !ok || rule.Field != field {
			t.Errorf("%s: %+v", field, rule)
		}
	}
}

// Messages with the same content have the same Message-ID, whenever and by whichever
// process they are made; and they have everything that mail programs check.
func TestAlertMessage(t *testing.T) {
	d := collected(t, mailer.Server{})
	a := d.watching("gap", func(a *outbox.Subscription) { a.Name = "Nächte – 日本" })
	var facts []outbox.Fact
	for i := range mostLines + 3 {
		facts = append(facts, outbox.Fact{Key: fmt.Sprint("what|", i), Words: "day <b>" + fmt.Sprint(i), Page: "/collection?account=main", Lasting: affiliate.MillisOf(d.now)})
	}
	m, err := d.alertMessage(t.Context(), a, facts, d.now)
	if err != nil {
		t.Fatal(err)
	}
	later, err := d.alertMessage(t.Context(), a, facts, d.now.Add(72*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	less, err := d.alertMessage(t.Context(), a, facts[1:], d.now)
	if err != nil {
		t.Fatal(err)
	}
	if id := mailer.HeaderID(m, "a@example.com", d.via().From); id != mailer.HeaderID(later, "A@example.com", d.via().From) || id == mailer.HeaderID(less, "a@example.com", d.via().From) || id == mailer.HeaderID(m, "b@example.com", d.via().From) {
		t.Error("Message-IDs do not follow from what is told to whom")
	}
	content, err := mailer.Message{Summary: m, To: "boss@example.com", HeaderID: mailer.HeaderID(m, "boss@example.com", d.via().From), Stop: d.stopLink(m.Of, "boss@example.com")}.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	header, parts := parse(t, content)
	if header.Get("Auto-Submitted") != "auto-generated" || header.Get("List-Unsubscribe") != "<"+d.stopLink(a.Ref, "boss@example.com")+">" || !strings.Contains(header.Get("Subject"), "15_days_not_collected") {
		t.Errorf("the header: %v", header)
	}
	for kind, want := range map[string]string{"text/plain": "- day <b>11", "text/html": "day &lt;b&gt;11"} {
		i := slices.IndexFunc(parts, func(p part) bool { return strings.HasPrefix(p.kind, kind) })
		if i < 0 || !strings.Contains(string(parts[i].content), want) || !strings.Contains(string(parts[i].content), "And 3 more.") || strings.Contains(string(parts[i].content), "b&gt;12") {
			t.Errorf("%s of %d parts", kind, len(parts))
		}
	}
}

// A wrong clock causes neither early nor duplicate reports.
func TestSettle(t *testing.T) {
	stamp := func(hours int) affiliate.Millis {
		return affiliate.MillisOf(morning.Add(time.Duration(hours) * time.Hour))
	}
	lasts := findings.Signal{Key: "a", Words: "new words", After: 3 * time.Hour}
	for _, c := range []struct {
		name               string
		known              outbox.Fact
		so, hold, lapse    bool
		tell, note, letsGo bool
	}{
		{name: "new", so: true, note: true},
		{name: "seen for two hours", known: outbox.Fact{Key: "a", Seen: stamp(-2)}, so: true},
		{name: "seen for three", known: outbox.Fact{Key: "a", Seen: stamp(-3)}, so: true, tell: true},
		{name: "seen for three, and held back", known: outbox.Fact{Key: "a", Seen: stamp(-3)}, so: true, hold: true, note: true},
		{name: "held back still", known: outbox.Fact{Key: "a", Seen: stamp(-5), Lasting: stamp(-2)}, so: true, hold: true},
		{name: "held back until now", known: outbox.Fact{Key: "a", Seen: stamp(-5), Lasting: stamp(-2)}, so: true, tell: true},
		{name: "over while held back", known: outbox.Fact{Key: "a", Seen: stamp(-5), Lasting: stamp(-2)}, tell: true},
		{name: "over while held back, and of no use then", known: outbox.Fact{Key: "a", Seen: stamp(-5), Lasting: stamp(-2)}, lapse: true, letsGo: true},
		{name: "over too soon", known: outbox.Fact{Key: "a", Seen: stamp(-2)}, letsGo: true},
		{name: "seen by a clock ahead", known: outbox.Fact{Key: "a", Seen: stamp(500)}, so: true, note: true},
		{name: "told", known: outbox.Fact{Key: "a", Seen: stamp(-5), Lasting: stamp(-2), Message: 7}, so: true},
		{name: "told by a clock ahead", known: outbox.Fact{Key: "a", Seen: stamp(500), Lasting: stamp(503), Message: 7}, so: true},
		{name: "told, and over", known: outbox.Fact{Key: "a", Seen: stamp(-5), Lasting: stamp(-2), Message: 7}},
	} {
		var known []outbox.Fact
		if c.known.Key != "" {
			known = append(known, c.known)
		}
		var signals []findings.Signal
		if c.so {
			signals = append(signals, lasts, lasts)
		}
		got := settle(known, signals, morning, c.hold, c.lapse)
		if (len(got.tell) == 1) != c.tell || (len(got.note) == 1) != c.note || (len(got.over) == 1) != c.letsGo || len(got.tell)+len(got.note)+len(got.over) > 1 {
			t.Errorf("%s: %+v", c.name, got)
		}
		if c.note && got.note[0].Seen > stamp(0) {
			t.Errorf("%s: seen in the future", c.name)
		}
	}
}
