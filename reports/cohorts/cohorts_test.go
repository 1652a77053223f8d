package cohorts_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/storetest"
)

// monthsOf and weeksOf number the months and weeks by the calendar of package time.
func monthsOf(t time.Time) int { return t.Year()*12 + int(t.Month()) }

func weeksOf(t time.Time) int {
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	return int(day.Sub(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)).Hours()) / 24 / 7 // 1 January 2001 was a Monday
}

// For any registrations and records, in any zone, each cell equals an independent sum.
func TestCohortsAddUp(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements of cohorts", testCohortsAddUp)
}

func testCohortsAddUp(t *testing.T) {
	for _, zone := range []string{"Asia/Kathmandu", "America/St_Johns"} {
		t.Run(zone, func(t *testing.T) {
			d := reporttest.NewFixture(t, zone)
			d.Want("main", reporttest.Today-90)
			registered := map[affiliate.UID]affiliate.Millis{}
			var invitees []affiliate.Invitee
			rnd := rand.New(rand.NewPCG(90, 8))
			for n := range peopleCounts {
				uid := affiliate.UID(fmt.Sprint(4667776800 + n))
				registered[uid] = quarter(rnd.IntN(quarters))
				invitees = append(invitees, affiliate.Invitee{UID: uid, InviteCode: "x", RegisterTime: registered[uid]})
			}
			d.ReadInvitees("main", reporttest.Days(-90, 0), invitees...)
			d.Read("main", reporttest.Futures, reporttest.Days(-90, 0))
			rapid.Check(t, func(t *rapid.T) { checkCohorts(t, d, registered) })
		})
	}
}

const (
	peopleCounts = 12
	quarters     = 90 * 24 * 4 // quarters of an hour
)

// quarter returns an instant in the last 90 days.
func quarter(n int) affiliate.Millis {
	return affiliate.MillisOf((reporttest.Today - 90).Start(time.UTC).Add(time.Duration(n) * 15 * time.Minute))
}

func checkCohorts(t *rapid.T, d *reporttest.Fixture, registered map[affiliate.UID]affiliate.Millis) {
	records := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) affiliate.Commission {
		c := reporttest.Trade(reporttest.Today, reporttest.Spot, rapid.IntRange(0, peopleCounts-1).Draw(t, "uid"), reporttest.DrawNumber(t, "commission"))
		c.DealTime = max(registered[c.UID], quarter(rapid.IntRange(0, quarters-1).Draw(t, "traded")))
		c.Coin = rapid.SampledFrom([]affiliate.Coin{"USDT", "USDT", "BTC"}).Draw(t, "coin")
		return c
	}), 0, 20).Draw(t, "records")
	d.Read("main", reporttest.Spot, reporttest.Days(-90, 0), records...)
	by := rapid.SampledFrom(cohorts.Periods()).Draw(t, "by")
	first := rapid.IntRange(-90, -1).Draw(t, "first")
	query := fmt.Sprintf("by=%s&from=%s&to=%s%s", by, reporttest.Today+affiliate.Day(first), reporttest.Today, rapid.SampledFrom([]string{"", "&coin=BTC", "&coin=USDT"}).Draw(t, "in"))
	r := d.Cohorts(query)
	number := map[string]func(time.Time) int{"month": monthsOf, "week": weeksOf}[by]
	within := func(at affiliate.Millis) bool { return r.Query.Days.Contains(affiliate.DayOf(at.Time(), d.Zone)) }
	for _, c := range r.Cohorts {
		start := number(c.Whole.First.Start(time.UTC))
		of := map[affiliate.UID]bool{}
		for uid, at := range registered {
			if within(at) && number(at.Time().In(d.Zone)) == start {
				of[uid] = true
			}
		}
		if c.Invitees != int64(len(of)) || c.Unknown != "" {
			t.Fatalf("%s: %d registered in %s, want %d (%s)", query, c.Invitees, c.Whole, len(of), c.Unknown)
		}
		total := new(big.Rat)
		for age, cell := range c.Cells {
			earned, active := new(big.Rat), map[affiliate.UID]bool{}
			for _, x := range records {
				if !of[x.UID] || number(x.DealTime.Time().In(d.Zone))-start != age || r.Query.Coin != "" && x.Coin != r.Query.Coin {
					continue
				}
				active[x.UID] = true
				if x.Coin == r.Coin {
					earned.Add(earned, reporttest.Rat(d, string(x.Commission)))
				}
			}
			total.Add(total, earned)
			if cell.Active != int64(len(active)) || reporttest.Rat(d, cell.Commission.String()).Cmp(earned) != 0 || reporttest.Rat(d, cell.Total.String()).Cmp(total) != 0 {
				t.Fatalf("%s: %s at %d: %+v, want %d, %s and %s", query, c.Whole, age, cell, len(active), earned.FloatString(18), total.FloatString(18))
			}
			if over := cell.Days.Last < affiliate.DayOf(reporttest.Noon, d.Zone); over != (cell.Immature == "") {
				t.Fatalf("%s: %s at %d (%s) is %q", query, c.Whole, age, cell.Days, cell.Immature)
			}
			if number(cell.Days.First.Start(time.UTC))-start != age {
				t.Fatalf("%s: %s is not %d after %s", query, cell.Days, age, c.Whole)
			}
		}
	}
	checkCohortMeans(t, d, r)
	checkCohortFile(t, d, r)
}

