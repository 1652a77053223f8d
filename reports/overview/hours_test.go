package overview_test

import (
	"encoding/csv"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/storetest"
)

// hoursByHand adds up a column of exported records by hour of a day, without the program.
func hoursByHand(t *testing.T, file string, coin affiliate.Coin, from time.Time, n int, columns ...string) []*big.Rat {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sums := make([]*big.Rat, n)
	for i := range sums {
		sums[i] = new(big.Rat)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	for _, row := range rows[1:] {
		if coin != "" && row[at["coin"]] != string(coin) {
			continue
		}
		ms, err := strconv.ParseInt(row[at["deal_time_ms"]], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range columns {
			hour := int((ms - from.UnixMilli()) / 3_600_000)
			sums[hour].Add(sums[hour], reporttest.Rat(t, row[at[column]]))
		}
	}
	return sums
}

func exactly(t *testing.T, d decimal.Decimal) *big.Rat { return reporttest.Rat(t, d.String()) }

// The hours of a day are the sums of its records, and add up to the day, in each zone, as of any
// instant, and however the query is narrowed.
func TestHoursAreThoseOfTheRecords(t *testing.T) {
	t.Parallel()
	columns := map[string][]string{figures.ShowCommission: {"commission"}, figures.ShowFees: {"fee"}, figures.ShowVolume: {"taker_amount", "maker_amount"}}
	for _, zone := range []string{"UTC", "Asia/Kathmandu", "America/St_Johns"} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			d := reporttest.NewFixture(t, zone)
			d.FillVaried()
			past := "&as_of=" + reporttest.Noon.Add(90*time.Minute).UTC().Format(time.RFC3339)
			for _, narrowed := range []string{"", "&coin=BTC", "&account=other&by=source", "&uid=4667776801", "&code=spring", "&symbol=btcusdt", "&q=é", "&product=SPOT", "&segment=kept", past} {
				for _, day := range []affiliate.Day{reporttest.Today - 3, reporttest.Today} {
					one := fmt.Sprintf("from=%s&to=%s%s", day, day, narrowed)
					two := fmt.Sprintf("from=%s&to=%s%s", day-1, day, narrowed)
					file, _ := d.Export(commissions.File, export.CSV, d.Ask(fmt.Sprintf("from=%s&to=%s%s", day, day, strings.ReplaceAll(narrowed, "&by=source", ""))))
					for metric, of := range columns {
						accepted := overview.Accepted
						accepted.Metrics = figures.ChartMetrics()
						hours, err := reports.Ask(t.Context(), d.Service, d.QueryOf(one+"&metric="+metric, accepted), overview.Make)
						if err != nil {
							t.Fatal(err)
						}
						days, err := reports.Ask(t.Context(), d.Service, d.QueryOf(two+"&metric="+metric, accepted), overview.Make)
						if err != nil {
							t.Fatal(err)
						}
						h := hours.Daily
						if len(h.Hours) != 24 || len(h.Total) != 24 || !h.Hours[0].From.Equal(day.Start(d.Zone)) {
							t.Fatalf("%s: %d hours from %v", one, len(h.Hours), h.Hours)
						}
						want := hoursByHand(t, file, h.Coin, day.Start(d.Zone), 24, of...)
						whole := new(big.Rat)
						for i := range h.Hours {
							if got := exactly(t, h.Total[i]); got.Cmp(want[i]) != 0 {
								t.Errorf("%s, %s: hour %d has %s, want %s", one, metric, i, h.Total[i], want[i].FloatString(18))
							}
							parts := decimal.Zero
							for _, part := range h.Parts {
								parts = parts.Add(part.Values[i])
							}
							if !parts.Equal(h.Total[i]) {
								t.Errorf("%s, %s: the parts of hour %d make %s, not %s", one, metric, i, parts, h.Total[i])
							}
							whole.Add(whole, want[i])
						}
						if last := days.Daily.Total[1]; days.Daily.Coin == h.Coin && exactly(t, last).Cmp(whole) != 0 {
							t.Errorf("%s, %s: the day has %s, its hours %s", one, metric, last, whole.FloatString(18))
						}
					}
				}
			}
		})
	}
}

// A day on which clocks change has 23 or 25 hours, and each is compared with the hour of the same
// time of day.
func TestHoursWhereClocksChange(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "hours as numbers", testHoursWhereClocksChange)
}

