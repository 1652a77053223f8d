package money_test

import (
	"encoding/json"
	"html"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
)

// A year before has the same calendar days, on pages, in files and for programs: a leap year's
// February is compared with all of the February before and with nothing of March.
func TestAYearBeforeHasTheSameCalendarDays(t *testing.T) {
	t.Parallel()
	at := func(year int, month time.Month, day int, amount affiliate.Number) affiliate.Commission {
		return earnedOn(affiliate.NewDay(year, month, day), amount)
	}
	o := openRows(t, affiliate.NewDay(2022, time.December, 1),
		at(2022, time.December, 31, "1000"), at(2023, time.January, 1, "500"), at(2023, time.January, 31, "20"), at(2023, time.February, 1, "1"), at(2023, time.February, 28, "2"), at(2023, time.March, 1, "4"),
		at(2023, time.December, 31, "50"), at(2024, time.January, 31, "30"), at(2024, time.February, 1, "200"), at(2024, time.February, 28, "88"), at(2024, time.February, 29, "16"), at(2024, time.March, 1, "7"),
		at(2024, time.December, 31, "60"), at(2025, time.February, 3, "9"), at(2025, time.February, 28, "5"))
	v := o.As("mia", access.Manager)
	for days, want := range map[string][2]string{
		"from=2024-02-01&to=2024-02-29": {"3", "304"},   // a whole month with the whole month
		"from=2025-02-01&to=2025-02-28": {"304", "14"},  // also where it had a day more
		"from=2024-02-29&to=2024-02-29": {"2", "16"},    // 29 February falls to 28 February
		"from=2024-01-31&to=2024-02-29": {"23", "334"},  // and so does the end of a range
		"from=2025-02-01&to=2025-02-27": {"200", "9"},   // a part of a month with the same days
		"from=2024-01-01&to=2024-12-31": {"577", "401"}, // a whole year with the whole year
		"from=2025-01-01&to=2025-12-31": {"401", "14"},  // after a leap year, too
		"from=2024-02-28&to=2024-03-01": {"6", "111"},   // across the day that the year before did not have
		"from=2024-01-01&to=2024-03-31": {"527", "341"}, // a whole quarter
		"from=2025-02-28&to=2025-03-01": {"111", "5"},   // across the day that only the year before had
	} {
		var got struct{ Before, After string }
		if a := v.Get("/drivers.json?compare=year&coin=USDT&" + days); json.Unmarshal([]byte(a.Body), &got) != nil || got.Before != want[0] || got.After != want[1] {
			t.Errorf("%s: %s after %s, want %v: %.200s", days, got.After, got.Before, want, a.Body)
		}
	}
	page := strings.Join(strings.Fields(html.UnescapeString(site.Tags.ReplaceAllString(v.Get("/?from=2024-02-01&to=2024-02-29&compare=year").Body, " "))), " ")
	for _, words := range []string{"compared with February 2023, 29 days against 28", "101 times as much as a year before", "against 3.00"} {
		if !strings.Contains(page, words) {
			t.Errorf("the overview of February 2024 does not say %q", words)
		}
	}
}
