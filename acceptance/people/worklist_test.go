package people_test

import (
	"fmt"
	"html"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/store/people"
)

var worklistVersion = regexp.MustCompile(`name="version" value="(\d+)"`)

// onWorklist returns the row of an invitee in the file of the worklist with all lines; nil: none.
func onWorklist(v *site.Visitor, uid string) map[string]string {
	v.Helper()
	for _, row := range cellsOf(v, "/worklist.csv?show=all&uid="+uid) {
		return row
	}
	return nil
}

// cellsOf returns the rows of a CSV file, each cell under its column name.
func cellsOf(v *site.Visitor, path string) (list []map[string]string) {
	v.Helper()
	a := v.Get(path)
	if a.StatusCode != 200 {
		v.Fatalf("%s: status %d", path, a.StatusCode)
	}
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(a.Body, "\ufeff"), "\r\n"), "\r\n")
	names := strings.Split(lines[0], ",")
	for _, line := range lines[1:] {
		cells := strings.Split(line, ",")
		if len(cells) != len(names) {
			v.Fatalf("%d cells in %q, want %d", len(cells), line, len(names))
		}
		row := map[string]string{}
		for i, name := range names {
			row[name] = cells[i]
		}
		list = append(list, row)
	}
	return list
}

// seen returns a page of the worklist, and the version that its forms carry.
func seen(v *site.Visitor, path string) (page, version string) {
	v.Helper()
	a := v.Get(path)
	found := worklistVersion.FindStringSubmatch(a.Body)
	if a.StatusCode != 200 || found == nil {
		v.Fatalf("%s: status %d, without forms", path, a.StatusCode)
	}
	return a.Body, found[1]
}

