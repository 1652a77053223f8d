package upkeep

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// readBills checks the bills, including closed ones.
func (v *verification) readBills(ctx context.Context, r *store.Tx) error {
	rows, err := r.QueryContext(ctx, `
		SELECT id, account_id, opened_ms, coalesce(closed_ms, 0), closed_ms IS NULL, wallet, created_ms, amount, balance_after, fees, fill_size, fill_value
		FROM bills ORDER BY id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var id, account int64
	what := func() string { return fmt.Sprintf("bill %d of %s", id, v.names[account]) }
	for rows.Next() {
		var opened, closed affiliate.Millis
		var open bool
		var b affiliate.Bill
		if err := rows.Scan(&id, &account, &opened, &closed, &open, &b.Wallet, &b.Created, &b.Amount, &b.Balance, &b.Fees, &b.FillSize, &b.FillValue); err != nil {
			return err
		}
		v.bills++
		v.checkStamps(what, opened, closed)
		v.checkAmount(what, "amount", b.Amount)
		v.checkAmount(what, "balance", b.Balance)
		v.checkAmount(what, "fees", b.Fees)
		v.checkAmount(what, "fill size", b.FillSize)
		v.checkAmount(what, "fill value", b.FillValue)
		at := slices.IndexFunc(affiliate.BillKinds(), func(kind affiliate.StreamKind) bool { return kind.Wallet() == b.Wallet })
		switch {
		case at < 0:
			v.coverage.Fault("%s is of the wallet %.20q, which nobody reads", what(), b.Wallet)
		case open:
			v.checkCovered(what, coveredDay{account, affiliate.Stream{Kind: affiliate.BillKinds()[at]}, affiliate.DayOf(b.Created.Time(), time.UTC)}, b.Created)
		}
	}
	return rows.Err()
}

// readTransfers checks the transfers, including closed ones.
func (v *verification) readTransfers(ctx context.Context, r *store.Tx) error {
	rows, err := r.QueryContext(ctx, `
		SELECT id, account_id, opened_ms, coalesce(closed_ms, 0), closed_ms IS NULL, time_ms, amount FROM transfers ORDER BY id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var id, account int64
	what := func() string { return fmt.Sprintf("transfer %d of %s", id, v.names[account]) }
	for rows.Next() {
		var opened, closed affiliate.Millis
		var open bool
		var t affiliate.Transfer
		if err := rows.Scan(&id, &account, &opened, &closed, &open, &t.Time, &t.Amount); err != nil {
			return err
		}
		v.transfers++
		v.checkStamps(what, opened, closed)
		v.checkAmount(what, "amount", t.Amount)
		if open {
			v.checkCovered(what, coveredDay{account, affiliate.Stream{Kind: affiliate.Transfers}, affiliate.DayOf(t.Time.Time(), time.UTC)}, t.Time)
		}
	}
	return rows.Err()
}