// checkCohortMeans adds up the final cells of each age again, for the cohorts that the
// range does not cut.
func checkCohortMeans(t *rapid.T, d *reporttest.Fixture, r cohorts.Report) {
	for age, m := range r.Means {
		var active, size int64
		total := new(big.Rat)
		for _, c := range r.Cohorts {
			if c.Days == c.Whole && age < len(c.Cells) && c.Cells[age].Immature == "" {
				active, size = active+c.Cells[age].Active, size+c.Invitees
				total.Add(total, reporttest.Rat(d, c.Cells[age].Total.String()))
			}
		}
		if m.Active != active || m.Invitees != size || m.Totallers != size || reporttest.Rat(d, m.Total.String()).Cmp(total) != 0 {
			t.Fatalf("the mean at %d is %+v, want %d of %d", age, m, active, size)
		}
	}
}

// checkCohortFile compares a file with its table, cell by cell.
func checkCohortFile(t *rapid.T, d *reporttest.Fixture, r cohorts.Report) {
	text, _ := d.Export(cohorts.File, export.CSV, r.Query)
	rows := reporttest.Parse(d, export.CSV, text)
	for i, c := range r.Cohorts {
		if i > 0 && c.Whole.First >= r.Cohorts[i-1].Whole.First {
			t.Fatalf("%s comes after %s: the newest cohort is the first", c.Whole, r.Cohorts[i-1].Whole)
		}
		for age, cell := range c.Cells {
			if len(rows) == 0 {
				t.Fatalf("the file ends before the row of %s at %d", c.Whole, age)
			}
			row := rows[0]
			rows = rows[1:]
			percent, perUser := "", ""
			if share := c.Percent(cell); share.Known {
				percent = share.Percent.StringFixed(1)
			}
			if value, ok := c.PerUser(cell, true); ok {
				perUser = value.String()
			}
			got := fmt.Sprintln(row["registered_from"], row["age"], row["registrations"], row["active_traders"], row["active_percent"], row["commission"], row["cumulative_commission_per_registration"], row["complete"])
			want := fmt.Sprintln(c.Days.First, age, c.Invitees, cell.Active, percent, cell.Commission, perUser, cell.Immature == "")
			if got != want {
				t.Fatalf("the file has %sthe table has %s", got, want)
			}
		}
	}
	if len(rows) > 0 {
		t.Fatalf("the file has %d more rows", len(rows))
	}
}

