package coverage_test

import (
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// Time is known as far as all streams were read, less what the exchange may have listed after the reading.
// A day with a record that could not be read is not known.
func TestKnownTime(t *testing.T) {
	const hour = time.Hour
	start := reporttest.Today.Start(time.UTC)
	day := func(stream affiliate.Stream, n int, through, read time.Duration, unread int) records.CoverageDay {
		return records.CoverageDay{Account: "main", Stream: stream, Day: reporttest.Today + affiliate.Day(n),
			Through: affiliate.MillisOf(start.Add(through)), LastRead: affiliate.MillisOf(start.Add(read)), Quarantined: unread}
	}
	for name, c := range map[string]struct {
		days []records.CoverageDay // beside those of futures, which are known
		want []time.Duration       // since the start of the first day, from and to in turn
	}{
		"read later":                 {[]records.CoverageDay{day(reporttest.Spot, 0, 24*hour, 25*hour, 0)}, []time.Duration{0, 24 * hour}},
		"read at once":               {[]records.CoverageDay{day(reporttest.Spot, 0, 24*hour, 24*hour+hour/2, 0)}, []time.Duration{0, 23*hour + hour/2}},
		"read in between":            {[]records.CoverageDay{day(reporttest.Spot, 0, 9*hour, 9*hour, 0)}, []time.Duration{0, 8 * hour}},
		"read at the beginning":      {[]records.CoverageDay{day(reporttest.Spot, 0, hour/2, hour/2, 0)}, nil},
		"read up to an earlier hour": {[]records.CoverageDay{day(reporttest.Spot, 0, 5*hour, 30*hour, 0)}, []time.Duration{0, 5 * hour}},
		"not read":                   {nil, nil},
		"with an unreadable record":  {[]records.CoverageDay{day(reporttest.Spot, 0, 24*hour, 30*hour, 1)}, nil},
		"two days": {[]records.CoverageDay{day(reporttest.Spot, 0, 24*hour, 30*hour, 0), day(reporttest.Spot, 1, 40*hour, 40*hour, 0)},
			[]time.Duration{0, 39 * hour}},
		"the first day read at once": {[]records.CoverageDay{day(reporttest.Spot, 0, 24*hour, 24*hour, 0), day(reporttest.Spot, 1, 40*hour, 40*hour, 0)},
			[]time.Duration{0, 23 * hour, 24 * hour, 39 * hour}},
		"of another account": {[]records.CoverageDay{{Account: "other", Stream: reporttest.Spot, Day: reporttest.Today,
			Through: affiliate.MillisOf(start.Add(24 * hour)), LastRead: affiliate.MillisOf(start.Add(30 * hour))}}, nil},
	} {
		list := append([]records.CoverageDay{day(reporttest.Futures, 0, 24*hour, 60*hour, 0), day(reporttest.Futures, 1, 48*hour, 60*hour, 0)}, c.days...)
		streams := []coverage.AccountStream{{Account: "main", Stream: reporttest.Spot}, {Account: "main", Stream: reporttest.Futures}, {Account: "other", Stream: reporttest.Spot}}
		var got []time.Duration
		for _, span := range coverage.NewMap(streams, list, time.Time{}, start.Add(60*hour), time.UTC).KnownTime("main", coverage.ListingLag) {
			got = append(got, span.From.Sub(start), span.To.Sub(start))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: known are %v, want %v", name, got, c.want)
		}
	}
}

// One record that could not be read makes its day incomplete, and no other, until a reading can read it.
func TestCoverageOfAnUnreadableRecord(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.ReadEmpty(reporttest.Days(-6, 0))
	slice := d.Slice("main", reporttest.Spot, reporttest.Days(-3, -3))
	read := func(unread ...records.QuarantineRow) coverage.Coverage {
		slice.Quarantine = unread
		_, err := records.ReplaceCommissions(t.Context(), d.DB, slice, nil)
		storetest.Done(t, err)
		return d.Overview("range=7d").Coverage
	}
	got := read(records.QuarantineRow{Day: reporttest.Today - 3, Field: "fee", Value: `"1,5"`, Reason: "is not a number", Record: "{}", Copies: 1})
	want := []coverage.Gap{{Account: "main", Stream: reporttest.Spot, Days: reporttest.Days(-3, -3), Reason: `1 record could not be read: fee "1,5" is not a number`, Quarantined: 1}}
	if n, alone := got.Unreadable(); got.Complete() || got.Wanted != 7 || got.Collected != 6 || !slices.Equal(got.Gaps, want) || n != 1 || !alone {
		t.Errorf("with one unreadable record: %+v", got)
	}
	if got := read(); !got.Complete() || got.Collected != 7 {
		t.Errorf("once it was read: %+v", got)
	}
}

// What two sources tell together is complete only if both are.
func TestCoverageOfTwoSources(t *testing.T) {
	whole := coverage.Coverage{Wanted: 1, Collected: 1, Through: 5}
	gap := coverage.Coverage{Wanted: 1, Through: 5, Gaps: []coverage.Gap{{Account: "main"}}}
	for name, c := range map[string]struct {
		a, b coverage.Coverage
		want bool
	}{
		"both": {whole, whole, true}, "the second was never read": {whole, coverage.Coverage{}, false}, "the first was never read": {coverage.Coverage{}, whole, false},
		"the second has a gap": {whole, gap, false}, "the first has a gap": {gap, whole, false},
	} {
		if got := c.a.With(c.b).Complete(); got != c.want {
			t.Errorf("%s: complete %v, want %v", name, got, c.want)
		}
	}
}
