package benchdata

import (
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// Touch collects the last day of a market again, with one additional record.
func Touch(b *testing.B, st *store.Store) {
	b.Helper()
	day := affiliate.Days{First: Last, Last: Last}
	r, err := st.Read(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	var rows []affiliate.Commission
	for row, err := range records.Commissions(b.Context(), r, records.CommissionFilter{Days: day, Product: affiliate.Spot}, records.CommissionOrder{Column: "time"}, 0, 0) {
		if err != nil {
			b.Fatal(err)
		}
		rows = append(rows, row.Commission)
	}
	more := rows[0]
	more.DealTime = affiliate.MillisOf(Last.Start(time.UTC))
	stream := affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}
	if _, err := records.ReplaceCommissions(b.Context(), st, slice(stream, day), append(rows, more)); err != nil {
		b.Fatal(err)
	}
}
