package acceptance_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
	"rebatedesk/store/storetest"
)

// The people of a row are those whose commission it has, also whom the exchange never listed. When a cost
// was paid back is of all time, whatever the range; without a cost in the range the commission stands.
func TestReturnsOfARange(t *testing.T) {
	t.Parallel()
	today := affiliate.DayOf(now, time.UTC)
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
		storetest.Done(t, people.AddTag(t.Context(), o.store, "main", uid, "gold", audit.Line{Actor: "mia"}))
	}
	v := o.as("mia", access.Manager)
	v.get("/returns")
	if a := v.post("/returns/costs", "scope", "tag", "value", "gold", "kind", "once", "amount", "15", "coin", "USDT", "from", (today - 100).String()); a.StatusCode != 303 {
		t.Fatalf("a cost: status %d: %.500s", a.StatusCode, a.body)
	}
	// From 100 days ago on 1 a day and 1 every other day, the first of them included: 3 in two days.
	paid := (today - 100 + 9).String()
	for query, want := range map[string][]string{
		"":                   {"2", "15", "152", "137", "1013.3", paid, "0"}, // 101 + 51
		"?range=30d":         {"2", "0", "45", "45", "", paid, "0"},          // 30 + 15, and no cost in these days
		"?range=7d&tag=gold": {"2", "0", "11", "11", "", paid, "0"},
	} {
		a := v.get("/returns.csv" + query)
		list, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
		if err != nil || len(list) != 2 {
			t.Fatalf("%s: status %d: %s, %v", query, a.StatusCode, a.body, err)
		}
		for i, name := range []string{"invitees", "cost", "commission", "return", "return_percent", "paid_back", "missing"} {
			got := list[1][slices.Index(list[0], name)]
			if got != want[i] && (name != "return_percent" || want[i] == "" || !strings.HasPrefix(got, want[i])) {
				t.Errorf("%s: %s is %q, want %q", query, name, got, want[i])
			}
		}
	}
	page := strings.Join(strings.Fields(tags.ReplaceAllString(v.get("/returns?range=30d").body, " ")), " ")
	for _, words := range []string{"No cost of the tag gold fell due", "45.00\u00a0USDT of commission came", "paid back on " + (today - 91).Format("2 Jan 2006")} {
		if !strings.Contains(strings.ReplaceAll(page, " USDT", "\u00a0USDT"), words) {
			t.Errorf("the page does not say %q", words)
		}
	}
}
