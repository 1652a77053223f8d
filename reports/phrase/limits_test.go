package phrase

import (
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
)

func TestLimitsNameAccountsOfAnExchangeTogether(t *testing.T) {
	day := &affiliate.Sheet{Title: "Day", Grain: affiliate.GrainDay, DayZone: "UTC+8", Unknown: []string{"fee", "invite_code"}}
	trade := &affiliate.Sheet{Title: "Trade", Grain: affiliate.GrainTrade, Unknown: []string{"rate"}}
	got := Limits([]coverage.Limit{{Account: "a", Sheet: day}, {Account: "c", Sheet: trade}, {Account: "b", Sheet: day}})
	want := []string{
		"a and b: Day states figures by day of UTC+8, which count on the day on which it begins, and does not tell the fee and the invite code, which is left out of sums and rates.",
		"c: Trade does not tell the rate, which is left out of sums and rates.",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the limits are\n%s", strings.Join(got, "\n"))
	}
}
