package money_test

import (
	"encoding/csv"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// The people of a row are those whose commission it has, also whom the exchange never listed. When a cost
// was paid back, what came since and what came per head is of all time, whatever the range; without a cost in
// the range the commission stands.
func TestReturnsOfARange(t *testing.T) {
	t.Parallel()
	today := affiliate.DayOf(site.Now, time.UTC)
	var rows []affiliate.Commission
	for back := 120; back >= 0; back-- {
		for n, uid := range []affiliate.UID{"4667776801", "4667776802", "4667776803"} {
			c := earnedOn(today-affiliate.Day(back), "1")
			if c.UID = uid; n == 0 || back%2 == 0 {
				rows = append(rows, c)
			}
		}
	}
	o := openRows(t, today-120, rows...)
	for _, uid := range []affiliate.UID{"4667776801", "4667776802"} {
		storetest.Done(t, people.AddTag(t.Context(), o.Store, "main", uid, "gold", audit.Line{Actor: "mia"}))
	}
	slice := records.Slice{Account: "main", Stream: affiliate.Stream{Kind: affiliate.Invitees}, Days: affiliate.Days{First: today - 120, Last: today}, Started: site.Now, Through: affiliate.MillisOf(site.Now)}
	_, err := records.ReplaceInvitees(t.Context(), o.Store, slice, []affiliate.Invitee{{UID: "4667776801", RegisterTime: affiliate.MillisOf((today - 120).Start(time.UTC))}})
	storetest.Done(t, err)
	v := o.As("mia", access.Manager)
	v.Get("/returns")
	if a := v.Post("/returns/costs", "scope", "tag", "value", "gold", "kind", "once", "amount", "15", "coin", "USDT", "from", (today - 100).String()); a.StatusCode != 303 {
		t.Fatalf("a cost: status %d: %.500s", a.StatusCode, a.Body)
	}
	// From 100 days ago on 1 a day and 1 every other day, the first of them included: 3 in two days.
	paid := (today - 100 + 9).String()
	for query, want := range map[string][]string{
		"":                   {"2", "15", "152", "137", "1013.3", paid, "0"}, // 101 + 51
		"?range=30d":         {"2", "0", "45", "45", "", paid, "0"},          // 30 + 15, and no cost in these days
		"?range=7d&tag=gold": {"2", "0", "11", "11", "", paid, "0"},
	} {
		a := v.Get("/returns.csv" + query)
		list, err := csv.NewReader(strings.NewReader(a.Body)).ReadAll()
		if err != nil || len(list) != 2 {
			t.Fatalf("%s: status %d: %s, %v", query, a.StatusCode, a.Body, err)
		}
		for name, want := range map[string]string{"listed": "1", "unlisted": "1", "life_from": (today - 100).String(), "life_to": today.String(), "life_coin": "USDT", "life_cost": "15",
			"life_commission": "152", "life_return": "137", "since_paid_back": "137", "life_cost_per_invitee": "7.5", "life_commission_per_invitee": "76"} {
			if got := list[1][slices.Index(list[0], name)]; got != want {
				t.Errorf("%s: %s is %q, want %q", query, name, got, want)
			}
		}
		for i, name := range []string{"invitees", "cost", "commission", "return", "return_percent", "paid_back", "missing"} {
			got := list[1][slices.Index(list[0], name)]
			if got != want[i] && (name != "return_percent" || want[i] == "" || !strings.HasPrefix(got, want[i])) {
				t.Errorf("%s: %s is %q, want %q", query, name, got, want[i])
			}
		}
	}
	page := strings.Join(strings.Fields(site.Tags.ReplaceAllString(v.Get("/returns?range=30d").Body, " ")), " ")
	for _, words := range []string{"No cost of the tag gold fell due", "45.00\u00a0USDT of commission came", "paid back on " + (today - 91).Format("2 Jan 2006") + ", and 137.00\u00a0USDT came since then",
		"since the first cost, 152.00\u00a0USDT of commission for 15.00\u00a0USDT, 10.1 ×", "10.1 × the cost", "after 9 days 137.00 since", "1 not listed", "76.00\u00a0USDT cost 7.50"} {
		if !strings.Contains(strings.ReplaceAll(page, " USDT", "\u00a0USDT"), words) {
			t.Errorf("the page does not say %q: %s", words, page)
		}
	}
	storetest.Done(t, people.AddTag(t.Context(), o.Store, "main", "4667776803", "silver", audit.Line{Actor: "mia"}))
	if a := v.Post("/returns/costs", "scope", "tag", "value", "silver", "kind", "once", "amount", "5", "coin", "USDT", "from", (today - 100).String()); a.StatusCode != 303 {
		t.Fatalf("a cost: status %d: %.500s", a.StatusCode, a.Body)
	}
	both := strings.ReplaceAll(site.Said(v.Get("/returns?range=30d").Body, "answer"), " USDT", "\u00a0USDT")
	if words := "60.00\u00a0USDT of commission came; since the first cost, 203.00\u00a0USDT of commission for 20.00\u00a0USDT, 10.2 ×; all 2 have paid back"; !strings.HasPrefix(both, "No cost fell due in") || !strings.Contains(both, words) {
		t.Errorf("of both rows the page says %q, want %q", both, words)
	}
}

// A cost is added, ended, removed and restored on the page, which keeps its range. A form that is refused
// keeps what was typed, and one about an old version is a conflict.
func TestCostsAreWritten(t *testing.T) {
	t.Parallel()
	today := affiliate.DayOf(site.Now, time.UTC)
	o := openRows(t, today-120, earnedOn(today-1, "1"))
	storetest.Done(t, people.AddTag(t.Context(), o.Store, "main", "4667776801", "gold", audit.Line{Actor: "mia"}))
	manager, viewer := o.As("mia", access.Manager), o.As("vera", access.Viewer)
	manager.Get("/returns")
	viewer.Get("/account")
	from := []string{"Referer", manager.Address + "/returns?range=30d&done=removed&undo=5"}
	cost := func(fields ...string) site.Answer {
		return manager.PostWith(from, "/returns/costs", append([]string{"scope", "tag", "value", "gold", "kind", "monthly", "coin", "USDT", "from", (today - 90).String()}, fields...)...)
	}
	for words, wrong := range map[string][]string{
		"The cost is negative": {"amount", "-7"}, "The amount has a comma": {"amount", "1,5"}, "Give a day such as": {"amount", "7", "to", "soon"},
		"The last day, ": {"amount", "7", "to", (today - 95).String()},
	} {
		if a := cost(wrong...); a.StatusCode != 400 || !strings.Contains(a.Body, words) || !strings.Contains(a.Body, `value="`+wrong[len(wrong)-1]+`"`) {
			t.Errorf("%q: status %d", wrong, a.StatusCode)
		}
	}
	if a := cost("amount", "7"); a.StatusCode != 303 || a.Header.Get("Location") != "/returns?done=added&range=30d" {
		t.Fatalf("adding: status %d to %q", a.StatusCode, a.Header.Get("Location"))
	}
	if a := cost("amount", "8"); a.StatusCode != 400 || !strings.Contains(a.Body, "already has a cost of this kind on these days: 7 USDT monthly") {
		t.Errorf("a second one: status %d", a.StatusCode)
	}
	if a := viewer.Post("/returns/costs", "amount", "8"); a.StatusCode != 403 {
		t.Errorf("a viewer adds: status %d", a.StatusCode)
	}
	stored := regexp.MustCompile(`action="(/returns/costs/\d+)/(?:end|remove)"`)
	first := stored.FindStringSubmatch(manager.Get("/returns").Body)[1]
	if a := manager.PostWith(from, first+"/end", "to", today.String()); a.StatusCode != 303 || a.Header.Get("Location") != "/returns?done=ended&range=30d" {
		t.Errorf("ending: status %d to %q", a.StatusCode, a.Header.Get("Location"))
	}
	if a := manager.Post(first+"/remove", "x", "y"); a.StatusCode != 409 || !strings.Contains(a.Body, "changed or removed meanwhile") {
		t.Errorf("removing an old version: status %d", a.StatusCode)
	}
	second := stored.FindStringSubmatch(manager.Get("/returns").Body)[1]
	to := manager.PostWith(from, second+"/remove").Header.Get("Location")
	page := manager.Get(to).Body
	if to != "/returns?done=removed&range=30d&undo="+strings.TrimPrefix(second, "/returns/costs/") || !strings.Contains(page, `action="`+second+`/restore"`) {
		t.Fatalf("removed: to %q", to)
	}
	if strings.Contains(viewer.Get(to).Body, "/restore") {
		t.Error("a viewer is offered to restore it")
	}
	for _, want := range []int{303, 409} { // the second is a double click
		if a := manager.Post(second + "/restore"); a.StatusCode != want {
			t.Errorf("restoring: status %d, want %d", a.StatusCode, want)
		}
	}
	if page := manager.Get("/returns").Body; len(stored.FindAllString(page, -1)) == 0 || strings.Contains(page, second+"/") {
		t.Error("the cost is not there again, under another number")
	}
	var said []string
	for _, l := range storetest.AuditLines(t, o.Store, audit.LogQuery{}) {
		if strings.HasPrefix(l.Action, "cost ") {
			said = append(said, strings.Join([]string{l.Actor, l.Via, l.Action, l.Object, l.Detail}, " | "))
		}
	}
	began, ended := "7 USDT monthly from "+(today-90).String(), "7 USDT monthly from "+(today-90).String()+" to "+today.String()
	if want := []string{
		"mia | session | cost added | tag gold | " + began,
		"mia | session | cost ended | tag gold | " + ended + " instead of " + began,
		"mia | session | cost removed | tag gold | " + ended,
		"mia | session | cost restored | tag gold | " + ended,
	}; !slices.Equal(said, want) {
		t.Errorf("the audit log says %q, want %q", said, want)
	}
	// Of two equal costs that were removed, each can be restored as long as the other is not there.
	third := stored.FindStringSubmatch(manager.Get("/returns").Body)[1]
	manager.Post(third + "/remove")
	if a := cost("amount", "7", "to", today.String()); a.StatusCode != 303 {
		t.Fatalf("adding it anew: status %d", a.StatusCode)
	}
	fourth := stored.FindStringSubmatch(manager.Get("/returns").Body)[1]
	if a := manager.Post(third + "/restore"); a.StatusCode != 400 || !strings.Contains(a.Body, "already has a cost of this kind on these days") {
		t.Errorf("restoring beside its like: status %d", a.StatusCode)
	}
	if a := manager.Post(fourth + "/restore"); a.StatusCode != 409 || !strings.Contains(a.Body, "This cost was not removed.") {
		t.Errorf("restoring what is there: status %d", a.StatusCode)
	}
	manager.Post(fourth + "/remove")
	if a := manager.Post(third + "/restore"); a.StatusCode != 303 {
		t.Errorf("restoring it once its like is gone: status %d", a.StatusCode)
	}
	if a := manager.Post(third + "/restore"); a.StatusCode != 409 || !strings.Contains(a.Body, "This cost was restored already.") {
		t.Errorf("restoring it twice: status %d", a.StatusCode)
	}
}
