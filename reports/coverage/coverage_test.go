package coverage_test

import (
	"reflect"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

func TestCoverageOfNothing(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	for _, query := range []string{"range=7d", "range=today", "range=all"} {
		view := d.Overview(query)
		if c := view.Coverage; c.Complete() || c.Collected != 0 || c.Through.Known() || view.Empty != coverage.EmptyNotCollected {
			t.Errorf("%s of an empty database: %+v, %q", query, c, view.Empty)
		}
	}
	if c := d.Overview("range=7d").Coverage; c.Wanted != 7 || len(c.Gaps) != 2 || c.Gaps[0].Days != reporttest.Days(-6, 0) || c.LastRun.Started.Known() {
		t.Errorf("an empty database: %+v", c)
	}
}

func TestCoverageComplete(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.ReadEmpty(reporttest.Days(-6, 0))
	view := d.Overview("range=7d")
	if c := view.Coverage; !c.Complete() || c.Wanted != 7 || c.Collected != 7 || c.Gaps != nil || c.Through != affiliate.MillisOf(reporttest.Noon) {
		t.Errorf("a week that was read completely: %+v", c)
	}
	if view.Empty != coverage.EmptyTruly {
		t.Errorf("a completely read week without records is %q", view.Empty)
	}
	if c := d.Overview("from=2026-09-10&to=2026-09-12").Coverage; !c.Complete() || c.Wanted != 3 || c.Through != reporttest.Midnight(reporttest.Today-2) {
		t.Errorf("three days of it: %+v", c)
	}
}

// Adjacent days with one cause are one gap; each stream has separate gaps.
func TestCoverageGaps(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Read("main", reporttest.Spot, reporttest.Days(-9, 0))
	d.Read("main", reporttest.Futures, reporttest.Days(-9, -8))
	d.FailRead(reporttest.Futures, reporttest.Days(-5, -4), "the exchange is down")
	d.FailRead(reporttest.Futures, reporttest.Days(-3, -3), "the answer was HTML")
	d.Read("main", reporttest.Futures, reporttest.Days(-1, 0))
	gap := func(first, last int, reason string) coverage.Gap {
		return coverage.Gap{Account: "main", Stream: reporttest.Futures, Days: reporttest.Days(first, last), Reason: reason}
	}
	want := []coverage.Gap{gap(-7, -6, ""), gap(-5, -4, "the exchange is down"), gap(-3, -3, "the answer was HTML"), gap(-2, -2, "")}
	view := d.Overview("from=2026-09-06&to=2026-09-15")
	c := view.Coverage
	if !reflect.DeepEqual(c.Gaps, want) || c.Wanted != 10 || c.Collected != 4 || c.Complete() {
		t.Errorf("%+v, want the gaps %v", c, want)
	}
	if c.Through != reporttest.Midnight(reporttest.Today-7) {
		t.Errorf("read completely through %s", c.Through)
	}
	const ok, part, bad, running = coverage.DayCollected, coverage.DayPartial, coverage.DayFailed, coverage.DayRunning
	if got := view.Daily.State; !reflect.DeepEqual(got, []coverage.DayState{ok, ok, part, part, bad, bad, bad, part, ok, running}) {
		t.Errorf("the days are %v", got)
	}
	if view.Empty != coverage.EmptyFailed {
		t.Errorf("a range with failures and no records is %q", view.Empty)
	}
	// Only streams that affect the query count.
	if c := d.Overview("from=2026-09-06&to=2026-09-15&product=SPOT").Coverage; !c.Complete() || c.Collected != 10 {
		t.Errorf("SPOT alone: %+v", c)
	}
	if c := d.Overview("from=2026-09-06&to=2026-09-15&product=FUTURES&coin=USDT").Coverage; !reflect.DeepEqual(c.Gaps, want) {
		t.Errorf("FUTURES alone: %+v", c)
	}
}

// A failure after a good reading does not remove the known data.
func TestCoverageOfFailureAfterRead(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.ReadEmpty(reporttest.Days(-2, 0))
	d.FailRead(reporttest.Spot, reporttest.Days(-2, 0), "down")
	if c := d.Overview("from=2026-09-13&to=2026-09-15").Coverage; !c.Complete() {
		t.Errorf("%+v", c)
	}
}

func TestCoverageOfRunningDay(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.ReadEmpty(reporttest.Days(-1, 0))
	d.Now = reporttest.Noon.Add(5 * time.Hour) // no later reading; the hours are not missing, and Through shows them
	if c := d.Overview("range=today").Coverage; !c.Complete() || c.Through != affiliate.MillisOf(reporttest.Noon) {
		t.Errorf("a running day: %+v", c)
	}
	d.Now = reporttest.Noon.Add(12*time.Hour + 30*time.Minute) // half an hour into the next day
	view := d.Overview("from=2026-09-15&to=2026-09-16")
	if got := view.Daily.State; !reflect.DeepEqual(got, []coverage.DayState{coverage.DayPartial, coverage.DayFresh}) {
		t.Errorf("after midnight the days are %v", got)
	}
	if c := view.Coverage; c.Complete() || len(c.Gaps) != 2 || c.Gaps[0].Days != reporttest.Days(0, 0) || c.Gaps[0].Reason != "" || c.Through != affiliate.MillisOf(reporttest.Noon) {
		t.Errorf("a day that was read only before its end: %+v", c)
	}
	d.Now = reporttest.Noon.Add(13*time.Hour + 30*time.Minute) // a new day needs no reading for an hour
	if got := d.States("from=2026-09-16&to=2026-09-16"); got[0] != coverage.DayMissing {
		t.Errorf("a new day without a reading is %s", got[0])
	}
	d.FailRead(reporttest.Spot, reporttest.Days(1, 1), "down")
	if got := d.States("from=2026-09-16&to=2026-09-16"); got[0] != coverage.DayFailed {
		t.Errorf("a new day whose reading failed is %s", got[0])
	}
}

func TestCoverageOfDaysToCome(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.ReadEmpty(reporttest.Days(-1, 0))
	view := d.Overview("from=2026-09-14&to=2026-09-20")
	if c := view.Coverage; c.Wanted != 2 || !c.Complete() || len(view.Daily.Days) != 7 {
		t.Errorf("a range with future days: %+v", c)
	}
	if c := d.Overview("from=2026-09-16&to=2026-09-20").Coverage; c.Wanted != 0 || c.Complete() {
		t.Errorf("a range in the future: %+v", c)
	}
}

// A reporting day of Tokyo consists of two UTC days and ends at 15:00 UTC.
func TestCoverageInAnotherZone(t *testing.T) {
	d := reporttest.NewFixture(t, "Asia/Tokyo")
	d.ReadEmpty(reporttest.Days(-1, -1))
	yesterday, whole := "from=2026-09-14&to=2026-09-14", "from=2026-09-15&to=2026-09-15"
	if got := d.States(yesterday); got[8] != coverage.DayMissing || got[9] != coverage.DayCollected {
		t.Errorf("of the day without its first nine hours, hours are %v", got)
	}
	d.ReadEmpty(reporttest.Days(-2, -2))
	if c := d.Overview(yesterday).Coverage; !c.Complete() || c.Through != affiliate.MillisOf(reporttest.At(t, "2026-09-14T15:00:00Z")) {
		t.Errorf("both UTC days read: %+v", c)
	}
	d.ReadEmpty(reporttest.Days(0, 0)) // at noon, three hours before the reporting day ends
	if c := d.Overview(whole).Coverage; !c.Complete() || c.Through != affiliate.MillisOf(reporttest.Noon) {
		t.Errorf("the running day: %+v", c)
	}
	// The reporting day has ended within a UTC day that has not, and its last three hours
	// were never read.
	d.Now = reporttest.Noon.Add(6 * time.Hour)
	if c := d.Overview(whole).Coverage; c.Complete() || c.Collected != 0 || len(c.Gaps) != 2 || c.Gaps[0].Days != reporttest.Days(0, 0) {
		t.Errorf("a day that ended within a running UTC day: %+v", c)
	}
	d.ReadEmpty(reporttest.Days(0, 0))
	if c := d.Overview(whole).Coverage; !c.Complete() || c.Through != affiliate.MillisOf(reporttest.At(t, "2026-09-15T15:00:00Z")) {
		t.Errorf("read again: %+v", c)
	}
}

// Coverage as of an instant is that of the data known then.
func TestCoverageAsOf(t *testing.T) { storetest.Engines(t, "states of the past", testCoverageAsOf) }

func testCoverageAsOf(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	first := reporttest.Noon.Add(time.Hour)
	d.Now = first
	d.Read("main", reporttest.Spot, reporttest.Days(-2, 0), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "2"))
	d.Read("main", reporttest.Futures, reporttest.Days(-2, 0))
	d.Now = reporttest.Noon.Add(48 * time.Hour)
	d.Read("main", reporttest.Spot, reporttest.Days(-2, 2), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "3"))
	d.Read("main", reporttest.Futures, reporttest.Days(-2, 2))
	d.FailRead(reporttest.Spot, reporttest.Days(-3, -3), "failed later")

	const query = "from=2026-09-13&to=2026-09-14&as_of="
	before := d.Overview(query + first.Add(-time.Minute).Format(time.RFC3339))
	if before.Coverage.Complete() || before.Coverage.Through.Known() || before.Coverage.Begun || before.Coverage.FirstRead.Time() != first || before.Empty != coverage.EmptyThen || len(before.Cards) != 0 {
		t.Errorf("before the first reading: %+v, %q, %d cards", before.Coverage, before.Empty, len(before.Cards))
	}
	after := d.Overview(query + first.Add(time.Minute).Format(time.RFC3339))
	if !after.Coverage.Complete() || len(after.Cards) != 1 || after.Cards[0].Commission.Amount.Exact() != "2 USDT" {
		t.Errorf("after the first reading: %+v, %+v", after.Coverage, after.Cards)
	}
	if now := d.Overview(query[:len(query)-len("&as_of=")]); now.Cards[0].Commission.Amount.Exact() != "3 USDT" {
		t.Errorf("now: %+v", now.Cards)
	}
	// Later days were not missing at the instant, and no reading went beyond it.
	late := d.Overview("from=2026-09-14&to=2026-09-17&as_of=" + first.Add(time.Minute).Format(time.RFC3339)).Coverage
	if !late.Complete() || late.Wanted != 2 || late.Through != affiliate.MillisOf(first.Add(time.Minute)) {
		t.Errorf("a range that was still running: %+v", late)
	}
	failed := d.Overview("from=2026-09-12&to=2026-09-12&as_of=" + first.Add(time.Minute).Format(time.RFC3339)).Coverage
	if failed.Complete() || failed.Gaps[0].Reason != "" {
		t.Errorf("a day that failed later: %+v", failed)
	}
}

