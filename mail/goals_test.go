package mail

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/goals"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// half is how long a goal must be out of reach, plus the time between two looks.
const half = 12*time.Hour + alertEvery

// aiming returns a fixture in which 10 USDT are earned each day of five months, up to a day, and
// whose clock shows the morning after it.
func aiming(t testing.TB, until affiliate.Day) *fixture {
	t.Helper()
	d := newFixture(t, mailer.Server{})
	if err := d.store.WantFrom(t.Context(), "main", first-150); err != nil {
		t.Fatal(err)
	}
	d.brought(first-150, until)
	return d
}

// brought stores 10 USDT for each of some days, and more on the last one.
func (d *fixture) brought(from, until affiliate.Day, more ...affiliate.Number) {
	d.Helper()
	d.now = (until + 1).Start(time.UTC).Add(8 * time.Hour)
	var list []affiliate.Commission
	for day := from; day <= until; day++ {
		list = append(list, brings(day, "10", "USDT"))
	}
	for _, amount := range more {
		list = append(list, brings(until, amount, "USDT"))
	}
	d.collect(daysOf(from, until+1), list...)
}

// goal sets a goal for September.
func (d *fixture) goal(amount affiliate.Number, coin affiliate.Coin) (id int64) {
	d.Helper()
	id, err := d.reports.AddGoal(d.Context(), goals.Goal{Key: goals.Key{Month: first, Coin: coin}, Amount: amount}, someone)
	if err != nil {
		d.Fatal(err)
	}
	return id
}

const (
	outOne = "Alert: a goal is out of reach – all accounts (UTC)"
	hasOne = "Alert: a goal is reached – all accounts (UTC)"
)

// A goal that has been out of reach for half a day is reported once, also after a restart and
// when figures change. Reached goals are reported once as well.
func TestAlertOfGoals(t *testing.T) {
	t.Parallel()
	d := aiming(t, first)
	d.goal("400", "USDT")
	d.watching("goal", func(a *outbox.Subscription) { a.Coin, a.Amount = "", "" })
	told(t, "at first", d.after(0))
	told(t, "half a day later", d.after(half), outOne)
	text := unwrapped(d.newest().Text)
	if !strings.Contains(text, "- Goal for September 2026 (USDT): out of reach as it looks now: 10.00 USDT earned of 400.00 USDT, and 297.08 USDT expected in the end (held in 2 of 2, 100\u00a0%, an estimate); 29 days left: 13.45 USDT a day\n") ||
		!strings.Contains(text, "https://desk.example.com/forecast?month=2026-09\n") {
		t.Errorf("it says\n%s", text)
	}
	told(t, "still", d.after(time.Hour), outOne)
	d.open(d.path, mailer.Server{})
	told(t, "after a restart", d.after(half), outOne)
	d.brought(first-3, first+9, "100")
	told(t, "within reach", d.after(half), outOne)
	d.brought(first-3, first+12)
	told(t, "out of reach again", d.after(half), outOne)
	d.brought(first-3, first+19, "250")
	told(t, "reached", d.after(0), outOne, hasOne)
	if text := unwrapped(d.newest().Text); !strings.Contains(text, "- Goal for September 2026 (USDT): reached on 20 Sep 2026: 450.00 USDT earned of 400.00 USDT\n") {
		t.Errorf("it says\n%s", text)
	}
	d.brought(first-3, first+21)
	told(t, "taken back", d.after(half), outOne, hasOne)
	d.brought(first-3, first+23, "300")
	told(t, "reached again", d.after(half), outOne, hasOne)
}

// Nothing is reported of a month with missing days, of what was so for less than half a day, or
// of what was so before the goal was set.
func TestNoAlertOfGoals(t *testing.T) {
	t.Parallel()
	d := aiming(t, first+9)
	id := d.goal("50", "USDT") // reached before it was set
	d.watching("goal", func(a *outbox.Subscription) { a.Coin, a.Amount = "", "" })
	told(t, "reached before", d.after(half))
	if err := d.reports.ChangeGoal(t.Context(), id, "400", someone); err != nil {
		t.Fatal(err)
	}
	told(t, "set anew", d.after(0))
	d.brought(first-3, first+10, "200")
	told(t, "in reach before half a day had passed", d.after(half))
	d.now = (first + 14).Start(time.UTC).Add(8 * time.Hour) // three days are not collected
	told(t, "days are missing", d.after(half))
	d.collect(daysOf(first+14, first+15), brings(first+14, "1000", "USDT"))
	told(t, "reached, with days missing", d.after(half))
	d.brought(first-3, first+30) // the month is over
	told(t, "missed, for an hour", d.after(time.Hour))
	told(t, "missed", d.after(half), "Alert: a goal is out of reach – all accounts (UTC)")
	if text := unwrapped(d.newest().Text); !strings.Contains(text, "(USDT): missed by 100.00 USDT: 300.00 USDT earned of 400.00 USDT\n") {
		t.Errorf("it says\n%s", text)
	}
}

// A summary has a line for each goal of the month in which its period ends.
func TestSummaryOfGoals(t *testing.T) {
	t.Parallel()
	d := aiming(t, first+19)
	for _, amount := range []struct {
		goal affiliate.Number
		coin affiliate.Coin
	}{{"280", ""}, {"400", "USDT"}} {
		d.goal(amount.goal, amount.coin)
	}
	plan := d.schedule(func(s *outbox.Subscription) { s.Sections = []string{SectionGoals} })
	m, err := d.summary(t.Context(), plan, dispatch.Period{Every: dispatch.Daily, Days: daysOf(first+19, first+19)})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Tables) != 2 {
		t.Fatalf("the tables are %+v", m.Tables)
	}
	table := m.Tables[1]
	lines := []string{table.Title}
	for _, row := range table.Rows {
		lines = append(lines, strings.Join(row, " | "))
	}
	want := []string{
		"Goals for September 2026; what is expected is an estimate",
		"All coins, in USDT | 200.00 (71.4\u00a0%) | On pace: expected 297.08 of 280 USDT (297.08)",
		"USDT | 200.00 (50.0\u00a0%) | Behind: reaches 297.08 of 400 USDT",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("the section is\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	plan.Product = affiliate.Spot
	if plan.tells(SectionGoals) {
		t.Error("a summary of one product has goals, which are about all")
	}
}

// A section that cannot be made is named in the summary, and the others are in it.
func TestASectionFailsAlone(t *testing.T) {
	d := aiming(t, first+4)
	d.goal("1000", "USDT")
	if err := storetest.Corrupt(d.store, `UPDATE goals SET amount = 'x'`); err != nil {
		t.Fatal(err)
	}
	content, err := d.Preview(t.Context(), d.schedule(func(s *outbox.Subscription) { s.Every, s.Sections = "daily", Sections() }), dispatch.Daily.Of(first+4), "boss@example.com")
	if err != nil {
		t.Fatal(err)
	}
	_, parts := parse(t, content)
	words := strings.Join(strings.Fields(text(parts, "text/plain")), " ")
	for _, want := range []string{"The section “goals” is missing. " + phrase.NotMade, "Commission", "10.00 USDT", "Top invitees"} {
		if !strings.Contains(words, want) {
			t.Errorf("the summary lacks %q:\n%s", want, words)
		}
	}
	if d.reports.Guard.Caught() != 1 {
		t.Errorf("%d panics were counted", d.reports.Guard.Caught())
	}
}
