package payments

import (
	"context"
	"slices"

	"rebatedesk/reports/books"
	"rebatedesk/reports/export"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/payments"
)

// PaymentTable lays lines out as in the export of payments.
func PaymentTable(lines []PaymentLine) export.Table {
	return export.TableOf(paymentColumns, export.Each(lines))
}

// BillsOfLines has a row for each bill of the lines, as in the export of bills, oldest first.
func BillsOfLines(ctx context.Context, q *snapshot.Snapshot, lines []PaymentLine) export.Table {
	type billKey struct{ account, wallet, id string }
	keyOf := func(b books.Bill) billKey { return billKey{string(b.Account), string(b.Wallet), b.ID} }
	wanted := map[billKey]bool{}
	var types []string
	for i := range lines {
		for _, b := range lines[i].Bills {
			wanted[keyOf(b)] = true
			types = append(types, b.Business)
		}
	}
	return export.TableOf(billColumns, func(yield func(payments.BillRow, error) bool) {
		if len(wanted) == 0 {
			return
		}
		for row, err := range payments.Bills(ctx, q.Tx, payments.BillFilter{Days: snapshot.AllDays, Types: distinct(types), AsOf: q.AsOfMillis()}) {
			if (err != nil || wanted[keyOf(books.Bill{Account: row.Account, Bill: row.Bill})]) && !yield(row, err) {
				return
			}
		}
	})
}

func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
