package web_test

import (
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/collection"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/query"
	"rebatedesk/store/records"
)

// Calendar is a year of five streams in which every state occurs.
func (p *programme) Calendar(_ context.Context, account affiliate.Account) ([]coverage.StreamCalendar, error) {
	if err := p.answer(); err != nil {
		return nil, err
	}
	var list []coverage.StreamCalendar
	for _, name := range p.accounts {
		for i, stream := range affiliate.Streams() {
			if account == "" || account == name {
				list = append(list, coverage.StreamCalendar{Account: name, Stream: stream, Days: p.calendarDays(i)})
			}
		}
	}
	return list, nil
}

func (p *programme) calendarDays(stream int) []coverage.CalendarDay {
	today := affiliate.DayOf(now, time.UTC)
	read := func(days int) affiliate.Millis { return affiliate.MillisOf(now.AddDate(0, 0, -days)) }
	var days []coverage.CalendarDay
	for day := today - 364; day <= today; day++ {
		age := int(today - day)
		d := coverage.CalendarDay{Day: day, State: coverage.CalendarVerified, Through: affiliate.MillisOf((day + 1).Start(time.UTC)), FirstRead: read(age), LastRead: read(0), Agreed: 3}
		switch {
		case p.missing[day] && stream == 1, stream == 4 && age > 200:
			d = coverage.CalendarDay{Day: day, State: coverage.CalendarMissing}
		case stream == 3 && age%60 > 32 && age%60 < 51:
			d = coverage.CalendarDay{Day: day, State: coverage.CalendarFailed, Failed: read(0), Error: "the exchange answered with a page instead of JSON (HTTP 502)"}
		case stream == 2 && age > 359:
			d = coverage.CalendarDay{Day: day, State: coverage.CalendarBeyond}
		case age == 0:
			d.State, d.Through, d.Agreed = coverage.CalendarRunning, read(0), 1
		case age == 1 && stream == 0:
			d.State, d.Through, d.Agreed = coverage.CalendarPartial, affiliate.MillisOf(day.Start(time.UTC).Add(20*time.Hour)), 1
		case age < 35:
			d.State, d.Agreed = coverage.CalendarCollected, 1
		}
		days = append(days, d)
	}
	return days
}

// Runs are a hundred and twenty runs, every tenth of which had failures.
func (p *programme) Runs(_ context.Context, account affiliate.Account, page, per int) ([]collection.RunRow, int64, error) {
	if err := p.answer(); err != nil {
		return nil, 0, err
	}
	var all []collection.RunRow
	for i := range int64(120) {
		started := now.Add(-time.Duration(i)*time.Hour - 90*time.Second)
		r := collection.RunRow{Run: records.Run{ID: 120 - i, Account: p.accounts[int(i)%len(p.accounts)], Cause: "schedule", Started: affiliate.MillisOf(started),
			Finished: affiliate.MillisOf(started.Add(time.Duration(40+i*7) * time.Second)), Requests: 34 + i, Weight: 170 + 5*i, Records: 2140 + 31*i, Opened: 41 + i, Closed: i % 4, Slices: 18}}
		switch {
		case i == 4:
			r.Finished, r.Cause = 0, "page"
		case i%10 == 2:
			r.Failed, r.Error = 2, "stopped: the exchange did not answer for ten minutes"
			for _, product := range affiliate.Products() {
				r.Problems = append(r.Problems, records.SliceProblem{Stream: affiliate.Stream{Kind: affiliate.SubAffiliates, Product: product},
					Days: affiliate.Days{First: affiliate.NewDay(2026, 10, 1), Last: affiliate.NewDay(2026, 10, 28)}, Error: "the exchange answered with a page instead of JSON (HTTP 502)"})
			}
		}
		if account == "" || account == r.Account {
			all = append(all, r)
		}
	}
	first := min((page-1)*per, len(all))
	return all[first:min(first+per, len(all))], int64(len(all)), nil
}

// Restatements restate every ninth record, by each kind in turn.
func (p *programme) Restatements(_ context.Context, q query.Query) (commissions.RestatementsReport, error) {
	report := commissions.RestatementsReport{Query: q, Pages: 1}
	if err := p.answer(); err != nil || p.empty != "" {
		return report, err
	}
	kinds := []commissions.RestatementKind{commissions.RestatedLate, commissions.RestatedChanged, commissions.RestatedRemoved, commissions.RestatedZeroed}
	var all []commissions.Restatement
	for i, r := range p.matching(q, q.Days) {
		if i%9 == 0 {
			all = append(all, restate(r, kinds[i/9%len(kinds)]))
		}
	}
	for _, r := range all {
		at := slices.IndexFunc(report.Totals, func(t commissions.RestatementTotals) bool { return t.Kind == r.Kind && t.Coin == r.Coin })
		if at < 0 {
			at, report.Totals = len(report.Totals), append(report.Totals, commissions.RestatementTotals{Kind: r.Kind, Coin: r.Coin})
		}
		report.Totals[at].Count++
		report.Totals[at].Change = report.Totals[at].Change.Add(value(r.Became).Sub(value(r.Was)))
	}
	slices.SortStableFunc(report.Totals, func(a, b commissions.RestatementTotals) int {
		return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind)
	})
	report.Count, report.Pages = int64(len(all)), max(1, (len(all)+q.Per-1)/q.Per)
	first := min((q.Page-1)*q.Per, len(all))
	report.Rows = all[first:min(first+q.Per, len(all))]
	return report, nil
}

func restate(r records.CommissionRow, kind commissions.RestatementKind) commissions.Restatement {
	re := commissions.Restatement{Noticed: r.DealTime + 26*3_600_000, Kind: kind, Account: r.Account, DealTime: r.DealTime, UID: r.UID,
		Product: r.Product, Symbol: r.Symbol, Coin: r.Coin, Was: r.Commission.Commission, Became: r.Commission.Commission}
	switch kind {
	case commissions.RestatedLate:
		re.Was = ""
	case commissions.RestatedRemoved:
		re.Became = ""
	case commissions.RestatedZeroed:
		re.Became = "0"
	default:
		re.Became = affiliate.Number(value(re.Was).Mul(decimal.New(95, -2)).String())
	}
	return re
}