// A day that was read before its end, and again only days later, was incomplete in
// between. As of an instant in between it is reported as incomplete, as it was then.
func TestCoverageAsOfBetweenTwoReads(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	run, err := records.StartRun(t.Context(), d.DB, "main", "test")
	if err != nil {
		t.Fatal(err)
	}
	read := func(stream affiliate.Stream, span affiliate.Days) {
		slice := d.Slice("main", stream, span)
		slice.Run = run
		if _, err := records.ReplaceCommissions(t.Context(), d.DB, slice, nil); err != nil {
			t.Fatal(err)
		}
	}
	read(reporttest.Spot, reporttest.Days(-1, 0))
	read(reporttest.Futures, reporttest.Days(-1, 0))
	day := "from=2026-09-15&to=2026-09-15"
	d.Now = reporttest.Noon.Add(24 * time.Hour)
	said := d.Overview(day).Coverage
	then := d.Now
	d.Now = reporttest.Noon.Add(48 * time.Hour)
	read(reporttest.Spot, reporttest.Days(-1, 2))
	read(reporttest.Futures, reporttest.Days(-1, 2))
	if c := d.Overview(day).Coverage; !c.Complete() {
		t.Errorf("now: %+v", c)
	}
	again := d.Overview(day + "&as_of=" + then.Format(time.RFC3339)).Coverage
	if said.Complete() || again.Complete() || again.Through != said.Through || again.Collected != said.Collected || len(again.Gaps) != len(said.Gaps) {
		t.Errorf("reported then: %+v; as of then: %+v", said, again)
	}
}