func testHoursWhereClocksChange(t *testing.T) {
	for _, c := range []struct {
		zone      string
		day       affiliate.Day
		hours     int
		unmatched int // hours without a counterpart on the day before
	}{
		{"Europe/Berlin", affiliate.NewDay(2026, 10, 25), 25, 1},
		{"Europe/Berlin", affiliate.NewDay(2026, 3, 29), 23, 0},
		{"Europe/Berlin", affiliate.NewDay(2026, 3, 30), 24, 1},
		{"Australia/Lord_Howe", affiliate.NewDay(2026, 4, 5), 25, 23}, // by half an hour
	} {
		d := reporttest.NewFixture(t, c.zone)
		d.Now = c.day.Start(d.Zone).Add(72 * time.Hour)
		d.Want("main", c.day-10)
		span := affiliate.Days{First: c.day - 3, Last: c.day + 2}
		var rows []affiliate.Commission
		for at := (c.day - 1).Start(d.Zone); at.Before((c.day + 1).Start(d.Zone)); at = at.Add(30 * time.Minute) {
			one := reporttest.Trade(c.day, reporttest.Spot, 1, "0.25")
			one.DealTime = affiliate.MillisOf(at)
			rows = append(rows, one)
		}
		d.Read("main", reporttest.Spot, span, rows...)
		d.Read("main", reporttest.Futures, span)
		view, err := reports.Ask(t.Context(), d.Service, d.QueryOf(fmt.Sprintf("from=%s&to=%s", c.day, c.day), overview.Accepted), overview.Make)
		if err != nil {
			t.Fatal(err)
		}
		h := view.Daily
		sum, unmatched := decimal.Zero, 0
		for i := range h.Hours {
			sum = sum.Add(h.Total[i])
			if h.State[i] != coverage.DayCollected {
				t.Errorf("%s %s: hour %d is %s", c.zone, c.day, i, h.State[i])
			}
			if !h.RefKnown[i] {
				unmatched++
			} else if h.RefHours[i].From.Format("15:04") != h.Hours[i].From.Format("15:04") {
				t.Errorf("%s %s: %v is compared with %v", c.zone, c.day, h.Hours[i], h.RefHours[i])
			}
		}
		if total := view.Cards[0].Commission.Amount.Value; len(h.Hours) != c.hours || !sum.Equal(total) {
			t.Errorf("%s %s: %d hours, want %d; they make %s of %s", c.zone, c.day, len(h.Hours), c.hours, sum, total)
		}
		if unmatched != c.unmatched {
			t.Errorf("%s %s: %d hours are not compared, want %d", c.zone, c.day, unmatched, c.unmatched)
		}
	}
}

// Hours of today are known as far as they were read; what the exchange may list later is marked.
func TestHoursOfToday(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-10)
	d.Now = reporttest.Noon.Add(-8 * time.Minute) // read at 11:52
	d.Read("main", reporttest.Spot, reporttest.Days(-3, 0), reporttest.Trade(reporttest.Today, reporttest.Spot, 1, "2"))
	d.Read("main", reporttest.Futures, reporttest.Days(-3, 0))
	d.Now = reporttest.Noon.Add(3 * time.Minute)
	h := d.Overview("range=today").Daily
	for i, want := range map[int]coverage.DayState{0: coverage.DayCollected, 1: coverage.DayCollected, 9: coverage.DayCollected, 10: coverage.DayRunning, 11: coverage.DayRunning, 12: coverage.DayFresh, 13: coverage.DayFuture, 23: coverage.DayFuture} {
		if h.State[i] != want {
			t.Errorf("hour %d is %s, want %s", i, h.State[i], want)
		}
	}
	if !h.Total[1].Equal(decimal.NewFromInt(2)) {
		t.Errorf("the hours are %v", h.Total)
	}
	d.Now = reporttest.Noon.Add(40 * time.Hour) // nothing was read since: the rest of the day is missing
	h = d.Overview(fmt.Sprintf("from=%s&to=%s", reporttest.Today, reporttest.Today)).Daily
	for i, want := range map[int]coverage.DayState{1: coverage.DayCollected, 10: coverage.DayPartial, 11: coverage.DayPartial, 12: coverage.DayMissing, 23: coverage.DayMissing} {
		if h.State[i] != want {
			t.Errorf("later, hour %d is %s, want %s", i, h.State[i], want)
		}
	}
}

