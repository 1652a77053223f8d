package reporttest

import (
	"rebatedesk/affiliate"
	"rebatedesk/store/records"
)

func (d *Fixture) ReadSubAffiliates(span affiliate.Days, rows ...affiliate.SubAffiliateDay) {
	d.Helper()
	for _, product := range affiliate.Products() {
		var list []affiliate.SubAffiliateDay
		for _, r := range rows {
			if r.Product == product {
				list = append(list, r)
			}
		}
		slice := d.Slice("main", affiliate.Stream{Kind: affiliate.SubAffiliates, Product: product}, span)
		if _, err := records.ReplaceSubAffiliateDays(d.Context(), d.DB, slice, list); err != nil {
			d.Fatal(err)
		}
	}
}
