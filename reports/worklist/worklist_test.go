package worklist_test

import (
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/reports/reporttest"
	"rebatedesk/reports/worklist"
	"rebatedesk/store/people"
	"rebatedesk/store/storetest"
	acts "rebatedesk/store/worklist"
)

// linesOf prints lines: who, the reasons with their days, and what is at risk.
func linesOf(view worklist.Report) (list []string) {
	for _, l := range view.Lines {
		list = append(list, fmt.Sprintf("%s %s %s left %d %v", l.Account, l.UID, l.State, l.DaysLeft, l.Tied)+reasonsOf(l))
	}
	return list
}

func reasonsOf(l *worklist.Line) (text string) {
	for _, r := range l.Reasons {
		text += fmt.Sprintf(" | %s %s", r.Name, r.Began)
		if r.Done {
			text += " done"
		}
		for _, amount := range slices.SortedFunc(slices.Values(r.AtRisk), func(a, b affiliate.Amount) int { return strings.Compare(string(a.Coin), string(b.Coin)) }) {
			text += " " + amount.Value.String() + " " + string(amount.Coin)
		}
		if r.Name == worklist.ReasonMilestone {
			text += " " + r.Passed.String()
		}
	}
	return text
}

// worklistTruth lists the lines of an instant by scanning every record, with arithmetic independent
// of the program.
func worklistTruth(list []reporttest.Trader, zone *time.Location, now time.Time, limit int) (lines []string) {
	prices := map[affiliate.Coin]*big.Rat{"USDT": big.NewRat(1, 1), "BTC": big.NewRat(50000, 1)}
	today := affiliate.DayOf(now, zone)
	rat := func(n affiliate.Number) *big.Rat { r, _ := new(big.Rat).SetString(string(n)); return r }
	worth := func(sums map[affiliate.Coin]*big.Rat) *big.Rat {
		total := new(big.Rat)
		for coin, sum := range sums {
			if price := prices[coin]; price != nil {
				total.Add(total, new(big.Rat).Mul(sum, price))
			}
		}
		return total
	}
	for _, one := range list {
		days, half := map[affiliate.Day]bool{}, map[affiliate.Coin]*big.Rat{}
		ever, byDay := map[affiliate.Coin]*big.Rat{}, map[affiliate.Day]map[affiliate.Coin]*big.Rat{}
		var last affiliate.Day
		for _, c := range one.Earnings {
			day := affiliate.DayOf(c.DealTime.Time(), zone)
			last = max(last, day)
			if byDay[day] == nil {
				byDay[day] = map[affiliate.Coin]*big.Rat{}
			}
			into := []map[affiliate.Coin]*big.Rat{ever, byDay[day]}
			if day > today-180 {
				days[day] = true
				into = append(into, half)
			}
			for _, sums := range into {
				if sums[c.Coin] == nil {
					sums[c.Coin] = new(big.Rat)
				}
				sums[c.Coin].Add(sums[c.Coin], rat(c.Commission))
			}
		}
		var traded []affiliate.Day
		for day := range days {
			traded = append(traded, day)
		}
		slices.Sort(traded)
		var gaps []int
		for i := 1; i < len(traded); i++ {
			gaps = append(gaps, int(traded[i]-traded[i-1]))
		}
		slices.Sort(gaps)
		doubled := 0 // twice the median
		if len(gaps) >= 3 {
			doubled = gaps[(len(gaps)-1)/2] + gaps[len(gaps)/2]
		}
		silence := int(today - last)
		dayOf := func(at affiliate.Millis) affiliate.Day {
			if !at.Known() {
				return 0
			}
			return affiliate.DayOf(at.Time(), zone)
		}
		state := "active"
		switch registered, first := dayOf(one.Listed.RegisterTime), dayOf(one.Listed.FirstTrade); {
		case today-registered <= 30, first != 0 && today-first <= 30:
			state = "new"
		case last == 0:
			state = "never-traded"
		case silence > 30, doubled > 0 && 2*silence > 3*doubled:
			state = "silent"
		case doubled > 0 && 2*silence > doubled:
			state = "slowing"
		}
		usual := ""
		if len(traded) > 0 {
			span := max(30, int64(traded[len(traded)-1]-traded[0])+1)
			for _, coin := range []affiliate.Coin{"BTC", "USDT", "XYZ"} {
				if half[coin] == nil || half[coin].Sign() == 0 {
					continue
				}
				mean := new(big.Rat).Mul(half[coin], big.NewRat(30, span))
				text := strings.TrimRight(strings.TrimRight(mean.FloatString(10), "0"), ".")
				if price := prices[coin]; price != nil && new(big.Rat).Mul(rat(affiliate.Number(text)), price).Cmp(big.NewRat(10, 1)) < 0 {
					continue
				}
				usual += " " + text + " " + string(coin)
			}
		}
		var reasons []string
		if absent := doubled > 0 && 2*silence > doubled; absent && usual != "" {
			name := "slowing"
			if silence > 30 || 2*silence > 3*doubled {
				name = "silent"
			}
			reasons = append(reasons, fmt.Sprintf("%s %s%s", name, last, usual))
		}
		left := 0
		if limit > 0 && last != 0 {
			left = limit - silence
			if left >= 0 && left <= 7 && usual != "" {
				reasons = append(reasons, fmt.Sprintf("days-left %s%s", last, usual))
			}
		}
		if since := today - dayOf(one.Listed.FirstDeposit); one.Listed.FirstDeposit.Known() && last == 0 && since >= 3 && since <= 30 {
			reasons = append(reasons, "no-trade "+dayOf(one.Listed.FirstDeposit).String())
		}
		if text := milestoneTruth(one, byDay, today, dayOf(one.Listed.FirstTrade), ever, worth, prices); text != "" {
			reasons = append(reasons, text)
		}
		if len(reasons) > 0 {
			slices.Sort(reasons)
			lines = append(lines, fmt.Sprintf("%s %s %s left %d %v | %s", one.Account, one.Listed.UID, state, left, limit > 0 && last != 0, strings.Join(reasons, " | ")))
		}
	}
	slices.Sort(lines)
	return lines
}

