package levels_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/levels"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/reporttest"
	"rebatedesk/reports/worklist"
	"rebatedesk/store/outbox"
	acts "rebatedesk/store/worklist"
)

// fell stores a programme of four invitees, of whom the fourth came by the code spring and brings about 40 a day,
// and about 12 in its last days. It returns the exact amounts of that one by day.
func fell(w *reporttest.Watched, last int, missing ...affiliate.Days) map[affiliate.Day]decimal.Decimal {
	w.Helper()
	w.Records = nil
	draw, brought := rand.New(rand.NewPCG(4, 7)), map[affiliate.Day]decimal.Decimal{}
	for day := -200; day <= 0; day++ {
		for uid := 1; uid <= 4; uid++ {
			amount := 1200 + draw.Int64N(400)
			if uid == 4 {
				if amount = 3200 + draw.Int64N(1600); day > -last {
					amount = amount * 3 / 10
				}
			}
			value := decimal.New(amount, -2)
			w.Trades(uid, day, day, affiliate.Number(value.Mul(decimal.NewFromInt(2)).String()), affiliate.Number(value.String())) // at the same rate
			if uid == 4 {
				brought[reporttest.Today+affiliate.Day(day)] = value
			}
		}
	}
	w.Collect(missing...)
	reach := reporttest.Days(-365, 0)
	w.ReadInvitees("main", reach, affiliate.Invitee{UID: "4667776804", InviteCode: "spring", RegisterTime: reporttest.Midnight(reach.First + 2)})
	return brought
}

func made(d *reporttest.Fixture, text string) levels.Changes {
	d.Helper()
	found, err := reports.Ask(d.Context(), d.Service, d.Ask(text), levels.Make)
	if err != nil {
		d.Fatal(err)
	}
	return found
}

func lines(c levels.Changes) (list []string) {
	for _, one := range c.List {
		list = append(list, fmt.Sprintf("%s %s %s %d", one.Subject, one.Code, one.UID, one.Since-reporttest.Today))
	}
	return list
}

// A code and an invitee with five percent of the commission are watched, and told with the exact means around
// the first day, and with what the month has of it.
func TestChangedLevels(t *testing.T) {
	t.Parallel()
	w := reporttest.NewWatched(t)
	brought := fell(w, 10)
	found := made(w.Fixture, "")
	if got, want := strings.Join(lines(found), "; "), "code spring  -9; invitee spring 4667776804 -9"; got != want || found.Watched != 6 {
		t.Fatalf("%d are watched, and changed: %s; want %s", found.Watched, got, want)
	}
	mean := func(first, last affiliate.Day) decimal.Decimal {
		var sum decimal.Decimal
		for day := first; day <= last; day++ {
			sum = sum.Add(brought[day])
		}
		return sum.DivRound(decimal.NewFromInt(int64(last-first+1)), 4)
	}
	c := found.Of("main", "4667776804")
	before, after := mean(c.Since-84, c.Since-1), mean(c.Since, reporttest.Today-1)
	if !c.Before.Sub(before).Abs().LessThan(decimal.New(1, -3)) || !c.After.Sub(after).Abs().LessThan(decimal.New(1, -3)) || !c.Down() {
		t.Errorf("from %s to %s, want from %s to %s", c.Before, c.After, before, after)
	}
	// 15 September: 25 of the 30 days of the month are since the sixth.
	if want := c.After.Sub(c.Before).Mul(decimal.NewFromInt(25)); !c.Effect.Equal(want) {
		t.Errorf("the month has %s of it, want %s", c.Effect, want)
	}
	if words := phrase.Level(c) + "; " + phrase.LevelEffect(c, found.Today); !strings.HasPrefix(words, "brings 1") || !strings.Contains(words, "a day since 6 Sep 2026, ") || !strings.HasSuffix(words, "less in September 2026") {
		t.Error(words)
	}
	for text, want := range map[string]int{"code=spring": 2, "code=other": 0, "account=main": 2, "as_of=" + reporttest.Noon.Add(-time.Hour).Format(time.RFC3339): 0} {
		if got := made(w.Fixture, text); len(got.List) != want {
			t.Errorf("%s: %v, want %d", text, lines(got), want)
		}
	}
	w.NewSegment("others", "uid=4667776801")
	if got := made(w.Fixture, "segment=others"); len(got.List) != 0 {
		t.Errorf("of a segment of others: %v", lines(got))
	}
	bound := w.Service.For(affiliate.BoundTo([]affiliate.Binding{{By: affiliate.BoundByCode, Name: "spring"}}))
	if own, err := reports.Ask(t.Context(), bound, w.Ask(""), levels.Make); err != nil || own.Watched != 3 || len(own.List) != 3 {
		t.Errorf("of a user bound to the code: %d watched, %v, %v", own.Watched, lines(own), err)
	}
}

// Nothing is told of days that are not completely collected, of a short history, or of a level that holds.
func TestLevelsThatHold(t *testing.T) {
	t.Parallel()
	for name, fill := range map[string]func(*reporttest.Watched){
		"a gap since":   func(w *reporttest.Watched) { fell(w, 10, reporttest.Days(-2, -2)) },
		"a gap before":  func(w *reporttest.Watched) { fell(w, 10, reporttest.Days(-60, -60)) },
		"too long ago":  func(w *reporttest.Watched) { fell(w, 80) },
		"not yet":       func(w *reporttest.Watched) { fell(w, 2) },
		"as every day":  func(w *reporttest.Watched) { fell(w, 0) },
		"a new invitee": func(w *reporttest.Watched) { w.Trades(5, -20, 0, "10", "4"); w.Collect() },
		"little money": func(w *reporttest.Watched) {
			w.Records = nil
			w.Trades(1, -200, -11, "1", "0.4")
			w.Trades(1, -10, 0, "1", "0.1")
			w.Collect()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := reporttest.NewWatched(t)
			fill(w)
			if got := made(w.Fixture, ""); len(got.List) != 0 {
				t.Errorf("%v", lines(got))
			}
		})
	}
}

