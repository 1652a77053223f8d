package reporttest

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	whos "rebatedesk/people"
	"rebatedesk/reports/export"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
)

// reading draws readings of the exchange and stores them in runs, as a collector does.
type reading struct {
	*rapid.T
	*Fixture
	runs map[affiliate.Account]int64
}

func NewReading(t *rapid.T, d *Fixture) reading {
	r := reading{t, d, map[affiliate.Account]int64{}}
	for _, account := range []affiliate.Account{"main", "other"} {
		run, err := records.StartRun(d.Context(), d.DB, account, "test")
		if err != nil {
			t.Fatal(err)
		}
		r.runs[account] = run
	}
	return r
}

// Invitees draws a reading of some days in which each invitee is listed or not, with new,
// old or missing values.
func (r reading) Invitees() {
	account := rapid.SampledFrom([]affiliate.Account{"main", "other"}).Draw(r.T, "account")
	first := rapid.IntRange(-366, 0).Draw(r.T, "first")
	span := Days(first, rapid.IntRange(first, 0).Draw(r.T, "last"))
	if rapid.Bool().Draw(r.T, "all days") {
		span = Days(-366, 0)
	}
	slice := r.Slice(account, Users, span)
	slice.Run = r.runs[account]
	if rapid.IntRange(0, 5).Draw(r.T, "fails") == 0 {
		if err := records.FailSlice(r.Context(), r.DB, slice, "no answer"); err != nil {
			r.T.Fatal(err)
		}
		return
	}
	var list []affiliate.Invitee
	for uid, registered := range []affiliate.Day{-366, -365, -200, -3, -1, 0} {
		i := affiliate.Invitee{
			UID:          affiliate.UID(fmt.Sprint(4667776800 + uid)),
			InviteCode:   rapid.SampledFrom([]string{"", "a", "b"}).Draw(r.T, "code"),
			RegisterTime: Midnight(Today+registered) + affiliate.Millis(rapid.SampledFrom([]int{0, 1, 18}).Draw(r.T, "hours"))*3_600_000,
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
	if _, err := records.ReplaceInvitees(r.Context(), r.DB, slice, list); err != nil {
		r.T.Fatal(err)
	}
}

func (r reading) SubAffiliates() {
	r.ReadSubAffiliates(Span, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) affiliate.SubAffiliateDay {
		return affiliate.SubAffiliateDay{UID: "7", Product: affiliate.Spot, Date: Today - 1, TradingVolume: DrawNumber(t, "volume")}
	}), 0, 3).Draw(r.T, "sub-affiliates")...)
}

// CodesOfOurs gives an invitee a code of ours, or removes it.
func (r reading) CodesOfOurs() {
	uid := affiliate.UID(fmt.Sprint(4667776800 + rapid.IntRange(0, 6).Draw(r.T, "whose")))
	given := whos.GivenValue{Field: whos.FieldCode, Text: rapid.SampledFrom([]string{"", "a", "b", "ours"}).Draw(r.T, "code of ours")}
	err := people.Edit(r.Context(), r.DB, whos.PersonEntry{UID: uid, Values: []whos.GivenValue{given}}, store.AnyVersion, audit.Line{Actor: "anna"})
	if err != nil {
		r.T.Fatal(err)
	}
}

// Asked is an export to compare.
type Asked struct {
	Kind  *export.Kind
	Query string
}

// Exports returns the texts of exports as of an instant, or of the present if it is
// empty.
func (d *Fixture) Exports(list []Asked, asOf string) map[Asked]string {
	d.Helper()
	texts := map[Asked]string{}
	for _, one := range list {
		texts[one], _ = d.Export(one.Kind, export.CSV, d.AskFor(one.Kind, one.Query+"&as_of="+asOf))
	}
	return texts
}
