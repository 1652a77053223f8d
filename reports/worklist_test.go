package reports_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/worklist"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
	"rebatedesk/store/storetest"
	acts "rebatedesk/store/worklist"
)

// worklist answers a query of the worklist.
func (d *fixture) worklist(text string) worklist.Report {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.queryOf(text, worklist.Accepted), worklist.Make)
	storetest.Done(d, err)
	return view
}

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

// trader is an invitee of the drawn programme.
type trader struct {
	account  affiliate.Account
	listed   affiliate.Invitee
	earnings []affiliate.Commission
}

// drawTraders draws people with rhythms of all kinds over the last 200 days.
func drawTraders(random *rand.Rand, zone *time.Location) (list []trader) {
	at := func(day affiliate.Day) affiliate.Millis {
		return affiliate.MillisOf(day.Start(zone).Add(time.Duration(random.IntN(23*60)) * time.Minute))
	}
	for i := range 60 {
		one := trader{account: []affiliate.Account{"main", "other"}[i%2]}
		one.listed = affiliate.Invitee{UID: affiliate.UID(strconv.Itoa(7000 + i/2)), InviteCode: []string{"spring", "", "vip"}[random.IntN(3)]}
		one.listed.RegisterTime = at(today - affiliate.Day(random.IntN(240)) - 2)
		if i%5 == 0 { // deposited only
			one.listed.FirstDeposit = at(today - affiliate.Day(random.IntN(40)))
			list = append(list, one)
			continue
		}
		step, first, last := random.IntN(12)+1, today-199+affiliate.Day(random.IntN(190)), today-affiliate.Day(random.IntN(60))
		if i%7 == 0 {
			first, last = today-affiliate.Day(random.IntN(9)), today
		}
		unit := random.IntN(4000) + 1
		for day := first; day <= last; day += affiliate.Day(max(1, step+random.IntN(3)-1)) {
			coin := affiliate.Coin([]string{"USDT", "USDT", "BTC", "XYZ"}[random.IntN(4)])
			fee := big.NewRat(int64(random.IntN(100)+unit), 100)
			if coin == "BTC" {
				fee.Quo(fee, big.NewRat(50000, 1))
			}
			commission := new(big.Rat).Mul(fee, big.NewRat(2, 5))
			one.earnings = append(one.earnings, affiliate.Commission{UID: one.listed.UID, Product: affiliate.Spot, Source: affiliate.Direct, Coin: coin, Symbol: "BTCUSDT",
				DealTime: at(day), Fee: affiliate.Number(fee.FloatString(12)), Rate: "0.4", Commission: affiliate.Number(commission.FloatString(13))})
		}
		if len(one.earnings) > 0 {
			one.listed.FirstTrade = one.earnings[0].DealTime
			for _, c := range one.earnings {
				one.listed.FirstTrade = min(one.listed.FirstTrade, c.DealTime)
			}
		}
		list = append(list, one)
	}
	return list
}