func milestoneTruth(one reporttest.Trader, byDay map[affiliate.Day]map[affiliate.Coin]*big.Rat, today, first affiliate.Day, ever map[affiliate.Coin]*big.Rat,
	worth func(map[affiliate.Coin]*big.Rat) *big.Rat, prices map[affiliate.Coin]*big.Rat) string {
	before := new(big.Rat)
	for day, sums := range byDay {
		if day <= today-7 {
			before.Add(before, worth(sums))
		}
	}
	text, sum := "", new(big.Rat).Set(before)
	highest := new(big.Rat)
	for day := today - 6; day <= today; day++ {
		sum.Add(sum, worth(byDay[day]))
		for at := big.NewRat(100, 1); at.Cmp(sum) <= 0; at = new(big.Rat).Mul(at, big.NewRat(10, 1)) {
			if at.Cmp(before) > 0 && at.Cmp(highest) > 0 {
				highest.Set(at)
				text = "milestone " + day.String() + " " + at.FloatString(0)
			}
		}
	}
	if text != "" || first == 0 || today-first >= 7 {
		return text
	}
	for coin, sum := range ever {
		if price := prices[coin]; sum.Sign() > 0 && (price == nil || new(big.Rat).Mul(sum, price).Cmp(big.NewRat(10, 1)) >= 0) {
			return "milestone " + first.String() + " 0"
		}
	}
	return ""
}

// unordered returns the lines of a report as worklistTruth has them.
func unordered(view worklist.Report) (lines []string) {
	for _, line := range linesOf(view) {
		head, reasons, _ := strings.Cut(line, " | ")
		list := strings.Split(reasons, " | ")
		slices.Sort(list)
		lines = append(lines, head+" | "+strings.Join(list, " | "))
	}
	slices.Sort(lines)
	return lines
}

