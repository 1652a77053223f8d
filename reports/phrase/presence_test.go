package phrase_test

import (
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
)

// Who paused for a few days has not stopped trading.
func TestShortRangesLoseNobody(t *testing.T) {
	t.Parallel()
	days := func(n int) affiliate.Days { return affiliate.Days{First: 20000, Last: 20000 + affiliate.Day(n) - 1} }
	for _, c := range []struct {
		n, days  int
		presence figures.Presence
		want     string
	}{
		{28, 1, figures.PresentNoLonger, "28 invitees that did not trade on 4 Oct"},
		{28, 2, figures.PresentNoLonger, "28 invitees that did not trade"},
		{1, 13, figures.PresentBack, "1 invitee that traded again"},
		{28, 14, figures.PresentNoLonger, "28 invitees that stopped trading"},
		{1, 30, figures.PresentBack, "1 invitee that traded again"},
		{2, 1, figures.PresentNew, "2 new invitees"},
	} {
		if got := phrase.PresentPeople(c.n, "invitee", c.presence, days(c.days)); got != c.want {
			t.Errorf("%s in %d days is %q, want %q", c.presence, c.days, got, c.want)
		}
	}
}
