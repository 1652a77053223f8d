package export_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/reporttest"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

const (
	whole = "from=2026-09-08&to=2026-09-15"
	week  = whole + "&sort=time"
)

// drawAsked draws a few exports, some of them filtered by data about invitees.
func drawAsked(t *rapid.T) []reporttest.Asked {
	return rapid.SliceOfNDistinct(rapid.SampledFrom([]reporttest.Asked{
		{Kind: commissions.File, Query: week}, {Kind: commissions.File, Query: week + "&code=a"}, {Kind: commissions.File, Query: week + "&q=b"},
		{Kind: commissions.DailyFile, Query: week}, {Kind: commissions.DailyFile, Query: week + "&code=a"}, {Kind: commissions.DailyFile, Query: week + "&q=b"},
		{Kind: invitees.File, Query: "range=all"}, {Kind: invitees.File, Query: "range=all&code=a"},
		{Kind: invitees.File, Query: week}, {Kind: invitees.File, Query: "range=all&q=A"},
		{Kind: subaffiliates.File, Query: week},
		{Kind: invitees.ListFile, Query: whole}, {Kind: invitees.ListFile, Query: whole + "&code=a"}, {Kind: invitecodes.File, Query: whole}, {Kind: invitecodes.File, Query: whole + "&coin=USDT"},
		{Kind: cohorts.File, Query: "by=week&" + whole}, {Kind: cohorts.File, Query: "by=month&code=a&" + whole},
	}), 2, 3, rapid.ID).Draw(t, "exports")
}

// After any later readings and changes of codes of ours, an export as of an earlier instant equals the export of that
// time.
func TestAsOfIsWhatWasExported(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "states of the past", testAsOfIsWhatWasExported)
}

func testAsOfIsWhatWasExported(t *testing.T) {
	d := reporttest.NewFixture(t, "America/Los_Angeles")
	rapid.Check(t, func(t *rapid.T) {
		r := reporttest.NewReading(t, d)
		list, said := drawAsked(t), map[string]map[reporttest.Asked]string{}
		for range rapid.IntRange(2, 3).Draw(t, "states") {
			for range rapid.IntRange(1, 4).Draw(t, "reads") {
				d.Later(time.Minute)
				rapid.SampledFrom([]func(){r.Invitees, r.Invitees, r.Invitees, func() { reporttest.Draw(t, d, 6) }, r.SubAffiliates, r.CodesOfOurs, r.CodesOfOurs}).Draw(t, "read")()
			}
			d.Later(time.Minute)
			said[d.Now.Format(time.RFC3339)] = d.Exports(list, "")
		}
		for then, texts := range said {
			for what, text := range d.Exports(list, then) {
				if text != texts[what] {
					t.Fatalf("%v as of %s:\n%s\nthen it was\n%s", what, then, text, texts[what])
				}
			}
		}
	})
	for finding, err := range upkeep.Verify(t.Context(), d.DB) {
		if err != nil || !finding.Sound() {
			t.Errorf("%+v (%v)", finding, err)
		}
	}
}
