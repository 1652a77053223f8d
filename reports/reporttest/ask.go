package reporttest

import (
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/months"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/store/audit"
	"rebatedesk/store/records"
)

func (d *Fixture) Codes(query string) invitecodes.Report {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.CodeQuery(query), invitecodes.Make)
	if err != nil {
		d.Fatalf("%s: %v", query, err)
	}
	return view
}

func (d *Fixture) CodeQuery(asked string) query.Query {
	d.Helper()
	return d.QueryOf(asked, query.AcceptedParams{Sorts: invitecodes.Sorts, Order: query.Sort{Field: "commission", Descending: true}})
}

func (d *Fixture) CohortQuery(asked string) query.Query {
	d.Helper()
	return d.QueryOf(asked, query.AcceptedParams{Usual: query.Last12M, By: cohorts.Periods(), Metrics: cohorts.Metrics()})
}

func (d *Fixture) Cohorts(query string) cohorts.Report {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.CohortQuery(query), cohorts.Make)
	if err != nil {
		d.Fatalf("%s: %v", query, err)
	}
	return view
}

func (d *Fixture) DriversOf(text string) drivers.Report {
	d.Helper()
	r, err := reports.Ask(d.Context(), d.Service, d.QueryOf(text, drivers.Accepted), drivers.Make)
	if err != nil {
		d.Fatal(err)
	}
	return r
}

// People are invitees of the last days with their first steps.
func (d *Fixture) People() {
	d.Helper()
	ago := func(n int) affiliate.Millis { return Midnight(Today-affiliate.Day(n)) + 3_600_000 }
	d.ReadInvitees("main", Days(-364, 0),
		affiliate.Invitee{UID: "1", InviteCode: "a", RegisterTime: ago(1), FirstDeposit: ago(1), FirstTrade: ago(0)},
		affiliate.Invitee{UID: "2", InviteCode: "b", RegisterTime: ago(1)},
		affiliate.Invitee{UID: "3", InviteCode: "a", RegisterTime: ago(2), FirstDeposit: ago(1), FirstTrade: ago(1)},
		affiliate.Invitee{UID: "4", InviteCode: "a", FirstTrade: ago(2)}, // registration unknown
	)
}

var September = affiliate.NewDay(2026, time.September, 1)

// MonthQuery is the query of August.
func (d *Fixture) MonthQuery() query.Query {
	d.Helper()
	asked := d.QueryOf("", months.AcceptedOfOne)
	asked.Days = months.DaysOf(August)
	return asked
}

// EarnedWords returns the first line of the front page with its report.
func (d *Fixture) EarnedWords(text string) (string, *reports.Front) {
	d.Helper()
	front, err := reports.FrontPage(d.Context(), d.Service, d.QueryOf(text, overview.Accepted))
	if err != nil {
		d.Fatal(err)
	}
	var b strings.Builder
	for _, part := range phrase.Earned(phrase.EarnedFacts{Report: front.Report, Drivers: front.Drivers, Payments: front.Payments}) {
		b.WriteString(part.Text)
	}
	return b.String(), front
}

var August = affiliate.NewDay(2026, time.August, 1)

var ByAnn = audit.Line{Actor: "ann", Via: "session"}

func (d *Fixture) ReadSubs(account affiliate.Account, product affiliate.Product, span affiliate.Days, rows ...affiliate.SubAffiliateDay) {
	d.Helper()
	stream := affiliate.Stream{Kind: affiliate.SubAffiliates, Product: product}
	if _, err := records.ReplaceSubAffiliateDays(d.Context(), d.DB, d.Slice(account, stream, span), rows); err != nil {
		d.Fatal(err)
	}
}

func (d *Fixture) SubAffiliates(asked string) subaffiliates.Report {
	d.Helper()
	q := d.Ask(asked)
	if q.Sort.Field == "time" { // the default order of the fixture
		q.Sort = query.Sort{Field: "paid", Descending: true}
	}
	view, err := reports.Ask(d.Context(), d.Service, q, subaffiliates.Make)
	if err != nil {
		d.Fatal(err)
	}
	return view
}

func (d *Fixture) Why(query string) overview.Why {
	d.Helper()
	q := d.Ask(query)
	if !q.Whyable() {
		d.Fatalf("%s has not exactly one cause", query)
	}
	w, err := reports.Ask(d.Context(), d.Service, q, overview.MakeWhy)
	if err != nil {
		d.Fatal(err)
	}
	return w
}
