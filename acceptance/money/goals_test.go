package money_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
)

var (
	goalMonth  = regexp.MustCompile(`name="month" value="(\d{4}-\d{2})"`)
	goalChange = regexp.MustCompile(`action="(/forecast/goals/\d+)"`)
)

// goalsOn returns the words of the section of goals.
func goalsOn(page string) string {
	_, section, _ := strings.Cut(page, `id="goals"`)
	section, _, _ = strings.Cut(section, "</section>")
	return strings.Join(strings.Fields(html.UnescapeString(site.Tags.ReplaceAllString(section, " "))), " ")
}

// A manager sets, changes, copies and removes goals. What is wrong with one stands at its field
// and keeps what was typed; a viewer reads them only.
func TestGoalsOnTheForecast(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	manager, viewer := p.As("mia", access.Manager), p.As("vera", access.Viewer)
	page := manager.Get("/forecast").Body
	found := goalMonth.FindStringSubmatch(page)
	if found == nil || !strings.Contains(goalsOn(page), "No goal is set for this month.") {
		t.Fatalf("the page says %q", goalsOn(page))
	}
	month := found[1]
	add := func(fields ...string) site.Answer {
		return manager.Post("/forecast/goals", append([]string{"month", month}, fields...)...)
	}
	for _, wrong := range [][]string{
		{"Give the amount in digits", "amount", "8,000", "coin", "USDT"}, {"A goal is more than 0", "amount", "-5", "coin", "USDT"},
		{"Give the amount in digits", "amount", strings.Repeat("9", 21), "coin", ""}, {"No commission in \"XYZ\" is stored", "amount", "5", "coin", "XYZ"},
		{"No invitee has the invite code \"<b>\"", "amount", "5", "code", "<b>"}, {"No invitee has the tag \"none\"", "amount", "5", "tag", "none"},
		{"There is no account \"x\"", "amount", "5", "account", "x"},
	} {
		a := add(wrong[1:]...)
		if a.StatusCode != 400 || !strings.Contains(goalsOn(a.Body), wrong[0]) || !strings.Contains(a.Body, `value="`+html.EscapeString(wrong[2])+`"`) {
			t.Errorf("%q: status %d, %q", wrong, a.StatusCode, goalsOn(a.Body))
		}
	}
	for bad, status := range map[string]int{"": 400, "soon": 400, "1999-01": 400, "2026-13": 400} {
		if a := manager.Post("/forecast/goals", "month", bad, "amount", "5"); a.StatusCode != status {
			t.Errorf("the month %q: status %d", bad, a.StatusCode)
		}
	}
	a := add("amount", "0.01", "coin", "usdt")
	if a.StatusCode != 303 || a.Header.Get("Location") != "/forecast?done=added&month="+month+"#goals" {
		t.Fatalf("status %d, to %q: %s", a.StatusCode, a.Header.Get("Location"), goalsOn(a.Body))
	}
	add("amount", "1000000", "coin", "")
	if a := add("amount", "5", "coin", "USDT"); a.StatusCode != 400 || !strings.Contains(goalsOn(a.Body), "There is a goal for this already, of 0.01") {
		t.Errorf("the same goal again: status %d, %q", a.StatusCode, goalsOn(a.Body))
	}
	page = manager.Get("/forecast?done=added&month=" + month).Body
	for _, want := range []string{"The goal is added.", "All coins, in USDT", "USDT Reached on", "of 1,000,000 USDT"} {
		if !strings.Contains(goalsOn(page), want) {
			t.Errorf("the page lacks %q: %q", want, goalsOn(page))
		}
	}
	if card := viewer.Get("/").Body; !strings.Contains(card, "Reached on") {
		t.Error("the overview has no goals")
	}
	if page := viewer.Get("/forecast").Body; !strings.Contains(goalsOn(page), "Reached on") || strings.Contains(page, `action="/forecast/goals`) {
		t.Error("a viewer does not read the goals, or may change them")
	}
	if a := viewer.Post("/forecast/goals", "month", month, "amount", "1"); a.StatusCode != 403 {
		t.Errorf("a goal of a viewer: status %d", a.StatusCode)
	}
	change := goalChange.FindStringSubmatch(page)[1]
	if a := manager.Post(change, "month", month, "amount", "zero"); a.StatusCode != 400 || !strings.Contains(a.Body, `value="zero"`) {
		t.Errorf("a change to no number: status %d", a.StatusCode)
	}
	if a := manager.Post(change, "month", month, "amount", "2000000"); a.StatusCode != 303 {
		t.Errorf("a change: status %d", a.StatusCode)
	}
	if a := manager.Post(change, "month", month, "amount", "3000000"); a.StatusCode != 409 || !strings.Contains(a.Body, "meanwhile") {
		t.Errorf("a change of an old version: status %d", a.StatusCode)
	}
	page = manager.Get("/forecast").Body
	if !strings.Contains(goalsOn(page), "of 2,000,000 USDT") {
		t.Errorf("after the change: %q", goalsOn(page))
	}
	removed := manager.Post(goalChange.FindStringSubmatch(page)[1]+"/remove", "month", month)
	if removed.StatusCode != 303 {
		t.Errorf("removing: status %d", removed.StatusCode)
	}
	confirmed := manager.Get(strings.TrimSuffix(removed.Header.Get("Location"), "#goals")).Body
	undo := regexp.MustCompile(`action="(/forecast/goals/-?\d+/restore)"`).FindStringSubmatch(confirmed)
	if undo == nil || strings.Contains(goalsOn(confirmed), "of 2,000,000 USDT") {
		t.Fatalf("what was removed cannot be restored: %q", goalsOn(confirmed))
	}
	for _, want := range []int{303, 409} { // the second is a double click
		if a := manager.Post(undo[1], "month", month); a.StatusCode != want {
			t.Errorf("restoring: status %d, want %d", a.StatusCode, want)
		}
	}
	if a := viewer.Post(undo[1], "month", month); a.StatusCode != 403 {
		t.Errorf("a viewer restores: status %d", a.StatusCode)
	}
	page = manager.Get("/forecast?done=restored&month=" + month).Body
	if !strings.Contains(goalsOn(page), "The goal is restored.") || strings.Count(goalsOn(page), "of 2,000,000 USDT") != 1 {
		t.Errorf("after the restoration: %q", goalsOn(page))
	}
	manager.Post(goalChange.FindStringSubmatch(page)[1]+"/remove", "month", month)
	next := html.UnescapeString(regexp.MustCompile(`href="([^"]+)" aria-label="The month after"`).FindStringSubmatch(page)[1])
	page = manager.Get(next).Body
	if !strings.Contains(goalsOn(page), "Copy 1 goal of") {
		t.Fatalf("next month: %q", goalsOn(page))
	}
	if a := manager.Post("/forecast/goals/copy", "month", goalMonth.FindStringSubmatch(page)[1]); a.StatusCode != 303 {
		t.Errorf("copying: status %d", a.StatusCode)
	}
	if page := goalsOn(manager.Get(next).Body); !strings.Contains(page, "Begins on") || strings.Contains(page, "Copy") {
		t.Errorf("after copying: %q", page)
	}
}