// The worklist has exactly those whom a scan of all records finds, with their reasons and amounts,
// in several zones and with a limit or without.
func TestWorklistIsThatOfAllRecords(t *testing.T) {
	t.Parallel()
	for seed, c := range []struct {
		zone  string
		limit int
	}{{"UTC", 30}, {"Asia/Tokyo", 0}, {"America/New_York", 45}, {"UTC", 12}} {
		t.Run(fmt.Sprint(c.zone, c.limit), func(t *testing.T) {
			t.Parallel()
			d := reporttest.NewFixture(t, c.zone)
			d.InactivityLimit = c.limit
			list := d.FillTraders(uint64(seed))
			want := worklistTruth(list, d.Zone, d.Now, c.limit)
			view := d.Worklist("per=500")
			if got := unordered(view); !slices.Equal(got, want) {
				t.Fatalf("the lines are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if len(want) < 10 || view.Open.Lines != len(want) {
				t.Errorf("%d lines, %d counted", len(want), view.Open.Lines)
			}
			for i := 1; i < len(view.Lines); i++ {
				if a, b := view.Lines[i-1], view.Lines[i]; a.Worth.Total.LessThan(b.Worth.Total) && a.Priced() == b.Priced() {
					t.Errorf("%s with %s stands before %s with %s", a.UID, a.Worth.Total, b.UID, b.Worth.Total)
				}
			}
			only := d.Worklist("per=500&account=other&code=spring&reason=silent")
			n := 0
			for _, line := range want {
				uid := strings.Fields(line)[1]
				at := slices.IndexFunc(list, func(o reporttest.Trader) bool { return string(o.Listed.UID) == uid && o.Account == "other" })
				if strings.HasPrefix(line, "other ") && strings.Contains(line, " | silent ") && list[at].Listed.InviteCode == "spring" {
					n++
				}
			}
			if only.Count != n {
				t.Errorf("%d silent invitees of one code and account, want %d", only.Count, n)
			}
			total := new(big.Rat)
			for _, row := range d.Rows(worklist.File, "") {
				if row["coin"] == "XYZ" != (row["at_risk"] != "" && row["at_risk_usdt"] == "") {
					t.Errorf("the worth of %v", row)
				}
				if row["at_risk_usdt"] != "" {
					one, _ := new(big.Rat).SetString(row["at_risk_usdt"])
					total.Add(total, one)
				}
			}
			if sum, _ := new(big.Rat).SetString(view.Open.Worth.Total.String()); sum.Cmp(total) != 0 {
				t.Errorf("the file adds up to %s, the page says %s", total.FloatString(12), view.Open.Worth.Total)
			}
		})
	}
}

// A line that is done comes back for a new reason only: another one, or a later episode. What is
// snoozed comes back on its day, and what was undone at once. An earlier instant shows the list and
// the acts as they were known then.
func TestWorklistActs(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-120)
	d.Regular(reporttest.Today - 3)
	uid := d.Earned(reporttest.Today, "USDT", "1").UID
	is := func(what, want string) {
		t.Helper()
		if got := d.Statuses(""); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	pass := func(days int) { d.Now = d.Now.AddDate(0, 0, days) }
	is("at first", string(uid)+" open slowing")
	before := d.Now
	pass(1)
	d.Regular(reporttest.Today - 3)
	ids := d.Act(uid, acts.Act{Kind: acts.ActDone})
	if again := d.Act(uid, acts.Act{Kind: acts.ActDone}); !slices.Equal(ids, again) && len(again) != 1 {
		t.Errorf("a form sent twice acts as %v", again)
	}
	is("done while slowing and silent by three gaps", string(uid)+" done")
	storetest.Done(t, d.Service.UndoWork(t.Context(), "main", uid, d.Act(uid, acts.Act{Kind: acts.ActDone})[0], reporttest.Manager))
	for _, a := range must(d.Service.WorkHistory(t.Context(), "main", uid, 0)) {
		if !a.Undone.Known() {
			storetest.Done(t, d.Service.UndoWork(t.Context(), "main", uid, a.ID, reporttest.Manager))
		}
	}
	is("undone", string(uid)+" open silent")
	d.Act(uid, acts.Act{Kind: acts.ActSnoozed, Day: reporttest.Today + 3}, acts.Act{Kind: acts.ActAssigned, Owner: "bob"})
	is("snoozed", string(uid)+" snoozed silent")
	if mine := d.Statuses("&owner=BOB"); mine == "" {
		t.Error("the owner has no line")
	}
	if others := d.Statuses("&owner=ann"); others != "" {
		t.Errorf("somebody else's list: %q", others)
	}
	pass(2)
	d.Regular(reporttest.Today - 3)
	is("on the day", string(uid)+" open silent")
	d.Act(uid, acts.Act{Kind: acts.ActDone}, acts.Act{Kind: acts.ActPlanned, Day: reporttest.Today + 5})
	is("done", string(uid)+" done")
	contacted := d.Now
	pass(2)
	d.Regular(reporttest.Today-3, reporttest.Today+4)
	is("the next date, and a trade", string(uid)+" open next-date")
	line := d.Worklist("").Lines[0]
	if c := line.Contact; c == nil || c.Traded != reporttest.Today+4 || c.Days() != 1 || c.Worth.Total.String() != "10" || !c.Away() {
		t.Errorf("what came of it: %+v", line.Contact)
	}
	if r := d.Worklist("").Results; r.Contacts != 1 || r.Away != 1 || r.Back != 1 || r.Median.String() != "1" || r.Since.Total.String() != "10" {
		t.Errorf("what came of all contacts: %+v", r)
	}
	pass(4)
	d.Regular(reporttest.Today-3, reporttest.Today+4)
	is("silent again", string(uid)+" open silent next-date")
	then := func(at time.Time) string { return d.Statuses("&as_of=" + at.Format(time.RFC3339)) }
	if got := then(before.Add(time.Minute)); got != string(uid)+" open slowing" {
		t.Errorf("as of the first day: %q", got)
	}
	if got := then(contacted.Add(time.Minute)); got != string(uid)+" done" {
		t.Errorf("as of the contact: %q", got)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Forms with impossible entries change nothing and say what is wrong.
func TestWorklistRefuses(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-120)
	d.Regular(reporttest.Today - 3)
	desk, uid := d.Service, d.Earned(reporttest.Today, "USDT", "1").UID
	for name, work := range map[string]acts.Work{
		"day that is over": {Account: "main", UID: uid, Acts: []acts.Act{{Kind: acts.ActSnoozed, Day: reporttest.Today}}},
		"day too far":      {Account: "main", UID: uid, Acts: []acts.Act{{Kind: acts.ActPlanned, Day: reporttest.Today + 400}}},
		"long owner":       {Account: "main", UID: uid, Acts: []acts.Act{{Kind: acts.ActAssigned, Owner: strings.Repeat("x", 81)}}},
		"nobody":           {Account: "main", UID: "1", Acts: []acts.Act{{Kind: acts.ActDone}}},
		"nothing":          {Account: "main", UID: uid},
		"long note":        {Account: "main", UID: uid, Note: strings.Repeat("x", people.MaxNote+1)},
	} {
		_, err := desk.DoWork(t.Context(), work, reporttest.Manager)
		storetest.Broken(t, err)
		if list := must(desk.WorkHistory(t.Context(), "main", uid, 0)); len(list) != 0 {
			t.Errorf("%s: %v was stored", name, list)
		}
	}
	_, err := desk.DoWork(t.Context(), acts.Work{Account: "main", UID: uid, Note: " Wants 45 %.\r\n", Acts: []acts.Act{{Kind: acts.ActDismissed}}}, reporttest.Manager)
	storetest.Done(t, err)
	if l := d.Worklist("show=done").Lines; len(l) != 1 || l[0].Note.Text != "Wants 45 %." || l[0].Note.Author != "ann" || l[0].Contact != nil {
		t.Errorf("the dismissed line: %+v", l)
	}
	if err := desk.UndoWork(t.Context(), "other", uid, 1, reporttest.Manager); err == nil {
		t.Error("an act of another account is undone")
	}
}

// Every engine gives the same worklist, with acts, owners, filters and earlier states.
func TestWorklistOnEngines(t *testing.T) {
	servers := storetest.Servers(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "desk.db")
	storetest.Place(t, path)
	all := func(d *reporttest.Fixture) (list []string) {
		d.InactivityLimit = 45
		d.FillTraders(3)
		before := d.Now
		lines := d.Worklist("account=main&per=500").Lines
		for i, act := range []acts.Act{{Kind: acts.ActDone}, {Kind: acts.ActAssigned, Owner: "Zoë"}, {Kind: acts.ActSnoozed, Day: reporttest.Today + 4}, {Kind: acts.ActPlanned, Day: reporttest.Today + 1}, {Kind: acts.ActAssigned, Owner: "bob"}} {
			ids, err := d.Service.DoWork(t.Context(), acts.Work{Account: "main", UID: lines[i].UID, Acts: []acts.Act{act}, Note: fmt.Sprint("note ", i)}, reporttest.Manager)
			storetest.Done(t, err)
			if i == 4 {
				storetest.Done(t, d.Service.UndoWork(t.Context(), "main", lines[i].UID, ids[0], reporttest.Manager))
			}
		}
		d.Now = d.Now.AddDate(0, 0, 1)
		for _, text := range []string{"per=500&show=all", "owner=zo%C3%AB&show=all", "owner=-&sort=uid", "code=spring&reason=silent", "q=70", "show=snoozed", "as_of=" + before.Add(time.Minute).Format(time.RFC3339)} {
			view := d.Worklist(text)
			for _, l := range view.Lines {
				list = append(list, fmt.Sprint(text, " ", l.Account, " ", l.UID, reasonsOf(l), " ", l.Status, " ", l.Owner, " ", l.Note.Text, " ", l.Worth.Total, " ", l.LastTrade, " ", l.Contact != nil))
			}
			list = append(list, fmt.Sprintf("%d %v %v %v %v", view.Count, view.Open, view.Reasons, view.Owners, view.Results))
		}
		file, _ := d.Export(worklist.File, export.CSV, d.QueryOf("show=all", worklist.Accepted))
		return append(list, file)
	}
	want := all(reporttest.NewFixtureAt(t, "Asia/Kathmandu", path))
	if len(want) < 30 {
		t.Fatalf("only %d lines are compared", len(want))
	}
	for engine, empty := range servers {
		got := all(reporttest.NewFixtureAt(t, "Asia/Kathmandu", empty(t)))
		if !slices.Equal(got, want) {
			t.Errorf("%s gives\n%s\nSQLite gives\n%s", engine, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