// A lower level is one problem of the front page, an alert that tells it once although its first day moves, and a
// reason for a call that comes back with the next change only.
func TestLevelIsTold(t *testing.T) {
	t.Parallel()
	w := reporttest.NewWatched(t)
	fell(w, 10)
	var told []findings.Level
	for _, f := range w.Look("").Findings {
		if f, ok := f.(findings.Level); ok {
			told = append(told, f)
		}
	}
	if len(told) != 1 || told[0].Severity() != findings.SeverityWarning || len(told[0].Changes) != 2 {
		t.Fatalf("found %+v", told)
	}
	words := findings.About{Query: w.Ask(""), Zone: time.UTC, Today: reporttest.Today}.Finding(told[0])
	if !strings.HasPrefix(words.Title, "Code spring brings ") || !strings.Contains(words.Title, " a day since 6 Sep, ") || len(words.Invitees) != 2 || words.Href != "/forecast#levels" {
		t.Errorf("%+v", words)
	}
	alert := outbox.Subscription{Watches: "level"}
	signals := w.Signals(alert)
	if len(signals) != 2 || !strings.Contains(signals[0].Words, "less in September 2026") || !strings.Contains(signals[1].Page, "/invitees/4667776804") {
		t.Fatalf("signals %+v", signals)
	}
	line := w.Worklist("").Lines
	if len(line) != 1 || line[0].Reasons[0].Name != worklist.ReasonLevel || line[0].Worth.Total.LessThan(decimal.NewFromInt(700)) {
		t.Fatalf("the worklist has %+v", line)
	}
	if risk := w.Worklist("").Open.Risk; !risk.Less.Total.Equal(line[0].Worth.Total) || !risk.All.Total.Equal(risk.Less.Total) || !strings.Contains(phrase.AtRisk(risk), "(bring less ") {
		t.Errorf("at risk: %s", phrase.AtRisk(risk))
	}
	w.Act("4667776804", acts.Act{Kind: acts.ActDone})
	if got := w.Statuses(""); got != "4667776804 done level" && got != "4667776804 done" {
		t.Errorf("after a contact: %q", got)
	}
	known := []outbox.Fact{{Key: strings.Replace(signals[1].Key, "2026-09-06", "2026-09-01", 1)}}
	again, err := findings.AlertKind("level").Alert.Signals(t.Context(), &findings.Watched{Subscription: alert, Now: w.Now, Zone: time.UTC, Ask: w.With, Known: known})
	if err != nil || len(again) != 2 || again[1].Key != known[0].Key || again[0].Key != signals[0].Key {
		t.Errorf("with a first day that moved: %+v, %v", again, err)
	}
}

// Who fell silent is told of as silent, not as a lower level.
func TestSilentIsNoLowerLevel(t *testing.T) {
	t.Parallel()
	w := reporttest.NewWatched(t)
	fell(w, 0)
	w.Without(4, -9, 0)
	w.Collect()
	if found := made(w.Fixture, ""); found.Of("main", "4667776804") == nil {
		t.Fatalf("%v", lines(found))
	}
	for _, f := range w.Look("").Findings {
		if f, ok := f.(findings.Level); ok {
			for _, c := range f.Changes {
				if c.Subject == levels.Invitee {
					t.Errorf("%+v", c)
				}
			}
		}
	}
	for _, l := range w.Worklist("").Lines {
		for _, r := range l.Reasons {
			if r.Name == worklist.ReasonLevel {
				t.Errorf("%+v", r)
			}
		}
	}
}

// BenchmarkLevels finds the changes after each write, as the first reader after a collection does: 400 days of 200
// invitees, of whom ten are large, in four codes.
func BenchmarkLevels(b *testing.B) {
	d := reporttest.NewFixture(b, "UTC")
	span, draw := reporttest.Days(-400, 0), rand.New(rand.NewPCG(4, 8))
	d.Want("main", span.First)
	var rows []affiliate.Commission
	for day := span.First; day <= span.Last; day++ {
		for uid := range 200 {
			amount := draw.Int64N(100)
			if uid < 10 {
				amount = 2000 + draw.Int64N(2000)
			}
			rows = append(rows, reporttest.Trade(day, reporttest.Spot, uid, affiliate.Number(decimal.New(amount, -2).String())))
		}
	}
	d.Read("main", reporttest.Spot, span, rows...)
	d.Read("main", reporttest.Futures, span)
	var list []affiliate.Invitee
	for uid := range 200 {
		list = append(list, affiliate.Invitee{UID: reporttest.Trade(0, reporttest.Spot, uid, "").UID, InviteCode: fmt.Sprint("code", uid%4), RegisterTime: reporttest.Midnight(reporttest.Today - 300)})
	}
	d.ReadInvitees("main", reporttest.Days(-365, 0), list...)
	asked := d.Ask("")
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		d.Read("main", reporttest.Spot, reporttest.Days(0, 0), reporttest.Trade(reporttest.Today, reporttest.Spot, 1, affiliate.Number(fmt.Sprint(n+1))))
		b.StartTimer()
		if found, err := reports.Ask(b.Context(), d.Service, asked, levels.Make); err != nil || found.Watched != 15 {
			b.Fatal(found, err)
		}
	}
}
