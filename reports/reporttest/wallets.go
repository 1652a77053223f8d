package reporttest

import (
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store/payments"
	"rebatedesk/store/storetest"
)

// ReadWallets stores empty readings of bills and transfers, without those of the given kinds.
func (d *Fixture) ReadWallets(span affiliate.Days, without ...affiliate.StreamKind) {
	d.Helper()
	for _, stream := range affiliate.Streams() {
		if stream.Kind.Money() && !slices.Contains(without, stream.Kind) {
			storetest.ReadWallet(d, d.DB, d.Slice("main", stream, span))
		}
	}
}

// Refuse stores that the exchange gives a stream of main from a day on; 0 = not at all.
func (d *Fixture) Refuse(kind affiliate.StreamKind, first affiliate.Day) {
	d.Helper()
	refused := payments.Refusal{Account: "main", Stream: kind, Error: "40014: no permission", FirstDay: first}
	if _, err := payments.NoteRefusal(d.Context(), d.DB, refused); err != nil {
		d.Fatal(err)
	}
}
