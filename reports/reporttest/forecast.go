package reporttest

import (
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/forecast"
)

// Steady stores 200 days up to today: 10 USDT on each of them, and 5 on the weekdays for the
// invitee of spring. Of some days, counted from today, spot is not read.
func (d *Fixture) Steady(without ...int) {
	d.Helper()
	span := Days(-200, 0)
	d.Want("main", span.First)
	var direct, coded []affiliate.Commission
	first := span.First
	read := func(last affiliate.Day) {
		if first <= last {
			d.Read("main", Spot, affiliate.Days{First: first, Last: last}, direct...)
		}
		first, direct = last+2, nil
	}
	for day := span.First; day <= span.Last; day++ {
		if slices.Contains(without, int(day-Today)) {
			read(day - 1)
		} else {
			direct = append(direct, Trade(day, Spot, 1, "10"))
		}
		if day.Weekday() != time.Saturday && day.Weekday() != time.Sunday {
			coded = append(coded, Trade(day, Futures, 2, "5"))
		}
	}
	read(span.Last)
	d.Read("main", Futures, span, coded...)
	reach := Days(-coverage.YearReach, 0)
	d.ReadInvitees("main", reach, affiliate.Invitee{UID: "4667776802", InviteCode: "spring", RegisterTime: affiliate.MillisOf(reach.First.Start(time.UTC).Add(48 * time.Hour))})
}

func (d *Fixture) Forecast(text string) forecast.Report {
	d.Helper()
	r, err := reports.Ask(d.Context(), d.Service, d.QueryOf(text, forecast.Accepted), forecast.Make)
	if err != nil {
		d.Fatal(err)
	}
	return r
}