// worklistTruth lists the lines of an instant by scanning every record, with arithmetic independent
// of the program.
func worklistTruth(list []trader, zone *time.Location, now time.Time, limit int) (lines []string) {
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
		for _, c := range one.earnings {
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
		switch registered, first := dayOf(one.listed.RegisterTime), dayOf(one.listed.FirstTrade); {
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
		if since := today - dayOf(one.listed.FirstDeposit); one.listed.FirstDeposit.Known() && last == 0 && since >= 3 && since <= 30 {
			reasons = append(reasons, "no-trade "+dayOf(one.listed.FirstDeposit).String())
		}
		if text := milestoneTruth(one, byDay, today, dayOf(one.listed.FirstTrade), ever, worth, prices); text != "" {
			reasons = append(reasons, text)
		}
		if len(reasons) > 0 {
			slices.Sort(reasons)
			lines = append(lines, fmt.Sprintf("%s %s %s left %d %v | %s", one.account, one.listed.UID, state, left, limit > 0 && last != 0, strings.Join(reasons, " | ")))
		}
	}
	slices.Sort(lines)
	return lines
}

func milestoneTruth(one trader, byDay map[affiliate.Day]map[affiliate.Coin]*big.Rat, today, first affiliate.Day, ever map[affiliate.Coin]*big.Rat,
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

// fillTraders stores a drawn programme.
func (d *fixture) fillTraders(seed uint64) []trader {
	d.Helper()
	list := drawTraders(rand.New(rand.NewPCG(seed, 19)), d.zone)
	d.sample("BTC", "50000")
	for _, account := range []affiliate.Account{"main", "other"} {
		d.want(account, today-260)
		var rows []affiliate.Commission
		var listed []affiliate.Invitee
		for _, one := range list {
			if one.account == account {
				rows, listed = append(rows, one.earnings...), append(listed, one.listed)
			}
		}
		d.read(account, spot, days(-260, 0), rows...)
		d.read(account, futures, days(-260, 0))
		d.readInvitees(account, days(-364, 0), listed...)
	}
	return list
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
			d := newFixture(t, c.zone)
			d.InactivityLimit = c.limit
			list := d.fillTraders(uint64(seed))
			want := worklistTruth(list, d.zone, d.now, c.limit)
			view := d.worklist("per=500")
			if got := unordered(view); !slices.Equal(got, want) {
				t.Fatalf("the lines are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if len(want) < 10 || view.Today.Lines != len(want) {
				t.Errorf("%d lines, %d counted", len(want), view.Today.Lines)
			}
			for i := 1; i < len(view.Lines); i++ {
				if a, b := view.Lines[i-1], view.Lines[i]; a.Worth.Total.LessThan(b.Worth.Total) && a.Priced() == b.Priced() {
					t.Errorf("%s with %s stands before %s with %s", a.UID, a.Worth.Total, b.UID, b.Worth.Total)
				}
			}
			only := d.worklist("per=500&account=other&code=spring&reason=silent")
			n := 0
			for _, line := range want {
				uid := strings.Fields(line)[1]
				at := slices.IndexFunc(list, func(o trader) bool { return string(o.listed.UID) == uid && o.account == "other" })
				if strings.HasPrefix(line, "other ") && strings.Contains(line, " | silent ") && list[at].listed.InviteCode == "spring" {
					n++
				}
			}
			if only.Count != n {
				t.Errorf("%d silent invitees of one code and account, want %d", only.Count, n)
			}
			total := new(big.Rat)
			for _, row := range d.rows(worklist.File, "") {
				if row["coin"] == "XYZ" != (row["at_risk"] != "" && row["at_risk_usdt"] == "") {
					t.Errorf("the worth of %v", row)
				}
				if row["at_risk_usdt"] != "" {
					one, _ := new(big.Rat).SetString(row["at_risk_usdt"])
					total.Add(total, one)
				}
			}
			if sum, _ := new(big.Rat).SetString(view.Today.Worth.Total.String()); sum.Cmp(total) != 0 {
				t.Errorf("the file adds up to %s, the page says %s", total.FloatString(12), view.Today.Worth.Total)
			}
		})
	}
}

var manager = audit.Line{Actor: "ann", Via: "session"}

// act does something about an invitee of the account main.
func (d *fixture) act(uid affiliate.UID, list ...acts.Act) []int64 {
	d.Helper()
	ids, err := d.Service.DoWork(d.Context(), acts.Work{Account: "main", UID: uid, Acts: list}, manager)
	storetest.Done(d, err)
	return ids
}

// statuses prints the status of each line with its open reasons.
func (d *fixture) statuses(text string) string {
	d.Helper()
	var list []string
	for _, l := range d.worklist("show=all&sort=uid" + text).Lines {
		words := string(l.UID) + " " + string(l.Status)
		for _, r := range l.Reasons {
			if !r.Done {
				words += " " + string(r.Name)
			}
		}
		list = append(list, words)
	}
	return strings.Join(list, "; ")
}

