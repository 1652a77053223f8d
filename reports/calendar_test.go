package reports_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/query"
	"rebatedesk/store/records"
)

func (d *fixture) calendar(account affiliate.Account) map[affiliate.Stream]map[affiliate.Day]coverage.CalendarDay {
	d.Helper()
	calendars, err := d.Calendar(d.Context(), account)
	if err != nil {
		d.Fatal(err)
	}
	of := map[affiliate.Stream]map[affiliate.Day]coverage.CalendarDay{}
	for _, c := range calendars {
		if c.Account != account || of[c.Stream] != nil {
			d.Fatalf("a calendar of %s %s", c.Account, c.Stream)
		}
		of[c.Stream] = map[affiliate.Day]coverage.CalendarDay{}
		for i, day := range c.Days {
			if i > 0 && day.Day != c.Days[i-1].Day+1 {
				d.Fatalf("%s: %s follows %s", c.Stream, day.Day, c.Days[i-1].Day)
			}
			of[c.Stream][day.Day] = day
		}
	}
	if len(of) != len(affiliate.Streams()) {
		d.Fatalf("calendars of %d streams", len(of))
	}
	return of
}

func TestCalendarStates(t *testing.T) {
	d := newFixture(t, "Asia/Kathmandu") // the calendar uses UTC days nevertheless
	d.want("main", today-400)
	d.now = noon.AddDate(0, 0, -1)
	d.readEmpty(days(-1, -1)) // before the end of the last day
	d.now = noon
	d.readEmpty(days(-5, -2))
	d.read("main", spot, days(-5, -3))
	d.read("main", spot, days(-3, -3), trade(today-3, spot, 1, "1")) // a different result restarts the count
	d.read("main", spot, days(0, 0))
	d.fail(spot, days(-7, -5), "no answer")
	calendar := d.calendar("main")
	for back, want := range map[int]coverage.CalendarState{
		0: coverage.CalendarRunning, 1: coverage.CalendarPartial, 2: coverage.CalendarCollected, 3: coverage.CalendarCollected,
		4: coverage.CalendarVerified, 5: coverage.CalendarVerified, 6: coverage.CalendarFailed, 7: coverage.CalendarFailed, 8: coverage.CalendarMissing, 400: coverage.CalendarMissing,
	} {
		if got := calendar[spot][today-affiliate.Day(back)]; got.State != want {
			t.Errorf("%d days ago: %+v, want %s", back, got, want)
		}
	}
	if day := calendar[spot][today-6]; day.Error != "no answer" || !day.Failed.Known() || day.Through.Known() {
		t.Errorf("the failed day is %+v", day)
	}
	if day := calendar[spot][today-4]; day.Agreed != 2 || day.Through != affiliate.MillisOf((today-3).Start(time.UTC)) || !day.FirstRead.Known() || day.LastRead < day.Through {
		t.Errorf("the verified day is %+v", day)
	}
	if n := len(calendar[spot]); n != 401 {
		t.Errorf("%d days, want all days that were ever requested: 401", n)
	}
	if got := calendar[futures][today].State; got != coverage.CalendarMissing {
		t.Errorf("today without a reading is %s", got)
	}
	if a, b := calendar[users][today-366].State, calendar[users][today-364].State; a != coverage.CalendarBeyond || b != coverage.CalendarMissing {
		t.Errorf("registrations 366 days ago are %s, 364 days ago %s", a, b)
	}
	d.now = today.Start(time.UTC).AddDate(0, 0, 1).Add(time.Minute)
	if got := d.calendar("main")[futures][today+1].State; got != coverage.CalendarRunning {
		t.Errorf("a day that has just begun is %s", got)
	}
}

// Each account has the days that were requested for it.
func TestCalendarOfAccounts(t *testing.T) {
	d := newFixture(t, "UTC")
	if calendars, err := d.Calendar(t.Context(), ""); err != nil || len(calendars) != 8 || len(calendars[0].Days) != 1 {
		t.Errorf("with an empty database: %+v (%v)", calendars, err)
	}
	d.want("main", today-10)
	d.want("second", today-3)
	d.read("second", spot, days(-5, -5)) // before the requested days
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
	d := newFixture(t, "UTC")
	for i := range 7 {
		account := affiliate.Account([]string{"main", "second"}[i%2])
		run, err := records.StartRun(t.Context(), d.store, account, fmt.Sprint("cause ", i))
		if err != nil {
			t.Fatal(err)
		}
		slice := d.slice(account, spot, days(-9, -2))
		slice.Run = run
		if i == 4 {
			err = records.FailSlice(t.Context(), d.store, slice, "no answer")
		} else {
			_, err = records.ReplaceCommissions(t.Context(), d.store, slice, []affiliate.Commission{trade(today-3, spot, i, "1")})
		}
		if err != nil {
			t.Fatal(err)
		}
		if i < 6 {
			if err := records.FinishRun(t.Context(), d.store, run, 11, 22, ""); err != nil {
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
	sameLines(t, "newest first", causes, []string{"cause 6", "cause 5", "cause 4", "cause 3", "cause 2", "cause 1", "cause 0"})

	rows, total, err := d.Runs(t.Context(), "main", 1, 50)
	if err != nil || total != 4 || len(rows) != 4 {
		t.Fatalf("%d of %d runs of main (%v)", len(rows), total, err)
	}
	if r := rows[0]; r.Finished.Known() || !r.Started.Known() || r.Account != "main" || r.Slices != 1 || r.Opened != 1 || r.Closed != 1 || r.Records != 1 {
		t.Errorf("the running run is %+v", r)
	}
	if r := rows[1]; r.Failed != 1 || len(r.Problems) != 1 || r.Problems[0] != (records.SliceProblem{Stream: spot, Days: days(-9, -2), Error: "no answer"}) || r.Requests != 11 || r.Weight != 22 {
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
