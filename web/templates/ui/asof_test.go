package ui

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pagetest"
	"rebatedesk/store/outbox"
)

// The control keeps the rest of the query, shows the state in use, and offers sent summaries.
func TestAsOfPicker(t *testing.T) {
	sent := outbox.Reported{Schedule: "Weekly", Kind: outbox.SummaryCorrected, Days: affiliate.Days{First: affiliate.NewDay(2026, 11, 9), Last: affiliate.NewDay(2026, 11, 15)},
		AsOf: affiliate.MillisOf(time.Date(2026, 11, 16, 7, 30, 5, 21_000_000, time.UTC)), Exact: true}
	for asked, want := range map[string][]string{
		"coin=BTC&range=7d": {"now", `<input type="hidden" name="coin" value="BTC">`, `<input type="hidden" name="range" value="7d">`,
			`data-opens-as="date" name="as_of" value="2026-11-19"`, `data-max="2026-11-20" required`, `data-opens-as="time" name="as_of" value=""`,
			`href="/commissions?as_of=2026-11-16T07%3A30%3A05.021Z&amp;coin=BTC&amp;range=7d"`, "Weekly · 9–15 Nov 2026", "16 Nov 2026 07:30 UTC, corrected"},
		"as_of=2026-11-03":       {"3 Nov 2026", `href="/commissions"`, `value="2026-11-03"`},
		"as_of=2026-11-03T14:30": {"3 Nov 2026 14:30", `value="2026-11-03"`, `value="14:30"`},
		"as_of=2026-11-20":       {"now"}, // the day is not over
	} {
		page := strings.ReplaceAll(pagetest.Source(t, AsOfPicker(Links{Path: "/commissions", Query: pagetest.Ask(t, asked), Reported: KnownStates{Summaries: []outbox.Reported{sent}}})), `/>`, `>`)
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%s: the control does not have %s in\n%s", asked, text, page)
			}
		}
	}
}

// An earlier state is named once, at the top, and leads back and to what changed since.
func TestAsOfBanner(t *testing.T) {
	sent := outbox.Reported{Schedule: "Weekly", Days: affiliate.Days{First: affiliate.NewDay(2026, 10, 1), Last: affiliate.NewDay(2026, 10, 31)},
		AsOf: affiliate.MillisOf(time.Date(2026, 11, 3, 14, 30, 0, 0, time.UTC)), Exact: true}
	for _, c := range []struct {
		path, asked string
		want        []string
	}{
		{"/", "as_of=2026-11-03&coin=BTC", []string{"An earlier state is shown, as known", "at the end of 3 Nov 2026 (UTC)", `href="/?coin=BTC">Back to now`,
			`href="/changes?coin=BTC&amp;range=30d&amp;since=2026-11-03T23%3A59%3A59.999Z"`}},
		{"/invitees/77", "as_of=2026-11-03T14:30&from=2026-10-01&to=2026-10-31", []string{"on 3 Nov 2026 14:30 UTC", "Weekly · October 2026", "reported.",
			`href="/changes?from=2026-10-01&amp;since=2026-11-03T14%3A30%3A00Z&amp;to=2026-10-31&amp;uid=77"`}},
	} {
		page := pagetest.Source(t, Heading("Title", Links{Path: c.path, Query: pagetest.Ask(t, c.asked), Reported: KnownStates{Summaries: []outbox.Reported{sent}}}, false))
		for _, text := range c.want {
			if !strings.Contains(page, text) {
				t.Errorf("%s?%s does not have %s in\n%s", c.path, c.asked, text, page)
			}
		}
		if n := strings.Count(page, "s known"); n != 1 {
			t.Errorf("%s?%s says %d times as of when it is known", c.path, c.asked, n)
		}
	}
	if page := pagetest.Source(t, Heading("Title", Links{Path: "/sub-affiliates", Query: pagetest.Ask(t, "as_of=2026-11-03")}, false)); strings.Contains(page, "/changes") {
		t.Error("changes of commission are offered about sub-affiliate days")
	}
	if page := pagetest.Source(t, AsOfBanner(Links{Path: "/", Query: pagetest.Ask(t, "range=7d")})); page != "" {
		t.Errorf("the present state has the banner %s", page)
	}
}