// regular stores an invitee who earned 10 USDT on each of some days.
func (d *fixture) regular(last affiliate.Day, more ...affiliate.Day) {
	d.Helper()
	var rows []affiliate.Commission
	for day := today - 60; day <= last; day++ {
		rows = append(rows, d.earned(day, "USDT", "10"))
	}
	for _, day := range more {
		rows = append(rows, d.earned(day, "USDT", "10"))
	}
	now := affiliate.DayOf(d.now, time.UTC)
	span := affiliate.Days{First: today - 120, Last: now}
	d.read("main", spot, span, rows...)
	d.read("main", futures, span)
	d.readInvitees("main", affiliate.Days{First: today - 300, Last: now})
}

// A line that is done comes back for a new reason only: another one, or a later episode. What is
// snoozed comes back on its day, and what was undone at once. An earlier instant shows the list and
// the acts as they were known then.
func TestWorklistActs(t *testing.T) {
	t.Parallel()
	d := newFixture(t, "UTC")
	d.want("main", today-120)
	d.regular(today - 3)
	uid := d.earned(today, "USDT", "1").UID
	is := func(what, want string) {
		t.Helper()
		if got := d.statuses(""); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	pass := func(days int) { d.now = d.now.AddDate(0, 0, days) }
	is("at first", string(uid)+" open slowing")
	before := d.now
	pass(1)
	d.regular(today - 3)
	ids := d.act(uid, acts.Act{Kind: acts.ActDone})
	if again := d.act(uid, acts.Act{Kind: acts.ActDone}); !slices.Equal(ids, again) && len(again) != 1 {
		t.Errorf("a form sent twice acts as %v", again)
	}
	is("done while slowing and silent by three gaps", string(uid)+" done")
	storetest.Done(t, d.Service.UndoWork(t.Context(), "main", uid, d.act(uid, acts.Act{Kind: acts.ActDone})[0], manager))
	for _, a := range must(d.Service.WorkHistory(t.Context(), "main", uid, 0)) {
		if !a.Undone.Known() {
			storetest.Done(t, d.Service.UndoWork(t.Context(), "main", uid, a.ID, manager))
		}
	}
	is("undone", string(uid)+" open silent")
	d.act(uid, acts.Act{Kind: acts.ActSnoozed, Day: today + 3}, acts.Act{Kind: acts.ActAssigned, Owner: "bob"})
	is("snoozed", string(uid)+" snoozed silent")
	if mine := d.statuses("&owner=BOB"); mine == "" {
		t.Error("the owner has no line")
	}
	if others := d.statuses("&owner=ann"); others != "" {
		t.Errorf("somebody else's list: %q", others)
	}
	pass(2)
	d.regular(today - 3)
	is("on the day", string(uid)+" open silent")
	d.act(uid, acts.Act{Kind: acts.ActDone}, acts.Act{Kind: acts.ActPlanned, Day: today + 5})
	is("done", string(uid)+" done")
	contacted := d.now
	pass(2)
	d.regular(today-3, today+4)
	is("the next date, and a trade", string(uid)+" open next-date")
	line := d.worklist("").Lines[0]
	if c := line.Contact; c == nil || c.Traded != today+4 || c.Days() != 1 || c.Worth.Total.String() != "10" || !c.Away() {
		t.Errorf("what came of it: %+v", line.Contact)
	}
	if r := d.worklist("").Results; r.Contacts != 1 || r.Away != 1 || r.Back != 1 || r.Median.String() != "1" || r.Since.Total.String() != "10" {
		t.Errorf("what came of all contacts: %+v", r)
	}
	pass(4)
	d.regular(today-3, today+4)
	is("silent again", string(uid)+" open silent next-date")
	then := func(at time.Time) string { return d.statuses("&as_of=" + at.Format(time.RFC3339)) }
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
	d := newFixture(t, "UTC")
	d.want("main", today-120)
	d.regular(today - 3)
	desk, uid := d.Service, d.earned(today, "USDT", "1").UID
	for name, work := range map[string]acts.Work{
		"day that is over": {Account: "main", UID: uid, Acts: []acts.Act{{Kind: acts.ActSnoozed, Day: today}}},
		"day too far":      {Account: "main", UID: uid, Acts: []acts.Act{{Kind: acts.ActPlanned, Day: today + 400}}},
		"long owner":       {Account: "main", UID: uid, Acts: []acts.Act{{Kind: acts.ActAssigned, Owner: strings.Repeat("x", 81)}}},
		"nobody":           {Account: "main", UID: "1", Acts: []acts.Act{{Kind: acts.ActDone}}},
		"nothing":          {Account: "main", UID: uid},
		"long note":        {Account: "main", UID: uid, Note: strings.Repeat("x", people.MaxNote+1)},
	} {
		_, err := desk.DoWork(t.Context(), work, manager)
		storetest.Broken(t, err)
		if list := must(desk.WorkHistory(t.Context(), "main", uid, 0)); len(list) != 0 {
			t.Errorf("%s: %v was stored", name, list)
		}
	}
	_, err := desk.DoWork(t.Context(), acts.Work{Account: "main", UID: uid, Note: " Wants 45 %.\r\n", Acts: []acts.Act{{Kind: acts.ActDismissed}}}, manager)
	storetest.Done(t, err)
	if l := d.worklist("show=done").Lines; len(l) != 1 || l[0].Note.Text != "Wants 45 %." || l[0].Note.Author != "ann" || l[0].Contact != nil {
		t.Errorf("the dismissed line: %+v", l)
	}
	if err := desk.UndoWork(t.Context(), "other", uid, 1, manager); err == nil {
		t.Error("an act of another account is undone")
	}
}

// Every engine gives the same worklist, with acts, owners, filters and earlier states.
func TestWorklistOnEngines(t *testing.T) {
	servers := storetest.Servers(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "desk.db")
	storetest.Place(t, path)
	all := func(d *fixture) (list []string) {
		d.InactivityLimit = 45
		d.fillTraders(3)
		before := d.now
		lines := d.worklist("account=main&per=500").Lines
		for i, act := range []acts.Act{{Kind: acts.ActDone}, {Kind: acts.ActAssigned, Owner: "Zoë"}, {Kind: acts.ActSnoozed, Day: today + 4}, {Kind: acts.ActPlanned, Day: today + 1}, {Kind: acts.ActAssigned, Owner: "bob"}} {
			ids, err := d.Service.DoWork(t.Context(), acts.Work{Account: "main", UID: lines[i].UID, Acts: []acts.Act{act}, Note: fmt.Sprint("note ", i)}, manager)
			storetest.Done(t, err)
			if i == 4 {
				storetest.Done(t, d.Service.UndoWork(t.Context(), "main", lines[i].UID, ids[0], manager))
			}
		}
		d.now = d.now.AddDate(0, 0, 1)
		for _, text := range []string{"per=500&show=all", "owner=zo%C3%AB&show=all", "owner=-&sort=uid", "code=spring&reason=silent", "q=70", "show=snoozed", "as_of=" + before.Add(time.Minute).Format(time.RFC3339)} {
			view := d.worklist(text)
			for _, l := range view.Lines {
				list = append(list, fmt.Sprint(text, " ", l.Account, " ", l.UID, reasonsOf(l), " ", l.Status, " ", l.Owner, " ", l.Note.Text, " ", l.Worth.Total, " ", l.LastTrade, " ", l.Contact != nil))
			}
			list = append(list, fmt.Sprintf("%d %v %v %v %v", view.Count, view.Today, view.Reasons, view.Owners, view.Results))
		}
		file, _ := d.export(worklist.File, export.CSV, d.queryOf("show=all", worklist.Accepted))
		return append(list, file)
	}
	want := all(newFixtureAt(t, "Asia/Kathmandu", path))
	if len(want) < 30 {
		t.Fatalf("only %d lines are compared", len(want))
	}
	for engine, empty := range servers {
		got := all(newFixtureAt(t, "Asia/Kathmandu", empty(t)))
		if !slices.Equal(got, want) {
			t.Errorf("%s gives\n%s\nSQLite gives\n%s", engine, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