// A running day is compared by its complete hours with the same hours of the day before, never with
// the whole of it. What those hours brought is added up here from the exported records.
func TestRunningDayIsComparedBySameHours(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"UTC", "Asia/Kathmandu"} {
		d := reporttest.NewFixture(t, zone)
		d.Want("main", reporttest.Today-10)
		var rows []affiliate.Commission
		for at := reporttest.Noon.Add(-47 * time.Hour); at.Before(reporttest.Noon); at = at.Add(17 * time.Minute) {
			one := reporttest.Trade(affiliate.DayOf(at, d.Zone), reporttest.Spot, int(at.Unix()/60)%5, affiliate.Number(fmt.Sprintf("%d.25", at.Unix()/1020%7)))
			one.DealTime = affiliate.MillisOf(at)
			rows = append(rows, one)
		}
		d.Read("main", reporttest.Spot, reporttest.Days(-3, 0), rows...)
		d.Read("main", reporttest.Futures, reporttest.Days(-3, 0))
		said, front := d.EarnedWords("range=today")
		hours := front.SameHours
		if hours == nil || hours.To.After(reporttest.Noon.Add(-coverage.ListingLag)) || hours.To.Before(reporttest.Noon.Add(-2*coverage.ListingLag)) {
			t.Fatalf("%s: the compared hours are %v", zone, hours)
		}
		in := func(from, to time.Time) *big.Rat {
			sum := new(big.Rat)
			for _, row := range rows {
				if at := row.DealTime.Time(); !at.Before(from) && at.Before(to) {
					sum.Add(sum, reporttest.Rat(t, string(row.Commission)))
				}
			}
			return sum
		}
		start := reporttest.Today.Start(d.Zone)
		before := in(start.Add(-24*time.Hour), hours.To.Add(-24*time.Hour))
		card := front.Cards[0].Commission
		if exactly(t, card.Amount.Value).Cmp(in(start, reporttest.Noon)) != 0 || exactly(t, card.Reference.Value).Cmp(before) != 0 {
			t.Errorf("%s: %s is compared with %s, want %s and %s", zone, card.Amount, card.Reference, in(start, reporttest.Noon).FloatString(2), before.FloatString(2))
		}
		now, _ := decimal.NewFromString(in(start, hours.To).FloatString(8))
		reference, _ := decimal.NewFromString(before.FloatString(8))
		if want := figures.ChangeOf("USDT", now, reference); card.Change.Kind != want.Kind || !card.Change.Percent.Equal(want.Percent) || card.Change.Open {
			t.Errorf("%s: the change is %+v, want %+v", zone, card.Change, want)
		}
		if front.Invitees.ActiveTraders.Change.Kind != figures.ChangeNone {
			t.Errorf("%s: people of a part of a day are compared with those of a day", zone)
		}
		if !strings.Contains(said, "The complete hours up to "+hours.To.Format("15:04")+" brought ") || !strings.Contains(said, "the same hours of ") || strings.Contains(said, "in all of") {
			t.Errorf("%s: %q", zone, said)
		}
	}
	// Before an hour is complete nothing is compared.
	d := reporttest.NewFixture(t, "UTC")
	d.Now = reporttest.Today.Start(d.Zone).Add(90 * time.Minute)
	d.Want("main", reporttest.Today-10)
	d.Read("main", reporttest.Spot, reporttest.Days(-3, 0), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "5"), reporttest.Trade(reporttest.Today, reporttest.Spot, 1, "2"))
	d.Read("main", reporttest.Futures, reporttest.Days(-3, 0))
	said, front := d.EarnedWords("range=today")
	if front.SameHours == nil || !front.SameHours.Empty() || front.Cards[0].Commission.Change.Kind != figures.ChangeNone || strings.Contains(said, "same hours") || strings.Contains(said, "less") {
		t.Errorf("at half past one: %+v, %q", front.SameHours, said)
	}
	// A day that is over is compared with the whole day before it.
	if _, front := d.EarnedWords("range=yesterday"); front.SameHours != nil {
		t.Errorf("yesterday is compared by its hours %v", front.SameHours)
	}
}