func TestCoverageOfSeveralAccounts(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.ReadEmpty(reporttest.Days(-1, 0))
	d.Read("other", reporttest.Spot, reporttest.Days(-1, 0))
	d.Read("other", reporttest.Futures, reporttest.Days(-1, -1))
	const query = "from=2026-09-14&to=2026-09-15"
	if c := d.Overview(query).Coverage; c.Complete() || len(c.Gaps) != 1 || c.Gaps[0].Account != "other" || c.Through != reporttest.Midnight(reporttest.Today) {
		t.Errorf("both accounts: %+v", c)
	}
	if c := d.Overview(query + "&account=main").Coverage; !c.Complete() {
		t.Errorf("the complete account alone: %+v", c)
	}
}

func TestLastRun(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	id, err := records.StartRun(t.Context(), d.DB, "main", "command")
	if err != nil {
		t.Fatal(err)
	}
	if run := d.Overview("").Coverage.LastRun; run.Started != affiliate.MillisOf(reporttest.Noon) || run.Finished.Known() {
		t.Errorf("an unfinished run: %+v", run)
	}
	d.Now = reporttest.Noon.Add(time.Minute)
	if err := records.FinishRun(t.Context(), d.DB, id, 3, 60, "wrong key"); err != nil {
		t.Fatal(err)
	}
	if run := d.Overview("").Coverage.LastRun; run.Finished != affiliate.MillisOf(d.Now) || run.Error != "wrong key" {
		t.Errorf("a finished run: %+v", run)
	}
}

