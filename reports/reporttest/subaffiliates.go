package reporttest

import (
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/query"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/store/records"
)

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
