package overview_test

import (
	"fmt"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
)

// A day is compared with the same weekdays that are completely known, and is omitted if
// it is not completely known itself.
func TestWeekdays(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*reporttest.Watched)
		missing []affiliate.Days
		ended   time.Duration // between the end of yesterday and the newest reading
		want    string
	}{
		"as usual":           {ended: 12 * time.Hour, want: "12 of 12 by 8"},
		"a day of little":    {ended: 12 * time.Hour, change: func(w *reporttest.Watched) { w.Without(0, -1, -1); w.Trades(1, -1, -1, "1", "0.5") }, want: "0.5 of 12 by 8"},
		"a day of nothing":   {ended: 12 * time.Hour, change: func(w *reporttest.Watched) { w.Without(0, -1, -1) }, want: "0 of 12 by 8"},
		"its last hour":      {ended: 59 * time.Minute},
		"listed to its end":  {ended: time.Hour, want: "12 of 12 by 8"},
		"not collected":      {ended: 12 * time.Hour, missing: []affiliate.Days{reporttest.Days(-1, -1)}},
		"another is not":     {ended: 12 * time.Hour, missing: []affiliate.Days{reporttest.Days(-8, -8)}, want: "12 of 12 by 7"},
		"hardly another":     {ended: 12 * time.Hour, missing: []affiliate.Days{reporttest.Days(-50, -7)}},
		"a large one before": {ended: 12 * time.Hour, change: func(w *reporttest.Watched) { w.Trades(1, -8, -8, "1", "80") }, want: "12 of 22 by 8"},
	} {
		t.Run(name, func(t *testing.T) {
			w := reporttest.NewWatched(t)
			if c.change != nil {
				c.change(w)
			}
			w.Now = (reporttest.Today).Start(time.UTC).Add(c.ended)
			w.Collect(c.missing...)
			w.Now = reporttest.Noon
			list, err := reports.Fresh(t.Context(), w.Service, query.Query{Coin: "USDT", Zone: time.UTC, Today: reporttest.Today, Days: reporttest.Days(-1, -1)}, overview.MakeWeekdays)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, one := range list {
				got += fmt.Sprintf("%s of %s by %d", one.Commission, one.Usual, one.Of)
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
