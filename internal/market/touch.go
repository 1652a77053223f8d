package market

import (
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Touch collects the last day of a market again, with one record more.
func Touch(b *testing.B, st *store.Store) {
	b.Helper()
	day := affiliate.Days{First: Last, Last: Last}
	r, err := st.Read(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	var records []affiliate.Commission
	for row, err := range r.Commissions(b.Context(), store.CommissionFilter{Days: day, Product: affiliate.Spot}, store.CommissionOrder{Column: "time"}, 0, 0) {
		if err != nil {
			b.Fatal(err)
		}
		records = append(records, row.Commission)
	}
	more := records[0]
	more.DealTime = affiliate.MillisOf(Last.Start(time.UTC))
	stream := affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}
	if _, err := st.ReplaceCommissions(b.Context(), slice(stream, day), append(records, more)); err != nil {
		b.Fatal(err)
	}
}
