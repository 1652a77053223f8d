package reports_test

import (
	"fmt"
	"testing"
	"time"

	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/subaffiliates"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	whos "rebatedesk/people"
	"rebatedesk/reports/export"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/upkeep"
)

// reading draws readings of the exchange and stores them in runs, as a collector does.
type reading struct {
	*rapid.T
	*fixture
	runs map[affiliate.Account]int64
}

func newReading(t *rapid.T, d *fixture) reading {
	r := reading{t, d, map[affiliate.Account]int64{}}
	for _, account := range []affiliate.Account{"main", "other"} {
		run, err := records.StartRun(d.Context(), d.store, account, "test")
		if err != nil {
			t.Fatal(err)
		}
		r.runs[account] = run
	}
	return r
}

// invitees draws a reading of some days in which each invitee is listed or not, with new,
// old or missing values.
func (r reading) invitees() {
	account := rapid.SampledFrom([]affiliate.Account{"main", "other"}).Draw(r.T, "account")
	first := rapid.IntRange(-366, 0).Draw(r.T, "first")
	span := days(first, rapid.IntRange(first, 0).Draw(r.T, "last"))
	if rapid.Bool().Draw(r.T, "all days") {
		span = days(-366, 0)
	}
	slice := r.slice(account, users, span)
	slice.Run = r.runs[account]
	if rapid.IntRange(0, 5).Draw(r.T, "fails") == 0 {
		if err := records.FailSlice(r.Context(), r.store, slice, "no answer"); err != nil {
			r.T.Fatal(err)
		}
		return
	}
	var list []affiliate.Invitee
	for uid, registered := range []affiliate.Day{-366, -365, -200, -3, -1, 0} {
		i := affiliate.Invitee{
			UID:          affiliate.UID(fmt.Sprint(4667776800 + uid)),
			InviteCode:   rapid.SampledFrom([]string{"", "a", "b"}).Draw(r.T, "code"),
			RegisterTime: midnight(today+registered) + affiliate.Millis(rapid.SampledFrom([]int{0, 1, 18}).Draw(r.T, "hours"))*3_600_000,
			KYC:          affiliate.Flag(rapid.SampledFrom([]string{"", "true", "false"}).Draw(r.T, "KYC")),
			LastTrade:    affiliate.Millis(rapid.IntRange(0, 2).Draw(r.T, "trade")),
		}
		if rapid.IntRange(0, 9).Draw(r.T, "unknown registration") == 0 {
			i.RegisterTime = 0
		} else if !span.Range(time.UTC).Contains(i.RegisterTime) {
			continue
		}
		if rapid.IntRange(0, 3).Draw(r.T, "listed") > 0 {
			list = append(list, i)
		}
	}
	if _, err := records.ReplaceInvitees(r.Context(), r.store, slice, list); err != nil {
		r.T.Fatal(err)
	}
}

func (r reading) subAffiliates() {
	r.readSubAffiliates(span, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) affiliate.SubAffiliateDay {
		return affiliate.SubAffiliateDay{UID: "7", Product: affiliate.Spot, Date: today - 1, TradingVolume: drawNumber(t, "volume")}
	}), 0, 3).Draw(r.T, "sub-affiliates")...)
}

// codesOfOurs gives an invitee a code of ours, or removes it.
func (r reading) codesOfOurs() {
	uid := affiliate.UID(fmt.Sprint(4667776800 + rapid.IntRange(0, 6).Draw(r.T, "whose")))
	given := whos.GivenValue{Field: whos.FieldCode, Text: rapid.SampledFrom([]string{"", "a", "b", "ours"}).Draw(r.T, "code of ours")}
	err := people.Edit(r.Context(), r.store, whos.PersonEntry{UID: uid, Values: []whos.GivenValue{given}}, store.AnyVersion, audit.Line{Actor: "anna"})
	if err != nil {
		r.T.Fatal(err)
	}
}

const (
	whole = "from=2026-09-08&to=2026-09-15"
	week  = whole + "&sort=time"
)

// asked is an export to compare.
type asked struct {
	kind  *export.Kind
	query string
}

// drawAsked draws a few exports, some of them filtered by data about invitees.
func drawAsked(t *rapid.T) []asked {
	return rapid.SliceOfNDistinct(rapid.SampledFrom([]asked{
		{commissions.File, week}, {commissions.File, week + "&code=a"}, {commissions.File, week + "&q=b"},
		{commissions.DailyFile, week}, {commissions.DailyFile, week + "&code=a"}, {commissions.DailyFile, week + "&q=b"},
		{invitees.File, "range=all"}, {invitees.File, "range=all&code=a"},
		{invitees.File, week}, {invitees.File, "range=all&q=A"},
		{subaffiliates.File, week},
		{invitees.ListFile, whole}, {invitees.ListFile, whole + "&code=a"}, {invitecodes.File, whole}, {invitecodes.File, whole + "&coin=USDT"},
		{cohorts.File, "by=week&" + whole}, {cohorts.File, "by=month&code=a&" + whole},
	}), 2, 3, rapid.ID).Draw(t, "exports")
}

// exports returns the texts of exports as of an instant, or of the present if it is
// empty.
func (d *fixture) exports(list []asked, asOf string) map[asked]string {
	d.Helper()
	texts := map[asked]string{}
	for _, one := range list {
		texts[one], _ = d.export(one.kind, export.CSV, d.askFor(one.kind, one.query+"&as_of="+asOf))
	}
	return texts
}

// After any later readings and changes of codes of ours, an export as of an earlier instant equals the export of that
// time.
func TestAsOfIsWhatWasExported(t *testing.T) {
	t.Parallel()
	d := newFixture(t, "America/Los_Angeles")
	rapid.Check(t, func(t *rapid.T) {
		r := newReading(t, d)
		list, said := drawAsked(t), map[string]map[asked]string{}
		for range rapid.IntRange(2, 3).Draw(t, "states") {
			for range rapid.IntRange(1, 4).Draw(t, "reads") {
				d.later(time.Minute)
				rapid.SampledFrom([]func(){r.invitees, r.invitees, r.invitees, func() { draw(t, d, 6) }, r.subAffiliates, r.codesOfOurs, r.codesOfOurs}).Draw(t, "read")()
			}
			d.later(time.Minute)
			said[d.now.Format(time.RFC3339)] = d.exports(list, "")
		}
		for then, texts := range said {
			for what, text := range d.exports(list, then) {
				if text != texts[what] {
					t.Fatalf("%v as of %s:\n%s\nthen it was\n%s", what, then, text, texts[what])
				}
			}
		}
	})
	for finding, err := range upkeep.Verify(t.Context(), d.store) {
		if err != nil || !finding.Sound() {
			t.Errorf("%+v (%v)", finding, err)
		}
	}
}