// A goal about something that is gone cannot be restored, as it cannot be added.
func TestGoalOfRemovedSegment(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	manager := p.As("mia", access.Manager)
	month := goalMonth.FindStringSubmatch(manager.Get("/forecast").Body)[1]
	if a := manager.Post("/segments", "name", "Passing", "first_trade", "yes"); a.StatusCode != 303 {
		t.Fatalf("a segment: status %d", a.StatusCode)
	}
	if a := manager.Post("/forecast/goals", "month", month, "amount", "5", "segment", "Passing"); a.StatusCode != 303 {
		t.Fatalf("a goal: status %d, %s", a.StatusCode, goalsOn(a.Body))
	}
	goal := goalChange.FindStringSubmatch(manager.Get("/forecast").Body)[1]
	if a := manager.Post(goal+"/remove", "month", month); a.StatusCode != 303 {
		t.Fatalf("removing the goal: status %d", a.StatusCode)
	}
	form := manager.Get(regexp.MustCompile(`href="(/segments/-?\d+)"`).FindStringSubmatch(manager.Get("/segments").Body)[1])
	action := regexp.MustCompile(`action="(/segments/-?\d+)/remove"`).FindStringSubmatch(form.Body + manager.Get("/segments").Body)
	version := regexp.MustCompile(`name="version" value="(\d+)"`).FindStringSubmatch(form.Body)
	if action == nil || version == nil {
		t.Fatal("the segment has no form that removes it")
	}
	if a := manager.Post(action[1]+"/remove", "version", version[1]); a.StatusCode != 303 {
		t.Fatalf("removing the segment: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	if a := manager.Post(goal+"/restore", "month", month); a.StatusCode != 400 || !strings.Contains(site.WordsOf(a.Body), "There is no segment") {
		t.Errorf("restoring the goal: status %d", a.StatusCode)
	}
}

// What silent invitees used to bring stands on its page, which the forecast loads.
func TestRevenueAtRisk(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	vera := p.As("vera", access.Viewer)
	if page := vera.Get("/forecast?coin=USDT").Body; !strings.Contains(page, `hx-get="/forecast/at-risk?coin=USDT"`) {
		t.Error("the forecast does not load what is at risk")
	}
	page := vera.Get("/forecast/at-risk").Body
	if !strings.Contains(page, `id="at-risk"`) || !strings.Contains(page, "estimate") {
		t.Error("the page lacks its section")
	}
	if a := vera.Get("/forecast/at-risk?product=SPOT"); a.StatusCode != 400 {
		t.Errorf("by product: status %d", a.StatusCode)
	}
}
