package statements

import (
	"testing"

	"rebatedesk/affiliate"
	stored "rebatedesk/store/statements"
)

// A statement says who owes what to whom, whichever way the sum goes.
func TestDueWords(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct{ sender, payee, due, paid string }{
		"We owe 88,894.67 to sub-affiliate 77 for June 2026: the agreed share of a net trading fee of 444,473.35. What the exchange paid the sub-affiliate itself, 88,392.18, is no part of it.": {
			"", "", "88894.67", "88392.18"},
		"Harbour Media owes 10 to Jane Doe for June 2026: the agreed share of a net trading fee of 444,473.35.":                {"Harbour Media", "Jane Doe", "10", "0"},
		"Jane Doe owes 2.5 to Harbour Media for June 2026: the agreed share of a net trading fee of 444,473.35.":               {"Harbour Media", "Jane Doe", "-2.5", ""},
		"Sub-affiliate 77 owes 0.000000000000000001 to us for June 2026: the agreed share of a net trading fee of 444,473.35.": {"", "", "-0.000000000000000001", ""},
	} {
		got := DueWords(stored.Content{
			Month: "2026-06", UID: "77", Sender: stored.Sender{Name: c.sender}, Payee: stored.Payee{Name: c.payee},
			Totals: []stored.Total{{Due: affiliate.Number(c.due), Fee: "444473.35", Paid: affiliate.Number(c.paid)}},
		})
		if got != want {
			t.Errorf("%s, want\n%s", got, want)
		}
	}
}
