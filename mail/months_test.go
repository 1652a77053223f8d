package mail

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/store/outbox"
)

// A monthly summary tells what changed of a closed month since it was closed or since the summary
// before, each change once.
func TestSummaryOfClosedMonths(t *testing.T) {
	t.Parallel()
	d := waitingFixture(t, func(s *outbox.Subscription) { s.Every, s.Sections = string(dispatch.Monthly), []string{SectionMonths} })
	august := affiliate.NewDay(2026, time.August, 1)
	if _, err := d.reports.CloseMonth(t.Context(), august, true, "to see what changes", someone); err != nil {
		t.Fatal(err)
	}
	late := []affiliate.Commission{lateOn(august+3, "5.000000000000000001")}
	const title = "Changes after close, of closed months"
	for i, month := range []struct {
		at   time.Time
		more string // commission that the exchange lists late in the month before
		says string // empty: nothing changed
	}{
		{time.Date(2026, time.October, 1, 8, 0, 0, 0, time.UTC), "", "+5.000000000000000001"},
		{time.Date(2026, time.November, 1, 8, 0, 0, 0, time.UTC), "", ""},
		{time.Date(2026, time.December, 1, 8, 0, 0, 0, time.UTC), "7", "+7"},
	} {
		if d.now = month.at; month.more != "" {
			late = append(late, lateOn(august+4, affiliate.Number(month.more)))
		}
		d.readAll(late...)
		d.queueAll()
		if log := d.log(); len(log) != i+1 {
			t.Fatalf("%v: %d mails", month.at, len(log))
		}
		text := d.newest().Text
		_, section, found := strings.Cut(text, title)
		if found != (month.says != "") || found && (!strings.Contains(section, "August 2026") || !strings.Contains(section, month.says) || month.more != "" && strings.Contains(section, "+5")) {
			t.Errorf("%v: the mail says\n%s", month.at, text)
		}
	}
}
