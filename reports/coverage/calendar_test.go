package coverage_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/records"
)

func TestCalendarStates(t *testing.T) {
	d := reporttest.NewFixture(t, "Asia/Kathmandu") // the calendar uses UTC days nevertheless
	d.Want("main", reporttest.Today-400)
	d.Now = reporttest.Noon.AddDate(0, 0, -1)
	d.ReadEmpty(reporttest.Days(-1, -1)) // before the end of the last day
	d.Now = reporttest.Noon
	d.ReadEmpty(reporttest.Days(-5, -2))
	d.Read("main", reporttest.Spot, reporttest.Days(-5, -3))
	d.Read("main", reporttest.Spot, reporttest.Days(-3, -3), reporttest.Trade(reporttest.Today-3, reporttest.Spot, 1, "1")) // a different result restarts the count
	d.Read("main", reporttest.Spot, reporttest.Days(0, 0))
	d.FailRead(reporttest.Spot, reporttest.Days(-7, -5), "no answer")
	calendar := d.ReadCalendar("main")
	for back, want := range map[int]coverage.CalendarState{
		0: coverage.CalendarRunning, 1: coverage.CalendarPartial, 2: coverage.CalendarCollected, 3: coverage.CalendarCollected,
		4: coverage.CalendarVerified, 5: coverage.CalendarVerified, 6: coverage.CalendarFailed, 7: coverage.CalendarFailed, 8: coverage.CalendarMissing, 400: coverage.CalendarMissing,
	} {
		if got := calendar[reporttest.Spot][reporttest.Today-affiliate.Day(back)]; got.State != want {
			t.Errorf("%d days ago: %+v, want %s", back, got, want)
		}
	}
	if day := calendar[reporttest.Spot][reporttest.Today-6]; day.Error != "no answer" || !day.Failed.Known() || day.Through.Known() {
		t.Errorf("the failed day is %+v", day)
	}
	if day := calendar[reporttest.Spot][reporttest.Today-4]; day.Agreed != 2 || day.Through != affiliate.MillisOf((reporttest.Today-3).Start(time.UTC)) || !day.FirstRead.Known() || day.LastRead < day.Through {
		t.Errorf("the verified day is %+v", day)
	}
	if n := len(calendar[reporttest.Spot]); n != 401 {
		t.Errorf("%d days, want all days that were ever requested: 401", n)
	}
	if got := calendar[reporttest.Futures][reporttest.Today].State; got != coverage.CalendarMissing {
		t.Errorf("today without a reading is %s", got)
	}
	if a, b := calendar[reporttest.Users][reporttest.Today-366].State, calendar[reporttest.Users][reporttest.Today-364].State; a != coverage.CalendarBeyond || b != coverage.CalendarMissing {
		t.Errorf("registrations 366 days ago are %s, 364 days ago %s", a, b)
	}
	d.Now = reporttest.Today.Start(time.UTC).AddDate(0, 0, 1).Add(time.Minute)
	if got := d.ReadCalendar("main")[reporttest.Futures][reporttest.Today+1].State; got != coverage.CalendarRunning {
		t.Errorf("a day that has just begun is %s", got)
	}
}

// Each account has the days that were requested for it.
func TestCalendarOfAccounts(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	if calendars, err := d.Calendar(t.Context(), ""); err != nil || len(calendars) != 8 || len(calendars[0].Days) != 1 {
		t.Errorf("with an empty database: %+v (%v)", calendars, err)
	}
	d.Want("main", reporttest.Today-10)
	d.Want("second", reporttest.Today-3)
	d.Read("second", reporttest.Spot, reporttest.Days(-5, -5)) // before the requested days
	calendars, err := d.Calendar(t.Context(), "")
	if err != nil || len(calendars) != 16 {
		t.Fatalf("%d calendars (%v)", len(calendars), err)
	}
	want := map[affiliate.Account]int{"main": 11, "second": 6}
	for _, c := range calendars {
		if len(c.Days) != want[c.Account] {
			t.Errorf("%s %s has %d days, want %d", c.Account, c.Stream, len(c.Days), want[c.Account])
		}
	}
	var wrong *query.ParamError
	if _, err := d.Calendar(t.Context(), "third"); !errors.As(err, &wrong) || wrong.Param != "account" {
		t.Errorf("of nobody: %v", err)
	}
}

func TestRuns(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	for i := range 7 {
		account := affiliate.Account([]string{"main", "second"}[i%2])
		run, err := records.StartRun(t.Context(), d.DB, account, fmt.Sprint("cause ", i))
		if err != nil {
			t.Fatal(err)
		}
		slice := d.Slice(account, reporttest.Spot, reporttest.Days(-9, -2))
		slice.Run = run
		if i == 4 {
			err = records.FailSlice(t.Context(), d.DB, slice, "no answer")
		} else {
			_, err = records.ReplaceCommissions(t.Context(), d.DB, slice, []affiliate.Commission{reporttest.Trade(reporttest.Today-3, reporttest.Spot, i, "1")})
		}
		if err != nil {
			t.Fatal(err)
		}
		if i < 6 {
			if err := records.FinishRun(t.Context(), d.DB, run, 11, 22, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	var causes []string
	for page := 1; page <= 4; page++ {
		rows, total, err := d.Runs(t.Context(), "", page, 3)
		if err != nil || total != 7 {
			t.Fatalf("page %d: %d in all (%v)", page, total, err)
		}
		for _, row := range rows {
			causes = append(causes, row.Cause)
		}
	}
	reporttest.SameLines(t, "newest first", causes, []string{"cause 6", "cause 5", "cause 4", "cause 3", "cause 2", "cause 1", "cause 0"})

	rows, total, err := d.Runs(t.Context(), "main", 1, 50)
	if err != nil || total != 4 || len(rows) != 4 {
		t.Fatalf("%d of %d runs of main (%v)", len(rows), total, err)
	}
	if r := rows[0]; r.Finished.Known() || !r.Started.Known() || r.Account != "main" || r.Slices != 1 || r.Opened != 1 || r.Closed != 1 || r.Records != 1 {
		t.Errorf("the running run is %+v", r)
	}
	if r := rows[1]; r.Failed != 1 || len(r.Problems) != 1 || r.Problems[0] != (records.SliceProblem{Stream: reporttest.Spot, Days: reporttest.Days(-9, -2), Error: "no answer"}) || r.Requests != 11 || r.Weight != 22 {
		t.Errorf("the failed run is %+v", r)
	}
	for _, wrong := range []struct {
		account   affiliate.Account
		page, per int
	}{{"", 0, 10}, {"", 1, 0}, {"", 1, query.MaxPer + 1}, {"third", 1, 10}} {
		var param *query.ParamError
		if _, _, err := d.Runs(t.Context(), wrong.account, wrong.page, wrong.per); !errors.As(err, &param) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}