// Managers act on the worklist, and viewers see it. What is wrong with a form is said with its
// entries, and who comes second sees what the first did. The owner is that of the person.
func TestWorklistPage(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	mia, max, vera := p.As("mia", access.Manager), p.As("max", access.Manager), p.As("vera", access.Viewer)
	page, version := seen(mia, "/worklist")
	rows := cellsOf(mia, "/worklist.csv?show=open")
	if len(rows) < 4 {
		t.Fatalf("%d lines", len(rows))
	}
	uid, other := rows[0]["uid"], rows[len(rows)-1]["uid"]
	if !strings.Contains(page, `id="line-main-`+uid+`"`) {
		t.Errorf("the page has no line of %s", uid)
	}
	if body := vera.Get("/worklist").Body; !strings.Contains(body, uid) || strings.Contains(body, `action="/worklist/`) || strings.Contains(body, "data-undo") {
		t.Error("a viewer sees no line, or can act")
	}
	if a := vera.Post("/worklist/"+uid, "account", "main", "act", "done", "version", version); a.StatusCode != 403 {
		t.Errorf("a viewer acts: status %d", a.StatusCode)
	}

	tomorrow := site.Now.AddDate(0, 0, 1).Format(time.DateOnly)
	for _, wrong := range []struct {
		path   string
		status int
		says   string
		fields []string
	}{
		{"/worklist/" + uid, 400, "Choose a day after today, 2026-11-20.", []string{"act", "snoozed", "day", "2026-11-20"}},
		{"/worklist/" + uid, 400, "Choose a day, such as 2026-10-07.", []string{"act", "snoozed", "day", "soon"}},
		{"/worklist/" + uid, 400, "Choose a day in the next year", []string{"act", "noted", "note", "Kept <words>", "next", "2031-01-01"}},
		{"/worklist/" + uid, 400, "The owner is longer than", []string{"act", "assigned", "owner", strings.Repeat("x", 200)}},
		{"/worklist/" + uid, 400, "write a note, or choose what to do", []string{"act", "noted", "note", " "}},
		{"/worklist/" + uid, 400, "The note is longer than", []string{"act", "noted", "note", strings.Repeat("x", people.MaxNote+1)}},
		{"/worklist/" + uid, 400, "open the page again", []string{"act", "sold"}},
		{"/worklist/" + uid, 400, "which version it changes", []string{"act", "done", "version", ""}},
		{"/worklist/" + uid, 400, "The form is damaged", []string{"act", "done", "version", "x"}},
		{"/worklist/1", 404, "Nothing is known of such an invitee", []string{"act", "done"}},
		{"/worklist/%3Cb%3E", 404, "Nothing is known of such an invitee", []string{"act", "done"}},
		{"/worklist/" + uid + "/undo/77", 404, "There is no such act", nil},
		{"/worklist/" + uid + "/undo/x", 404, "", nil},
	} {
		mia.Get("/worklist")
		a := mia.Post(wrong.path, append([]string{"account", "main", "version", version}, wrong.fields...)...)
		if a.StatusCode != wrong.status || !strings.Contains(site.WordsOf(a.Body), wrong.says) {
			t.Errorf("%s %q: status %d without %q: %s", wrong.path, wrong.fields, a.StatusCode, wrong.says, site.WordsOf(a.Body))
		}
		if slices.Contains(wrong.fields, "Kept <words>") && !strings.Contains(a.Body, html.EscapeString("Kept <words>")) {
			t.Error("the page of a refused form lost the note")
		}
	}
	whole := strings.Count(mia.Get("/worklist").Body, `id="line-main-`)
	refused := mia.PostWith([]string{"Referer", p.Address + "/worklist"}, "/worklist/"+uid, "account", "main", "version", version, "act", "noted", "note", " ")
	if lines := strings.Count(refused.Body, `id="line-main-`); refused.StatusCode != 400 || lines != whole || whole < 4 {
		t.Errorf("after a refused form the list has %d of %d lines (status %d)", lines, whole, refused.StatusCode)
	}
	if row := onWorklist(mia, uid); row["note"] != "" || row["owner"] != "" || row["snoozed_until"] != "" {
		t.Errorf("refused forms left %v", row)
	}

	act := func(v *site.Visitor, version string, fields ...string) site.Answer {
		t.Helper()
		return v.PostWith([]string{"Referer", p.Address + "/worklist"}, "/worklist/"+uid, append([]string{"account", "main", "version", version}, fields...)...)
	}
	_, before := seen(max, "/worklist")
	_, version = seen(mia, "/worklist")
	if a := act(mia, version, "act", "done", "note", "Wants 45 %.", "next", tomorrow); a.StatusCode != 303 || a.Header.Get("Location") != "/worklist" {
		t.Fatalf("done: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	if row := onWorklist(mia, uid); row["note"] != "Wants 45 %." {
		t.Errorf("the done line is %v", row)
	}
	if body := mia.Get("/worklist").Body; strings.Contains(body, `id="line-main-`+uid+`"`) || !strings.Contains(site.WordsOf(body), uid+" : you planned the next contact for 21 Nov 2026") {
		t.Errorf("the done line stands there, or nothing can be undone: %s", site.WordsOf(body))
	}
	a := act(max, before, "act", "snoozed", "day", tomorrow, "note", "Unsaved words.")
	if a.StatusCode != 409 || !strings.Contains(site.WordsOf(a.Body), "mia got in touch") || !strings.Contains(a.Body, "Unsaved words.") || !strings.Contains(a.Body, `id="line-main-`+uid+`"`) {
		t.Fatalf("the second one: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	if row := onWorklist(mia, uid); row["snoozed_until"] != "" || row["note"] != "Wants 45 %." {
		t.Errorf("the second one overwrote the first: %v", row)
	}
	_, version = seen(max, "/worklist?show=all")
	if a := act(max, version, "act", "assigned", "owner", "Zoë’s team"); a.StatusCode != 303 {
		t.Fatalf("assign: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	owned := "/worklist.csv?show=all&owner=" + url.QueryEscape("zoë’s TEAM")
	if list := cellsOf(mia, owned); len(list) == 0 || slices.ContainsFunc(list, func(row map[string]string) bool { return row["uid"] != uid || row["owner"] != "Zoë’s team" }) {
		t.Errorf("the owner's list is %v", list)
	}
	if file := mia.Get("/people/import.csv").Body; !strings.Contains(file, uid+",,,,Zoë’s team,,,") {
		t.Errorf("the people file has not the owner: %s", file)
	}
	if a := mia.Post("/people/import", "file", "x"); a.StatusCode == 500 {
		t.Error("the import fails")
	}
	history := site.WordsOf(mia.Get("/invitees/" + uid).Body)
	for _, want := range []string{"mia got in touch (", "mia planned the next contact for 21 Nov 2026", "max made Zoë’s team the owner"} {
		if !strings.Contains(history, want) {
			t.Errorf("the page of the invitee lacks %q", want)
		}
	}
	undo := regexp.MustCompile(`/worklist/` + uid + `/undo/\d{16}`).FindString(max.Get("/worklist").Body)
	if a := max.Post(undo, "account", "main"); undo == "" || a.StatusCode != 303 {
		t.Fatalf("undo %q: status %d", undo, a.StatusCode)
	}
	if row := onWorklist(mia, uid); row["owner"] != "" {
		t.Errorf("the undone owner is %q", row["owner"])
	}
	_, version = seen(mia, "/worklist")
	if a := mia.Post("/worklist/"+other, "account", "main", "version", version, "act", "snoozed", "day", tomorrow); a.StatusCode != 303 {
		t.Errorf("snooze: status %d", a.StatusCode)
	}
	if row := onWorklist(mia, other); row["snoozed_until"] != tomorrow {
		t.Errorf("the snoozed line is %v", row)
	}
	p.Clock.Pass(24 * time.Hour)
	mia = p.SignedInAs("mia")
	if list := cellsOf(mia, "/worklist.csv?show=open&uid="+uid); len(list) == 0 {
		t.Errorf("on the next date the line is %v", cellsOf(mia, "/worklist.csv?show=all&uid="+uid))
	}
}

// The worklist is what its rules say about the files of all commissions and invitees, computed here
// by other means, with a limit of inactivity and in another zone.
func TestWorklistIsThatOfTheFiles(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		t.Fatal(err)
	}
	const limit = 40
	f := site.OpenProgramme(t, zone, simulator.Options{Seed: 1, Days: 200, Invitees: 150, Records: 30_000})
	f.Service.InactivityLimit = limit
	y, m, d := site.Now.In(zone).Date()
	today := int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	dayOf := func(text string) int {
		if text == "" {
			return 0
		}
		at, err := time.Parse("2006-01-02T15:04:05.000Z", text)
		if err != nil {
			t.Fatal(err)
		}
		y, m, d := at.In(zone).Date()
		return int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	}
	lives, listed := f.Lives(zone, today), map[string]map[string]string{}
	uids := map[string]bool{}
	for _, row := range f.Rows("/invitees.csv?range=all") {
		listed[row["uid"]], uids[row["uid"]] = row, true
	}
	for uid := range lives {
		uids[uid] = true
	}
	type wanted struct {
		reasons []string
		risk    *big.Rat // nil: the weightiest reason has no amount
	}
	want, reasons := map[string]wanted{}, map[string]int{}
	ten := big.NewRat(10, 1)
	for uid := range uids {
		l, w := lives[uid], wanted{}
		if l == nil {
			l = &site.Life{}
		}
		var usual *big.Rat
		if sum := l.Recent["USDT"]; sum != nil && sum.Sign() > 0 {
			usual = new(big.Rat).Mul(sum, big.NewRat(30, int64(max(30, l.Days[len(l.Days)-1]-l.Days[0]+1))))
		}
		silence, gap := today-l.Last, l.Gap()
		if usual != nil && usual.Cmp(ten) >= 0 {
			switch {
			case gap > 0 && 2*silence > min(60, 3*gap):
				w.reasons = append(w.reasons, "silent")
			case gap > 0 && 2*silence > gap:
				w.reasons = append(w.reasons, "slowing")
			}
			if l.Last > 0 && silence <= limit && silence >= limit-7 {
				w.reasons = append(w.reasons, "days-left")
			}
		}
		if len(w.reasons) > 0 {
			w.risk = usual
		}
		deposit, first := dayOf(listed[uid]["first_deposit_utc"]), dayOf(listed[uid]["first_trade_utc"])
		if deposit > 0 && first == 0 && l.Last == 0 && today-deposit >= 3 && today-deposit <= 30 {
			w.reasons = append(w.reasons, "no-trade")
		}
		if ever := l.Ever["USDT"]; first > 0 && today-first < 7 && ever != nil && ever.Cmp(ten) >= 0 {
			w.reasons = append(w.reasons, "milestone")
		}
		if len(w.reasons) > 0 {
			want[uid] = w
			for _, reason := range w.reasons {
				reasons[reason]++
			}
		}
	}
	for _, reason := range []string{"silent", "slowing", "days-left", "no-trade"} {
		if reasons[reason] == 0 {
			t.Errorf("nobody has the reason %s: %v", reason, reasons)
		}
	}
	lower := map[string]bool{} // of them the rates say more than these files
	for _, row := range f.Rows("/worklist.csv?show=all&coin=USDT&reason=lower-rate") {
		lower[row["uid"]] = true
	}
	rows := f.Rows("/worklist.csv?show=all&coin=USDT")
	var last *big.Rat
	for i, row := range rows {
		uid, w := row["uid"], want[row["uid"]]
		l := lives[uid]
		if l == nil {
			l = &site.Life{}
		}
		left, gap := "", ""
		if l.Last > 0 {
			left = strconv.Itoa(limit - (today - l.Last))
		}
		if n := l.Gap(); n > 0 {
			gap = halfDays(n)
		}
		if row["days_left"] != left || row["usual_gap_days"] != gap || l.Last > 0 && row["days_silent"] != strconv.Itoa(today-l.Last) {
			t.Errorf("row %d: %v; want %s days left, usual gap %s", i, row, left, gap)
		}
		worth, _ := new(big.Rat).SetString("0" + row["at_risk_usdt"])
		if last != nil && worth.Cmp(last) > 0 {
			t.Errorf("row %d is worth more than the one before", i)
		}
		last = worth
		if lower[uid] {
			if w.risk != nil && row["reason"] != "lower-rate" && !site.Same(row["at_risk"], w.risk) {
				t.Errorf("row %d: %v; want %v", i, row, w)
			}
		} else if !slices.Contains(w.reasons, row["reason"]) || !site.Same(row["at_risk"], w.risk) {
			t.Errorf("row %d: %v; want %v", i, row, w)
		}
		delete(want, uid)
	}
	for uid, w := range want {
		t.Errorf("%s is not on the worklist: %v", uid, w)
	}
	for reason, n := range reasons {
		if list := f.Rows(fmt.Sprintf("/worklist.csv?show=all&coin=USDT&reason=%s", reason)); len(list) != n {
			t.Errorf("%d rows with the reason %s, want %d", len(list), reason, n)
		}
	}
	page := site.WordsOf(site.Get(t, f.Address+"/worklist?coin=USDT").Body)
	for _, words := range []string{"Today: 10 invitees, for ", fmt.Sprintf(" %d more can wait.", len(rows)-10), fmt.Sprintf("Later %d invitees can wait", len(rows)-10)} {
		if !strings.Contains(page, words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	if page := site.WordsOf(site.Get(t, f.Address+"/worklist").Body); !strings.Contains(page, "To do 10 , 10 invitees for today") {
		t.Error("the navigation does not say how many wait")
	}
	if affiliate.UID(rows[0]["uid"]) == "" || !strings.Contains(page, rows[0]["uid"]) {
		t.Error("the page does not begin with the first row")
	}
}

// halfDays writes a number of half days as days.
func halfDays(n int) string {
	return strings.TrimSuffix(strconv.FormatFloat(float64(n)/2, 'f', 1, 64), ".0")
}
