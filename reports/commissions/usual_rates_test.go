package commissions_test

import (
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/reporttest"
)

// What is usual comes from the records of the same account, invitee, product and source, of
// ninety reporting days up to that of the record, and at most the fifty newest of them.
func TestUsualRateOfRecords(t *testing.T) {
	d := reporttest.NewFixture(t, "Asia/Kathmandu") // its days begin at 18:15 UTC
	const rate = "0.4"
	at := func(day int, minute int, uid int, rate affiliate.Number) affiliate.Commission {
		c := reporttest.Trade(reporttest.Today+affiliate.Day(day), reporttest.Spot, uid, rate)
		c.DealTime += affiliate.Millis(minute * 60_000)
		c.Rate = rate
		return c
	}
	rows := []affiliate.Commission{at(0, 0, 1, "0.05")}
	for i := range 7 {
		rows = append(rows, at(-2, i, 1, rate))
	}
	for i := range 30 { // too old by a day, and the last one by an hour less
		rows = append(rows, at(-90, i, 1, "0.3"))
	}
	edge := at(-90, 17*60+30, 1, rate) // in Kathmandu this is the day after
	rows = append(rows, edge, at(-1, 0, 2, rate))
	for i := range 70 {
		rows = append(rows, at(-4, i, 3, map[bool]affiliate.Number{true: rate, false: "0.2"}[i >= 20]))
	}
	d.Read("main", reporttest.Spot, reporttest.Days(-100, 0), rows...)
	other := slices.Repeat([]affiliate.Commission{at(-1, 5, 1, "0.9")}, 20) // of another account
	d.Read("other", reporttest.Spot, reporttest.Days(-100, 0), other...)
	late := at(0, 0, 1, "0.4")
	late.Product = affiliate.Futures
	d.Read("main", reporttest.Futures, reporttest.Days(-100, 0), late)

	reasonOf := func(asked string) commissions.Reason {
		t.Helper()
		list, err := reports.Ask(t.Context(), d.Service, d.Ask(asked), commissions.Make)
		if err != nil || len(list.Rows) == 0 || len(list.Reasons) != len(list.Rows) {
			t.Fatalf("%s: %d rows, %d reasons, %v", asked, len(list.Rows), len(list.Reasons), err)
		}
		return list.Reasons[0]
	}
	for asked, want := range map[string]struct {
		having, of int
		cause      []commissions.Cause
	}{
		"range=today&uid=4667776801&product=SPOT&account=main":    {8, 9, []commissions.Cause{commissions.CauseLower}},
		"range=today&uid=4667776801&product=FUTURES":              {1, 1, nil},
		"range=7d&uid=4667776802":                                 {1, 1, nil},
		"range=7d&uid=4667776803":                                 {50, 50, nil},
		"range=7d&uid=4667776801&account=other":                   {20, 20, []commissions.Cause{commissions.CauseTwin}},
		"range=all&sort=time&uid=4667776801&account=main&per=100": {30, 30, nil},
	} {
		got := reasonOf(asked)
		if got.Usual.Having != want.having || got.Usual.Of != want.of || !slices.Equal(got.Causes, want.cause) {
			t.Errorf("%s: %v with %+v, want %v with %d of %d", asked, got.Causes, got.Usual, want.cause, want.having, want.of)
		}
	}

	// A record that is taken back later still counts in the earlier state.
	before := d.Now
	d.Now = d.Now.Add(3 * time.Hour)
	d.Read("main", reporttest.Spot, reporttest.Days(-100, 0), rows[:6]...)
	if got := reasonOf("range=today&uid=4667776801&product=SPOT&account=main"); got.Usual.Of != 6 {
		t.Errorf("six records are left, usual comes from %d", got.Usual.Of)
	}
	if got := reasonOf("range=today&uid=4667776801&product=SPOT&account=main&as_of=" + before.UTC().Format("2006-01-02T15:04:05Z")); got.Usual.Of != 9 {
		t.Errorf("nine records were known then, usual comes from %d", got.Usual.Of)
	}
}

// A record that was restated tells what the exchange stated of its trade before, as far as it was
// known at the instant of the question.
func TestEarlierRecordsOfTrades(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	row, other := reporttest.Trade(reporttest.Today-5, reporttest.Spot, 1, "0.4"), reporttest.Trade(reporttest.Today-5, reporttest.Spot, 2, "0.4")
	other.DealTime = row.DealTime
	d.Read("main", reporttest.Spot, reporttest.Days(-10, 0), row, other)
	first := d.Now
	changed := row
	changed.Commission, changed.Fee = "0.3", "7"
	d.Now = d.Now.Add(24 * time.Hour)
	d.Read("main", reporttest.Spot, reporttest.Days(-10, 0), changed, other)
	second := d.Now
	changed.Commission = "0.2"
	d.Now = d.Now.Add(24 * time.Hour)
	d.Read("main", reporttest.Spot, reporttest.Days(-10, 0), changed, other)

	for _, c := range []struct {
		asked string
		want  []affiliate.Number
	}{
		{"range=all&uid=" + string(row.UID), []affiliate.Number{"0.4", "0.3"}},
		{"range=all&uid=" + string(other.UID), nil},
		{"range=all&uid=" + string(row.UID) + "&as_of=" + first.UTC().Format(time.RFC3339Nano), nil},
		{"range=all&uid=" + string(row.UID) + "&as_of=" + second.UTC().Format(time.RFC3339Nano), []affiliate.Number{"0.4"}},
	} {
		list, err := reports.Ask(t.Context(), d.Service, d.Ask(c.asked), commissions.Make)
		if err != nil || len(list.Rows) != 1 {
			t.Fatalf("%s: %d rows, %v", c.asked, len(list.Rows), err)
		}
		var got []affiliate.Number
		for _, was := range list.Reasons[0].Earlier {
			got = append(got, was.Commission.Commission)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: earlier commissions %v, want %v", c.asked, got, c.want)
		}
	}
}