// A cell that is not collected, not over or out of reach is not final. Days that were not
// read give no figures.
func TestCohortsMature(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-76) // 1 July
	d.ReadInvitees("main", reporttest.Days(-76, 0), affiliate.Invitee{UID: "4667776801", RegisterTime: reporttest.Midnight(reporttest.Today - 50)}, affiliate.Invitee{UID: "4667776802", RegisterTime: reporttest.Midnight(reporttest.Today - 10)})
	d.Read("main", reporttest.Spot, affiliate.Days{First: affiliate.NewDay(2026, 8, 1), Last: reporttest.Today}, reporttest.Trade(reporttest.Today-20, reporttest.Spot, 1, "3"))
	d.Read("main", reporttest.Futures, affiliate.Days{First: affiliate.NewDay(2026, 8, 1), Last: reporttest.Today})
	r := d.Cohorts("from=2026-07-17&to=2026-09-15")
	if len(r.Cohorts) != 3 || r.Invitees != 2 || r.Coin != "USDT" {
		t.Fatalf("the cohorts are %+v", r.Cohorts)
	}
	july, september := r.Cohorts[2], r.Cohorts[0]
	if !july.Cells[0].Unread || july.Cells[0].Immature == "" || july.Cells[1].Immature != "" || july.Cells[1].TotalImmature == "" || july.Cells[1].TotalUnread {
		t.Errorf("July: %+v", july.Cells)
	}
	if value, ok := july.PerUser(july.Cells[1], false); !ok || value.String() != "3" {
		t.Errorf("August earned %s per user of July", value)
	}
	if july.Cells[2].Immature != "this month is not over yet" || len(september.Cells) != 1 || september.Cells[0].Unread {
		t.Errorf("September: %+v, %+v", july.Cells[2], september.Cells)
	}
	if r.Earned.Complete() || !r.Coverage.Complete() {
		t.Errorf("covered: %+v, %+v", r.Earned, r.Coverage)
	}
	if whole := d.Cohorts("from=2026-07-01&to=2026-09-15"); whole.Means[0].Cohorts != 0 || whole.Means[1].Cohorts != 1 {
		t.Errorf("the means are %+v", whole.Means)
	}
	if r.Means[1].Cohorts != 0 {
		t.Errorf("July is only partly in the range, but in the mean: %+v", r.Means)
	}
	d.ReadInvitees("main", reporttest.Days(-364, -300), affiliate.Invitee{UID: "4667776809", RegisterTime: reporttest.Midnight(reporttest.Today - 364)})
	old := d.Cohorts("from=2025-09-01&to=2026-09-15")
	if first := old.Cohorts[len(old.Cohorts)-1]; first.Unknown == "" || !old.AtLeast || first.Cells[0].Immature != first.Unknown {
		t.Errorf("as of a year ago: %+v", first)
	}
	if then := d.Cohorts("from=2026-07-17&to=2026-09-15&as_of=2026-09-15T12:01:00Z"); len(then.Cohorts) != 3 || then.Cohorts[2].Cells[1].Commission.String() != "3" {
		t.Errorf("as of a minute later: %+v", then.Cohorts)
	}
	for query, want := range map[string]coverage.EmptyKind{
		"from=2026-09-07&to=2026-09-08": coverage.EmptyTruly, "range=12m&code=b": coverage.EmptyFiltered,
		"from=2030-01-01&to=2030-01-02": coverage.EmptyFuture, "from=2020-01-01&to=2020-01-02": coverage.EmptyBefore,
		"from=2026-07-17&to=2026-09-15&as_of=2026-09-01T12:01:00Z": coverage.EmptyThen,
		"from=2026-09-10&to=2026-09-15&as_of=2026-09-01T12:01:00Z": coverage.EmptyThen,
	} {
		if got := d.Cohorts(query).Empty; got != want {
			t.Errorf("%s is %q, want %q", query, got, want)
		}
	}
}

func TestCohortsRefuse(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	for asked, param := range map[string]string{"q=x": "q", "page=2": "page", "by=week&from=2020-01-01": "by"} {
		_, err := reports.Ask(t.Context(), d.Service, d.CohortQuery(asked+map[bool]string{true: "&to=2026-09-15"}[strings.Contains(asked, "from")]), cohorts.Make)
		var wrong *query.ParamError
		if !errors.As(err, &wrong) || wrong.Param != param {
			t.Errorf("%s: %v", asked, err)
		}
	}
	if q := d.CohortQuery(""); q.Range != query.Last12M || q.Values().Has("range") {
		t.Errorf("an empty query has the range %s and the values %v", q.Range, q.Values())
	}
	if q := d.CohortQuery("range=30d"); q.Values().Get("range") != "30d" || q.WithoutFilters().Values().Get("range") != "30d" {
		t.Errorf("a query of 30 days has the values %v", q.Values())
	}
}

// A month is not over on its last day.
func TestCohortsLastDay(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Now = reporttest.Noon.AddDate(0, 0, -15) // 31 August
	d.Want("main", reporttest.Today-45)
	d.ReadInvitees("main", reporttest.Days(-45, -15), affiliate.Invitee{UID: "4667776801", RegisterTime: reporttest.Midnight(reporttest.Today - 20)})
	d.ReadEmpty(reporttest.Days(-45, -15))
	r := d.Cohorts("from=2026-08-01&to=2026-08-31")
	if len(r.Cohorts) != 1 || len(r.Cohorts[0].Cells) != 1 || r.Cohorts[0].Cells[0].Immature != "this month is not over yet" || r.Means[0].Cohorts != 0 {
		t.Errorf("the cohorts are %+v", r.Cohorts)
	}
}
