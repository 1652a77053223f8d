package payments

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
)

// KeptDays returns the UTC days of which a stream of bills or transfers of an account is stored
// completely: their records need not be asked of the exchange again.
func KeptDays(ctx context.Context, r *store.Tx, account affiliate.Account, kind affiliate.StreamKind, days affiliate.Days) (map[affiliate.Day]bool, error) {
	list, err := records.Coverage(ctx, r, account, days)
	if err != nil {
		return nil, err
	}
	kept := map[affiliate.Day]bool{}
	for _, day := range list {
		if day.Stream.Kind == kind && day.Whole() {
			kept[day.Day] = true
		}
	}
	return kept, nil
}

// KeptBills returns the stored bills of a wallet on UTC days, oldest first.
func KeptBills(ctx context.Context, r *store.Tx, account affiliate.Account, wallet affiliate.Wallet, days affiliate.Days) (list []affiliate.Bill, err error) {
	for row, err := range payments.Bills(ctx, r, payments.BillFilter{Days: days, Account: account, Wallet: wallet}) {
		if err != nil {
			return nil, fmt.Errorf("reading the kept bills: %w", err)
		}
		list = append(list, row.Bill)
	}
	return list, nil
}

// KeptTransfers returns the stored transfers on UTC days, oldest first.
func KeptTransfers(ctx context.Context, r *store.Tx, account affiliate.Account, days affiliate.Days) (list []affiliate.Transfer, err error) {
	for row, err := range payments.Transfers(ctx, r, payments.TransferFilter{Days: days, Account: account}) {
		if err != nil {
			return nil, fmt.Errorf("reading the kept transfers: %w", err)
		}
		list = append(list, row.Transfer)
	}
	return list, nil
}

// BillName identifies a stored bill.
type BillName struct {
	Account affiliate.Account
	Wallet  affiliate.Wallet
	ID      string
}

// MakePaidBills returns the line of payments of each bill that a line counts.
func MakePaidBills(ctx context.Context, q *snapshot.Snapshot) (map[BillName]payments.LineKey, error) {
	q, err := q.InUTC(ctx)
	if err != nil {
		return nil, err
	}
	ledger, err := openLedger(ctx, q)
	if err != nil {
		return nil, err
	}
	lines := map[BillName]payments.LineKey{}
	for i := range ledger.lines {
		for _, bill := range ledger.lines[i].Bills {
			lines[BillName{bill.Account, bill.Wallet, bill.ID}] = ledger.lines[i].Key()
		}
	}
	return lines, nil
}