// Each reason for a page without figures is distinguished.
func TestEmptyKinds(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Read("main", reporttest.Spot, reporttest.Days(-5, -4), reporttest.Trade(reporttest.Today-5, reporttest.Spot, 1, "1"))
	d.Read("main", reporttest.Futures, reporttest.Days(-5, -4))
	d.FailRead(reporttest.Spot, reporttest.Days(-2, -2), "down")
	for query, want := range map[string]coverage.EmptyKind{
		"from=2026-09-10&to=2026-09-11":             "",
		"from=2026-09-11&to=2026-09-11":             coverage.EmptyTruly,
		"from=2026-09-11&to=2026-09-11&uid=1":       coverage.EmptyTruly,
		"from=2026-09-10&to=2026-09-11&coin=BTC":    coverage.EmptyFiltered,
		"from=2026-09-10&to=2026-09-11&q=nobody":    coverage.EmptyFiltered,
		"from=2026-09-12&to=2026-09-12":             coverage.EmptyNotCollected,
		"from=2026-09-12&to=2026-09-12&source=sub":  coverage.EmptyNotCollected,
		"from=2026-09-12&to=2026-09-13":             coverage.EmptyFailed,
		"from=2026-09-12&to=2026-09-13&symbol=none": coverage.EmptyFailed,
		"from=2026-09-16&to=2026-09-20":             coverage.EmptyFuture,
		"from=2026-09-01&to=2026-09-09":             coverage.EmptyBefore,
	} {
		view := d.Overview(query)
		list, err := reports.Ask(t.Context(), d.Service, d.Ask(query), commissions.Make)
		if err != nil {
			t.Fatal(err)
		}
		if view.Empty != want || list.Empty != want || (len(list.Rows) == 0) != (want != "") || (len(view.Cards) == 0) != (want != "") {
			t.Errorf("%s: overview %q, commissions %q with %d rows; want %q", query, view.Empty, list.Empty, len(list.Rows), want)
		}
	}
}

// In the hour after its end a day that was read may grow; only later was it not read for too long.
func TestCoverageWhileTheEndOfADayIsListed(t *testing.T) {
	t.Parallel()
	stream := coverage.AccountStream{Account: "main", Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}}
	day := affiliate.DayOf(time.Date(2026, 9, 14, 0, 0, 0, 0, time.UTC), time.UTC)
	end := (day + 1).Start(time.UTC)
	for after, want := range map[time.Duration]string{
		25 * time.Minute: "its last records may still be listed, until 15 Sep 2026 01:00 UTC",
		time.Hour:        "not read since 15 Sep 2026 01:00 UTC: its last records may be missing",
	} {
		read := []records.CoverageDay{{Account: stream.Account, Stream: stream.Stream, Day: day, Through: affiliate.MillisOf(end), LastRead: affiliate.MillisOf(end.Add(10 * time.Minute))}}
		c := coverage.NewMap([]coverage.AccountStream{stream}, read, time.Time{}, end.Add(after), time.UTC)
		c.Lag = time.Hour
		if gaps := c.Gaps(stream, affiliate.Days{First: day, Last: day}); len(gaps) != 1 || gaps[0].Reason != want {
			t.Errorf("%s after its end: %+v", after, gaps)
		}
	}
}
